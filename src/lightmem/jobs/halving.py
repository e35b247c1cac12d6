"""Jobs over many things in two halves, so that the one thing that fails is found."""

from typing import Any

from lightmem.model import Job, JobKind

_IDS = {
    JobKind.INDEX_TURNS: "turn_ids",
    JobKind.INDEX_MEMORIES: "memory_ids",
    JobKind.DELETE_POINTS: "ids",
}


def ids_of(job: Job) -> list[str]:
    """The ids of what the job is about; none of a job that is about something else."""
    name = _IDS.get(job.kind)
    return list(job.payload[name]) if name else []


def halved(job: Job) -> list[dict[str, Any]]:
    """Payloads of two jobs that do the same; one of a job about a single thing."""
    ids = ids_of(job)
    middle = (len(ids) + 1) // 2
    return [{**job.payload, _IDS[job.kind]: part} for part in (ids[:middle], ids[middle:]) if part]
