"""The second hop: what the first hits say is asked for again, in deep, for lists."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from lightmem.model import RecallMode
from lightmem_selector.hop import MOST_WORDS, telling_words
from lightmem_selector.pool import Pool
from lightmem_selector.recent import item_of
from support.finding import TENANT, USER, Finding, open_finding, plan, request, said

LISTED = [
    said("The harbour with Rufus.", seq=1),
    said("Rufus loves the harbour.", seq=3),
    said("Rufus at the harbour.", seq=5),
    said("Rufus chewed my slippers.", seq=1, session_id="s2"),
    said("My brother sold the old van.", seq=1, session_id="s3"),
]


@pytest.fixture
async def finding(tmp_path: Path) -> AsyncIterator[Finding]:
    async with open_finding(tmp_path) as opened:
        yield opened


def test_telling_words_are_the_first_hits_and_not_the_questions() -> None:
    items = {turn.id: item_of(turn) for turn in LISTED}

    words = telling_words("Who goes to the harbour?", Pool(items), [items[LISTED[0].id]])

    assert "rufus" in words
    assert "harbour" not in words
    assert "ana" not in words
    assert len(words) <= MOST_WORDS


@pytest.mark.parametrize(
    ("mode", "wants", "has_hop"),
    [
        (RecallMode.DEEP, ("list",), True),
        (RecallMode.DEEP, ("date",), False),
        (RecallMode.FAST, ("list",), False),
    ],
)
async def test_a_list_is_asked_for_twice_in_deep_alone(
    finding: Finding, mode: RecallMode, wants: tuple[str, ...], has_hop: bool
) -> None:
    await finding.hold(*LISTED)
    query = "harbour"
    asked = replace(request(query), mode=mode, explain=True)

    selection = await finding.selector().select(
        TENANT, USER, asked, replace(plan(query), wants=wants)
    )

    second = {name for each in selection.candidates for name in each.features if "q1." in name}
    assert bool(second) is has_hop


async def test_the_second_hop_finds_what_only_the_first_hit_names(finding: Finding) -> None:
    await finding.hold(*LISTED)
    query = "harbour"
    asked = replace(request(query), mode=RecallMode.DEEP, explain=True)

    selection = await finding.selector().select(
        TENANT, USER, asked, replace(plan(query), wants=("list",))
    )

    named = next(c for c in selection.candidates if "slippers" in c.item.text)
    other = next(c for c in selection.candidates if "van" in c.item.text)
    assert "q1.bm25.score" in named.features
    assert "q1.bm25.score" not in other.features
