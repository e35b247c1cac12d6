"""Work that follows a ledger transaction: run here, or handed to workers; the outbox is the truth.

Read `runner.py` for what a job does and how its lease is kept, `worker.py` for the workers of one
process, `relay.py` for the way to a job queue.
"""

from lightmem.jobs.relay import OutboxRelay
from lightmem.jobs.runner import JobRunner
from lightmem.jobs.worker import OutboxWorker

__all__ = ["JobRunner", "OutboxRelay", "OutboxWorker"]
