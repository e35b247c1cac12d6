"""Settings: one frozen object from `LIGHTMEM_*`, built in a shell's `main` and passed down.

URLs choose adapters. The defaults are the embedded system, all in `data_dir`.
"""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


def default_data_dir() -> Path:
    """`~/.local/share/lightmem`."""
    return Path.home() / ".local" / "share" / "lightmem"


class Settings(BaseSettings):
    """What an operator may choose. Each field is read from `LIGHTMEM_<NAME>`."""

    model_config = SettingsConfigDict(env_prefix="LIGHTMEM_", frozen=True, extra="ignore")

    data_dir: Path = Field(default_factory=default_data_dir, description="Files of the system.")
    host: str = Field("127.0.0.1", description="Address that the gateway listens on.")
    port: int = Field(8080, ge=0, le=65535, description="Port of the gateway.")
    metrics_port: int | None = Field(None, description="Internal port for Prometheus.")
    rpc_address: str = Field("0.0.0.0:50051", description="Address a role's service listens on.")
    secret: SecretStr | None = Field(None, description="Installation secret; else a file's.")
    bootstrap_admin_key: SecretStr | None = Field(
        None, description="An admin key that is made known at start: lm_admin_…"
    )
    cpus: int = Field(1, ge=1, description="CPUs this process owns: the size of thread pools.")
    log_level: str = Field("INFO", description="Least severe level that is logged.")

    ledger_url: str = Field(
        "", description="sqlite:///FILE or postgresql+psycopg://…; else a file in the data folder."
    )
    index_url: str = Field(
        "", description="edge:///DIR or qdrant://HOST:GRPC_PORT; else in the data folder."
    )
    index_api_key: str | None = Field(None, description="Key of the Qdrant server.")
    graph_url: str = Field(
        "", description="sqlite:///FILE or bolt://HOST:PORT; else a file in the data folder."
    )
    graph_user: str | None = Field(None, description="User of the Neo4j server.")
    graph_password: str | None = Field(None, description="Password of that user.")
    short_term_url: str = Field("memory://", description="memory:// or redis://HOST:PORT/DB")
    queue_url: str = Field("threads://", description="threads:// or redis://HOST:PORT/DB")

    controller_url: str = Field("", description="grpc://HOST:PORT; empty is in process.")
    selector_url: str = Field("", description="grpc://HOST:PORT; empty is in process.")
    writer_url: str = Field("", description="grpc://HOST:PORT; empty is in process.")
    controller_timeout_s: float = Field(2.0, description="Seconds that a plan may take.")
    selector_timeout_s: float = Field(5.0, description="Seconds that a selection may take.")
    writer_timeout_s: float = Field(180.0, description="Seconds that an extraction may take.")

    encoder: str = Field(
        "minilm", description="`minilm`, or a folder with model.onnx, tokenizer.json."
    )
    ranker: str = Field(
        "generated",
        description="`generated`, `linear` (fixed weights), or a folder that training wrote.",
    )
    changes: str = Field(
        "generated",
        description="`generated`, `off` (rules alone), or a folder that training wrote.",
    )
    model_url: str = Field(
        "", description="ollama://HOST:PORT, openai+http(s)://…; empty: no model."
    )
    model_name: str = Field("", description="The small model that extracts and plans.")
    model_api_key: str | None = Field(None, description="Key of its server.")
    model_timeout_s: float = Field(120.0, description="Seconds within which a model answers.")
    model_threads: int | None = Field(
        None, description="Threads of Ollama; else as many as `LIGHTMEM_CPUS`."
    )
    responder_url: str = Field(
        "", description="As `LIGHTMEM_MODEL_URL`; empty: the small model, if any."
    )
    responder_name: str = Field("", description="The model that answers users.")
    responder_api_key: str | None = Field(None, description="Key of its server.")

    coarse_pool: int = Field(100, ge=1, description="Candidates asked of each view.")
    short_term_turns: int = Field(20, ge=0, description="Turns of a session kept at hand.")
    segment_tokens: int = Field(512, ge=64, description="Most tokens of a segment.")
    segment_quiet_s: float = Field(
        2.0, ge=0, description="Turns wait so long for more of their session, to be learnt with."
    )
    segment_wait_s: float = Field(20.0, ge=0, description="And no longer than this in all.")
    compression_ratio: float = Field(
        1.0, gt=0, le=1, description="Share of what is said that the small model reads; 1: all."
    )
    live_turns: int = Field(
        16, ge=1, description="A call of more turns is a bulk: it comes after what is said now."
    )
    most_waiting: int = Field(
        20_000, ge=1, description="Calls of a tenant that may wait for the Writer; more get 429."
    )
    job_lease_s: float = Field(
        30.0, gt=0, description="Seconds until the job of a worker that died is taken up again."
    )
    job_attempts: int = Field(3, ge=1, description="Tries before a turn is quarantined.")
    job_share_s: float = Field(
        10.0, gt=0, description="After so long a job that learns lets those of others go first."
    )
    worker_threads: int = Field(1, ge=0, description="Embedded workers; 0 writes nothing.")
    answer_wait_s: float = Field(
        10.0, ge=0, description="What takes longer (erase, forget, import) is answered with 202."
    )
    memory_capacity: int = Field(
        10_000,
        ge=1,
        description="Memories of a user at hand, those that held once included; beyond it the "
        "least useful are archived.",
    )
    dreams: Literal["auto", "review", "off"] = Field(
        "auto", description="Dreams while nobody waits: applied, only planned, or none by itself."
    )
    dream_every_turns: int = Field(12, ge=1, description="A user's turns from dream to dream.")
    dream_idle_s: float = Field(
        900.0, gt=0, description="A user who was silent so long is dreamt over too."
    )
    dream_look_s: float = Field(60.0, gt=0, description="Seconds between looks for such users.")
    dream_memories: int = Field(500, ge=1, description="Most new memories that one dream reads.")
    dream_unused_days: float = Field(
        30.0, ge=0, description="A passing remark that nobody recalled for so long is forgotten."
    )
    dream_concurrency: int = Field(
        1, ge=1, description="Batches that a dream asks a model about at the same time."
    )
    dream_tokens: int = Field(
        50_000, ge=0, description="Most tokens of a model that a dream may be thought to take."
    )
    dream_model_url: str = Field(
        "", description="As `LIGHTMEM_MODEL_URL`; empty: the small model, if any."
    )
    dream_model_name: str = Field("", description="The model that dreams.")
    dream_model_api_key: str | None = Field(None, description="Key of its server.")
    otlp_endpoint: str | None = Field(
        None, description="Where traces go; without it they go nowhere."
    )

    @field_validator("data_dir")
    @classmethod
    def _absolute(cls, folder: Path) -> Path:
        return folder.expanduser().absolute()

    def url(self, name: str) -> str:
        """A store's URL, or its embedded default within `data_dir`."""
        defaults = {
            "ledger": f"sqlite:///{self.data_dir / 'ledger.db'}",
            "index": f"edge://{self.data_dir / 'index'}",
            "graph": f"sqlite:///{self.data_dir / 'graph.db'}",
        }
        return getattr(self, f"{name}_url") or defaults[name]
