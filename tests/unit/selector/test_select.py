"""What the Selector finds and chooses, over the embedded stores."""

import random
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from lightmem.adapters.onnx import open_ranker
from lightmem.errors import InvalidInput
from lightmem.model import (
    AsOf,
    ItemKind,
    Layer,
    PlannedQuery,
    RecallFilters,
    Role,
    Selection,
    TimeRange,
)
from lightmem_selector.features import NAMES, VERSION
from support.finding import (
    BUFFER_DOWN,
    ENCODER_DOWN,
    GRAPH_DOWN,
    HANGING,
    INDEX_DOWN,
    TENANT,
    USER,
    Finding,
    memory_point,
    open_finding,
    plan,
    request,
    said,
)
from support.graphs import IS_A, claim, supported
from support.indexes import NOON

MOVED = said("We moved to Lisbon last Friday.", seq=1)
TEA = said("I drink green tea every morning.", seq=2)
DOG = said("My dog hates the rain.", seq=3, speaker="Ben")
TALK = (MOVED, TEA, DOG)
THREE = ("ana", "ben", "cho")
LISBON = claim("lisbon", IS_A, "city")


@pytest.fixture
async def finding(tmp_path: Path) -> AsyncIterator[Finding]:
    async with open_finding(tmp_path) as opened:
        yield opened


def texts(selection: Selection) -> list[str]:
    return [item.text for item in selection.items]


async def test_a_long_turn_that_waits_for_its_passages_is_cut_by_the_questions_words(
    finding: Finding,
) -> None:
    filler = "The garden was quiet and the kettle sang. " * 60
    long = said(f"{filler}We moved to Lisbon. {filler}", seq=1)
    await finding.hold(TEA, DOG)
    await finding.short_term.append(TENANT, USER, [long])

    selection = await finding.selector().select(
        TENANT, USER, request("Where is Lisbon?"), plan("Where is Lisbon?")
    )

    [item] = [item for item in selection.items if item.id == long.id]
    assert "We moved to Lisbon." in item.text
    assert len(item.text) < 1_000


async def test_the_turn_that_answers_comes_first(finding: Finding) -> None:
    await finding.hold(*TALK)
    query = "Who moved to Lisbon?"

    selection = await finding.selector().select(TENANT, USER, request(query), plan(query))

    assert texts(selection)[0] == MOVED.content
    assert selection.items[0].layer is Layer.MID_TERM
    assert selection.items[0].source_turn_ids == (MOVED.id,)
    assert selection.degraded == []
    assert set(selection.timings_ms) == {"embed", "gather", "select"}


async def test_another_user_and_another_tenant_find_nothing(finding: Finding) -> None:
    await finding.hold(*TALK)
    await finding.short_term.append(TENANT, USER, TALK)
    query = "Who moved to Lisbon?"

    for tenant_id, user_id in ((TENANT, "ben"), ("other", USER)):
        selection = await finding.selector().select(tenant_id, user_id, request(query), plan(query))
        assert selection.items == []


async def test_top_k_is_an_upper_bound(finding: Finding) -> None:
    await finding.hold(*TALK)
    query = "dog tea Lisbon"

    for top_k in (1, 2, 50):
        selection = await finding.selector().select(
            TENANT, USER, request(query, top_k=top_k), plan(query)
        )
        assert len(selection.items) == min(top_k, 3)


async def test_the_same_stores_give_the_same_items_and_scores(finding: Finding) -> None:
    lines = [said(f"Line {n} about tea and dogs", seq=n, speaker=None) for n in range(1, 30)]
    shuffled = random.Random(7).sample(lines, len(lines))
    query = "tea and dogs"
    asked = request(query, top_k=20), plan(query)

    for turn in lines:
        await finding.hold(turn)
    first = await finding.selector().select(TENANT, USER, *asked)
    for turn in shuffled:
        await finding.hold(turn)
    again = await finding.selector().select(TENANT, USER, *asked)

    assert again.items == first.items


async def test_a_named_speaker_speaks_for_the_turn(finding: Finding) -> None:
    ana = said("I play the violin.", seq=1, speaker="Ana")
    ben = said("I play the violin too.", seq=2, speaker="Ben")
    await finding.hold(ana, ben)

    for name, first in (("Ana", ana), ("Ben", ben)):
        query = f"What does {name} play?"
        selection = await finding.selector().select(TENANT, USER, request(query), plan(query))
        assert texts(selection)[0] == first.content


async def test_the_turn_after_a_question_gains_by_it(finding: Finding) -> None:
    question = said("Which instrument do you play these days?", seq=1, speaker=None)
    answer = said("The violin, mostly.", seq=2, speaker=None)
    other = said("These clouds are heavy.", seq=3, speaker=None)
    await finding.hold(question, answer, other)
    query = "Which instrument does she play?"

    selection = await finding.selector().select(TENANT, USER, request(query), plan(query))

    assert texts(selection).index(answer.content) < texts(selection).index(other.content)


async def test_a_time_that_was_asked_for_is_preferred_not_required(finding: Finding) -> None:
    may = said("I bought tea.", seq=1, session_id="may", at=NOON)
    june = said("I bought tea again.", seq=1, session_id="june", at=NOON + timedelta(days=30))
    await finding.hold(may)
    await finding.hold(june)
    query = "When did I buy tea?"
    in_june = TimeRange(NOON + timedelta(days=29), NOON + timedelta(days=32))

    selection = await finding.selector().select(
        TENANT, USER, request(query), plan(query, time_range=in_june)
    )

    assert texts(selection) == [june.content, may.content]


async def test_the_same_words_again_are_left_out(finding: Finding) -> None:
    await finding.hold(*(said("I drink green tea!", seq=n) for n in (1, 2, 3)), DOG)
    query = "green tea"

    selection = await finding.selector().select(TENANT, USER, request(query), plan(query))

    assert sum("tea" in text for text in texts(selection)) == 1


async def test_a_memory_that_says_no_more_than_its_turn_is_left_out(finding: Finding) -> None:
    await finding.hold(MOVED)
    echo = memory_point("We moved to Lisbon", MOVED)
    dated = memory_point("We moved to Lisbon, Portugal", MOVED, valid_from=NOON)
    await finding.index.upsert(TENANT, USER, [echo, dated])
    query = "Who moved to Lisbon last Friday?"

    selection = await finding.selector().select(TENANT, USER, request(query), plan(query))

    assert texts(selection)[0] == MOVED.content
    assert dated.item.text in texts(selection)
    assert echo.item.text not in texts(selection)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (RecallFilters(speakers=["Ben"]), {DOG.content}),
        (RecallFilters(session_ids=["elsewhere"]), set()),
        (RecallFilters(kinds=[ItemKind.MEMORY]), set()),
        (RecallFilters(start=TEA.occurred_at), {TEA.content, DOG.content}),
        (RecallFilters(end=TEA.occurred_at), {MOVED.content}),
    ],
)
@pytest.mark.parametrize("is_indexed", [True, False])
async def test_filters_hold_wherever_a_turn_is_found(
    finding: Finding, filters: RecallFilters, expected: set[str], is_indexed: bool
) -> None:
    if is_indexed:
        await finding.hold(*TALK)
    await finding.short_term.append(TENANT, USER, TALK)
    query = "dog tea Lisbon"

    selection = await finding.selector().select(
        TENANT, USER, request(query, filters=filters, session_id="s1"), plan(query)
    )

    assert set(texts(selection)) == expected


async def test_what_was_said_later_was_not_known(finding: Finding) -> None:
    await finding.hold(*TALK)
    query = "dog tea Lisbon"
    known = AsOf(known=TEA.occurred_at)

    selection = await finding.selector().select(
        TENANT, USER, request(query, as_of=known), plan(query)
    )

    assert set(texts(selection)) == {MOVED.content, TEA.content}


async def test_a_memory_is_recalled_as_of_when_it_was_true(finding: Finding) -> None:
    lived = memory_point("Ana lives in Porto", MOVED, valid_to=NOON)
    lives = memory_point("Ana lives in Lisbon", MOVED, valid_from=NOON)
    await finding.index.upsert(TENANT, USER, [lived, lives])
    query = "Where does Ana live?"

    for valid, expected in (
        (NOON - timedelta(days=1), [lived.item.text]),
        (NOON, [lives.item.text]),
    ):
        selection = await finding.selector().select(
            TENANT, USER, request(query, as_of=AsOf(valid=valid)), plan(query)
        )
        assert texts(selection) == expected


async def test_a_turn_that_is_not_indexed_yet_is_found_in_its_place(finding: Finding) -> None:
    await finding.hold(*TALK)
    news = said("We moved again, to Lisbon's old town.", seq=4)
    system = said("You are moved to Lisbon.", seq=5, role=Role.SYSTEM)
    await finding.short_term.append(TENANT, USER, [*TALK, news, system])
    query = "Who moved to Lisbon's old town?"

    selection = await finding.selector().select(TENANT, USER, request(query), plan(query))

    assert texts(selection)[:2] == [news.content, MOVED.content]
    assert selection.items[0].layer is Layer.SHORT_TERM
    assert system.content not in texts(selection)


@pytest.mark.parametrize("has_ranker", [True, False])
async def test_a_turn_that_is_found_by_word_alone_as_yet_comes_where_its_words_belong(
    finding: Finding, has_ranker: bool
) -> None:
    noise = [said(f"Ana painted kiln number {n} in Porto.", seq=n) for n in range(1, 60)]
    new = said("Magda collects antique sextants.", seq=1, session_id="s2")
    await finding.hold(*noise)
    await finding.hold_words(new)
    query = "What does Magda collect?"
    trained = open_ranker("generated", features_version=VERSION, columns=NAMES)

    selection = await finding.selector(ranker=trained if has_ranker else None).select(
        TENANT, USER, request(query), plan(query)
    )

    assert texts(selection)[0] == new.content


async def test_turns_of_the_session_at_hand_are_short_term(finding: Finding) -> None:
    other = said("Lisbon is sunny.", session_id="s2")
    await finding.hold(*TALK)
    await finding.hold(other)
    await finding.short_term.append(TENANT, USER, [*TALK, other])
    query = "Lisbon"

    selection = await finding.selector().select(
        TENANT, USER, request(query, session_id="s1"), plan(query)
    )

    layers = {item.text: item.layer for item in selection.items}
    assert layers[MOVED.content] is Layer.SHORT_TERM
    assert layers[other.content] is Layer.MID_TERM


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (Layer.SHORT_TERM, {(Layer.SHORT_TERM, DOG.content)}),
        (Layer.MID_TERM, {(Layer.MID_TERM, MOVED.content), (Layer.MID_TERM, TEA.content)}),
        (Layer.LONG_TERM, {(Layer.LONG_TERM, "lisbon: a kind of city")}),
    ],
)
async def test_only_the_layers_asked_for_are_served(
    finding: Finding, layer: Layer, expected: set[tuple[Layer, str]]
) -> None:
    await finding.hold(MOVED, TEA)
    await finding.short_term.append(TENANT, USER, [DOG])
    await supported(finding.graph, TENANT, THREE, LISBON)
    query = "dog tea Lisbon"

    selection = await finding.selector().select(
        TENANT, USER, request(query), plan(query, layers=(layer,), entities=("Lisbon",))
    )

    assert {(item.layer, item.text) for item in selection.items} == expected


async def test_a_concept_that_few_users_support_is_not_served(finding: Finding) -> None:
    await supported(finding.graph, TENANT, THREE[:2], LISBON)
    query = "Lisbon"

    selection = await finding.selector().select(
        TENANT, USER, request(query), plan(query, entities=("Lisbon",))
    )

    assert selection.items == []


@pytest.mark.parametrize(
    ("part", "double", "named"),
    [
        ("index", INDEX_DOWN, "mid_term: index unavailable"),
        ("encoder", ENCODER_DOWN, "mid_term: encoder unavailable"),
        ("short_term", BUFFER_DOWN, "short_term: buffer unavailable"),
        ("graph", GRAPH_DOWN, "long_term: neo4j unavailable"),
    ],
)
async def test_a_part_that_is_down_is_named_and_the_rest_answers(
    finding: Finding, part: str, double: object, named: str
) -> None:
    await finding.hold(*TALK)
    await finding.short_term.append(TENANT, USER, TALK)
    query = "Who moved to Lisbon?"

    selection = await finding.selector(**{part: double}).select(
        TENANT, USER, request(query, session_id="s1"), plan(query, entities=("Lisbon",))
    )

    assert texts(selection)[0] == MOVED.content
    assert selection.degraded == [named]


async def test_all_parts_down_is_still_an_answer(finding: Finding) -> None:
    selector = finding.selector(
        index=INDEX_DOWN, encoder=ENCODER_DOWN, short_term=BUFFER_DOWN, graph=GRAPH_DOWN
    )

    selection = await selector.select(
        TENANT, USER, request("Lisbon"), plan("Lisbon", entities=("Lisbon",))
    )

    assert selection.items == []
    assert len(selection.degraded) == 4


async def test_a_part_that_hangs_is_not_waited_for(finding: Finding) -> None:
    await finding.hold(*TALK)
    selector = finding.selector(graph=HANGING, patience_s=0.2)

    selection = await selector.select(
        TENANT, USER, request("Lisbon"), plan("Lisbon", entities=("Lisbon",))
    )

    assert texts(selection)[0] == MOVED.content
    assert selection.degraded == ["long_term: neo4j unavailable"]


async def test_a_question_of_stop_words_alone_is_still_searched(finding: Finding) -> None:
    await finding.hold(*TALK)

    selection = await finding.selector().select(
        TENANT, USER, request("what is the"), plan("what is the")
    )

    assert len(selection.items) == 3


async def test_a_wrong_hypothetical_query_does_not_displace_the_answer(finding: Finding) -> None:
    await finding.hold(*TALK)
    query = "Who moved to Lisbon?"
    wrong = tuple(PlannedQuery(text, 0.15, "hypothetical") for text in ("dog rain", "green tea"))
    planned = plan(query, queries=(*plan(query).queries, *wrong))

    selection = await finding.selector().select(TENANT, USER, request(query), planned)

    assert texts(selection)[0] == MOVED.content


@pytest.mark.parametrize(
    ("text", "is_asked"), [("dog rain", False), ("Somebody moved to Lisbon.", True)]
)
async def test_a_query_about_something_else_is_not_searched_for(
    finding: Finding, text: str, is_asked: bool
) -> None:
    await finding.hold(*TALK)
    query = "Who moved to Lisbon?"
    made_up = PlannedQuery(text, 0.15, "hypothetical")
    planned = plan(query, queries=(*plan(query).queries, made_up))

    selection = await finding.selector().select(TENANT, USER, request(query, explain=True), planned)

    found_by_it = [
        name for each in selection.candidates for name in each.features if name.startswith("q1.")
    ]
    assert bool(found_by_it) is is_asked


async def test_an_explanation_shows_features_and_a_reason_for_each(finding: Finding) -> None:
    await finding.hold(*TALK)
    query = "Did Ana move to Lisbon?"

    selection = await finding.selector().select(
        TENANT, USER, request(query, top_k=1, explain=True), plan(query)
    )

    first, *others = selection.candidates
    assert first.item == selection.items[0]
    assert first.reason.startswith("chosen as number 1")
    assert first.features["speaker"] == 1.0
    assert {"q0.bm25.score", "q0.bm25.min_max", "q0.bm25.rank"} <= first.features.keys()
    assert {candidate.reason for candidate in others} == {"below the best 1"}


async def test_a_request_outside_the_limits_is_refused_by_name(finding: Finding) -> None:
    with pytest.raises(InvalidInput) as refusal:
        await finding.selector().select(TENANT, USER, request("x", top_k=0), plan("x"))

    assert [error.field for error in refusal.value.errors] == ["top_k"]


async def test_a_memory_is_found_by_the_sessions_and_speakers_of_its_turns(
    finding: Finding,
) -> None:
    await finding.hold(*TALK)
    memory = memory_point("Ana and Ben share the green tea.", TEA)
    shared = replace(memory, session_ids=["s1"], speakers=["Ana", "Ben"])
    await finding.index.upsert(TENANT, USER, [shared])

    for filters in (RecallFilters(session_ids=["s1"]), RecallFilters(speakers=["Ben"])):
        query = "Who shares the tea?"
        found = await finding.selector().select(
            TENANT, USER, request(query, filters=filters), plan(query)
        )

        assert memory.item.text in texts(found)


async def test_speakers_are_not_told_apart_by_case_before_they_are_indexed_either(
    finding: Finding,
) -> None:
    await finding.short_term.append(TENANT, USER, [DOG])
    query = "What does the dog hate?"
    asked = request(query, filters=RecallFilters(speakers=["BEN"]))

    found = await finding.selector().select(TENANT, USER, asked, plan(query))

    assert texts(found) == [DOG.content]


async def test_a_memory_that_only_names_the_speaker_of_its_turn_is_an_echo(
    finding: Finding,
) -> None:
    await finding.hold(*TALK)
    await finding.index.upsert(
        TENANT, USER, [memory_point(f"Ben: {DOG.content}", DOG, speaker="Ben")]
    )
    query = "What does the dog of Ben hate?"

    found = await finding.selector().select(TENANT, USER, request(query), plan(query))

    assert f"Ben: {DOG.content}" not in texts(found)
    assert DOG.content in texts(found)
