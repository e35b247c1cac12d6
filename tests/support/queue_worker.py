"""A write worker whose first job never ends: `python -m support.queue_worker QUEUE LEDGER MARK`.

It is the real queue, runner, lease and learning over a real ledger. The first process to find
that the file MARK is not there makes it and hangs in the middle of one job, so that a test can
kill it there; every later one, and every other job, works.
"""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from lightmem.adapters.celery import serve_queue
from lightmem.adapters.ledger import open_ledger
from lightmem.domain.clock import SystemClock
from lightmem.jobs import JobRunner
from lightmem.model import Extraction, Turn
from lightmem.queue_worker import LoopThread
from lightmem_writer import ExtractStatements, LearnTurns
from support.jobs import RecordingIndexing, RecordingPoints

LEASE_S = 1.0
#: Segments that are learnt before the worker hangs.
SEGMENTS_FIRST = 1


class HangingWriter:
    """Extracts by rules; hangs for ever after the first segment if nobody hung before."""

    def __init__(self, mark: Path) -> None:
        self._mark = mark
        self._hangs = not mark.exists()
        self._calls = 0
        self._writer = ExtractStatements(None)

    async def extract(
        self, tenant_id: str, user_id: str, turns: Sequence[Turn], context: Sequence[Turn] = ()
    ) -> Extraction:
        self._calls += 1
        if self._hangs and self._calls > SEGMENTS_FIRST:
            self._hangs = False
            self._mark.touch()
            await asyncio.Event().wait()
        return await self._writer.extract(tenant_id, user_id, turns, context)


class Words:
    """Counts words as tokens."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())


def main(queue_url: str, ledger_url: str, mark: str) -> int:
    """Serve the queue until the process is killed or told to stop."""
    ledger = open_ledger(ledger_url, clock=SystemClock())
    learn = LearnTurns(
        ledger=ledger, writer=HangingWriter(Path(mark)), tokenizer=Words(), segment_tokens=8
    )
    runner = JobRunner(
        ledger=ledger, indexing=RecordingIndexing(), index=RecordingPoints(), learn=learn
    )
    with LoopThread() as loop:
        code = serve_queue(
            queue_url,
            lambda job_id: loop.submit(runner.attend_by_id(job_id, lease_s=LEASE_S)).result(),
            concurrency=2,
            log_level="INFO",
        )
        loop.submit(ledger.close()).result()
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
