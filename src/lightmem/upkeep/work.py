"""The jobs of upkeep: they end what its caller did not, and look again later."""

from lightmem.model import Job, JobKind, Operation, OperationStatus
from lightmem.ports import Ledger
from lightmem.upkeep.bring_in import ImportUser
from lightmem.upkeep.erase import EraseUser
from lightmem.upkeep.sweep import Sweep

#: Why an import failed whose lines stopped coming.
CUT_OFF = "the body ended early"


class UpkeepWork:
    """Runs jobs of kind ERASE, SWEEP and IMPORT."""

    def __init__(
        self, *, ledger: Ledger, erase: EraseUser, sweep: Sweep, bring_in: ImportUser
    ) -> None:
        self._ledger = ledger
        self._erase = erase
        self._sweep = sweep
        self._bring_in = bring_in

    async def run(self, job: Job) -> bool:
        """Whether the job is done; if not, it has to be run again later.

        Raises:
            Unavailable: a store does not answer.
            NotFound: what it was about is gone.
        """
        match job.kind:
            case JobKind.SWEEP:
                await self._sweep(job.tenant_id, job.user_id)
            case JobKind.ERASE:
                await self._erase.end(await self._operation(job))
            case _:
                await self._import(job)
        return True

    async def _import(self, job: Job) -> None:
        operation = await self._operation(job)
        if operation.status is OperationStatus.PENDING:
            await self._ledger.abandon_import(job.tenant_id, operation.id, reason=CUT_OFF)
        else:
            await self._bring_in.end(operation)

    async def _operation(self, job: Job) -> Operation:
        return await self._ledger.get_operation(
            job.tenant_id, job.payload["operation_id"], user_id=job.user_id
        )
