"""What keeps the stores true to the ledger, put together."""

from dataclasses import dataclass

from lightmem.bootstrap.stores import Finding
from lightmem.forgetting import ForgottenValues
from lightmem.indexing import Indexing
from lightmem.ports import Clock, JobQueue, Ledger
from lightmem.ports.dreams import Promoter
from lightmem.upkeep import Doctor, EraseUser, ImportUser, Sweep, UpkeepWork


@dataclass(frozen=True, slots=True)
class Upkeep:
    """Users erased and brought in, the jobs that end both, and the look over all stores."""

    erase: EraseUser
    bring_in: ImportUser
    doctor: Doctor
    work: UpkeepWork


def make_upkeep(
    ledger: Ledger,
    finding: Finding,
    *,
    queue: JobQueue | None,
    indexing: Indexing,
    forgotten: ForgottenValues,
    promoter: Promoter,
    clock: Clock,
    secret: bytes,
) -> Upkeep:
    """The use cases of upkeep over these stores."""
    index, short_term, graph = finding.index, finding.short_term, finding.graph
    erase = EraseUser(ledger=ledger, index=index, short_term=short_term, graph=graph, secret=secret)
    sweep = Sweep(ledger=ledger, index=index, short_term=short_term, graph=graph, secret=secret)
    bring_in = ImportUser(
        ledger=ledger, forgotten=forgotten, encoder=finding.encoder, secret=secret
    )
    doctor = Doctor(
        ledger=ledger,
        index=index,
        short_term=short_term,
        graph=graph,
        queue=queue,
        encoder=finding.encoder,
        indexing=indexing,
        settle=promoter.settle,
        clock=clock,
        secret=secret,
    )
    work = UpkeepWork(ledger=ledger, erase=erase, sweep=sweep, bring_in=bring_in)
    return Upkeep(erase, bring_in, doctor, work)
