# The write worker (Celery), and with another command the relay: `python -m lightmem_writer.relay`.
#   docker build -f services/writer/worker.Dockerfile -t lightmem/write-worker .
ARG PYTHON_IMAGE=docker.io/library/python:3.11.13-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY deploy/install-image deploy/
COPY requirements/build.txt requirements/write-worker.txt requirements/
RUN deploy/install-image dependencies write-worker
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY src src
COPY services services
COPY gateway gateway
RUN deploy/install-image wheel

FROM ${PYTHON_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="lightmem-write-worker" \
      org.opencontainers.image.description="Writes memories from the turns of the outbox" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
RUN groupadd --gid 10001 lightmem \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/lightmem \
      --shell /usr/sbin/nologin lightmem \
 && install -d -o 10001 -g 10001 -m 0700 /var/lib/lightmem
COPY --from=build /opt/lightmem /opt/lightmem
ENV PATH=/opt/lightmem/bin:/usr/local/bin:/usr/bin:/bin \
    PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false \
    LIGHTMEM_DATA_DIR=/var/lib/lightmem
USER 10001:10001
WORKDIR /var/lib/lightmem
# Asks the worker itself, over the queue. The relay, which answers nobody, disables it.
HEALTHCHECK --interval=60s --timeout=30s --start-period=60s --retries=3 \
  CMD celery --broker "$LIGHTMEM_QUEUE_URL" inspect ping --timeout 5 --destination "celery@$HOSTNAME"
STOPSIGNAL SIGTERM
CMD ["python", "-m", "lightmem_writer.worker"]
