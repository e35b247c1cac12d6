"""A worker that is killed in the middle of a dream leaves the old state or the new one."""

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from lightmem.adapters.ledger import SqlLedger
from support.dream_child import take_back
from support.dreams import rows_of_user
from support.ledgers import learn

TIMES = 50
TEXTS = ("I like tea.", "I like green tea.", "I like white tea.", "The tram is yellow.")


async def test_a_worker_killed_fifty_times_leaves_no_plan_half_applied(
    ledger: SqlLedger, acme: str, ledger_url: str
) -> None:
    memories = [await learn(ledger, acme, text) for text in TEXTS]
    before = rows_of_user(ledger_url, acme)

    states = await _killed(ledger_url, acme, [memory.id for memory in memories])

    seen = Counter(state["status"] for state in states)
    assert len(states) == TIMES
    for state in states:
        if state["status"] == "applied":
            assert state["active"] == ["All of it."]
            assert state["applied"] == [True, True]
        else:
            assert state["active"] == sorted(TEXTS)
            assert not any(state["applied"])
    assert len(seen) > 1, f"every kill came at the same place: {seen}"
    await take_back(ledger, acme)
    assert rows_of_user(ledger_url, acme) == before


async def _killed(url: str, tenant_id: str, memory_ids: list[str]) -> list[dict[str, Any]]:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "support.dream_child",
        url,
        tenant_id,
        str(TIMES),
        *memory_ids,
        cwd=Path(__file__).parents[1],
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await child.communicate()
    assert child.returncode == 0
    return [json.loads(line) for line in out.decode().splitlines()]
