"""The job that goes on with a forgetting: its caller was told to come back, or its process died."""

from lightmem.errors import NotFound
from lightmem.forgetting.forget import ForgetMemories
from lightmem.model import Job, JobEnd, OperationStatus
from lightmem.ports import Ledger


class ForgetByJob:
    """Runs FORGET jobs. One whose operation has ended is done."""

    def __init__(self, *, ledger: Ledger, forget: ForgetMemories) -> None:
        self._ledger = ledger
        self._forget = forget

    async def run(self, job: Job) -> JobEnd:
        """Forget what the job says, and end its operation."""
        operation_id = job.payload["operation_id"]
        operation = await self._ledger.get_operation(
            job.tenant_id, operation_id, user_id=job.user_id
        )
        if operation.status is OperationStatus.RUNNING:
            await self._run(job, operation_id)
        await self._ledger.complete_job(job.id)
        return JobEnd.DONE

    async def _run(self, job: Job, operation_id: str) -> None:
        try:
            await self._forget(
                job.tenant_id,
                job.user_id,
                job.payload["memory_ids"],
                actor=job.payload["actor"],
                operation_id=lambda: operation_id,
            )
        except NotFound as exc:
            await self._ledger.end_forgetting(job.tenant_id, operation_id, failed=exc.code)
