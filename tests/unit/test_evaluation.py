"""The measure itself: what counts as found, what is repaired, and what is left out."""

import json
from pathlib import Path

import pytest

from lightmem.client import SaidTurn
from lightmem.ingest import SessionTurns
from lightmem_evaluation.baselines import Bm25System
from lightmem_evaluation.locomo import Conversation, Question, Repairs, load, repaired
from lightmem_evaluation.scoring import by_category, interval, percentiles, ranked
from lightmem_evaluation.systems import Found, with_caption, with_speaker

KNOWN = {"D1:1", "D1:2", "D2:5", "D11:26"}


def question(*evidence: str, category: int = 4, audited: tuple[str, ...] = ()) -> Question:
    return Question("c/0", category, "?", evidence, audited or evidence)


@pytest.mark.parametrize(
    ("given", "meant", "counted"),
    [
        (["D1:1", "D1:2"], ("D1:1", "D1:2"), {}),
        (["D1:1; D2:5"], ("D1:1", "D2:5"), {"evidence strings mended": 1}),
        (["D1:1 D1:2 D2:5"], ("D1:1", "D1:2", "D2:5"), {"evidence strings mended": 1}),
        (["D:11:26"], ("D11:26",), {"evidence strings mended": 1}),
        (["D2:05"], ("D2:5",), {"evidence strings mended": 1}),
        (["D1:1", "D1:1"], ("D1:1",), {}),
        (["D9:9"], (), {"evidence ids without a turn": 1}),
        (["D"], (), {"evidence strings without id": 1}),
        ([], (), {}),
    ],
)
def test_dirty_evidence_is_mended_where_it_can_be_and_counted(
    given: list[str], meant: tuple[str, ...], counted: dict[str, int]
) -> None:
    repairs = Repairs()

    assert repaired(given, KNOWN, repairs) == meant
    assert dict(repairs.counts) == counted


def test_evidence_counts_by_the_first_item_that_rests_on_it() -> None:
    found = Found([("D1:2",), ("D2:5", "D1:1"), ("D1:1",)])

    result = ranked(question("D1:1", "D11:26"), found)

    assert result.ranks == {"D1:1": 2, "D11:26": None}
    assert result.recall(("D1:1", "D11:26"), 1) == 0.0
    assert result.recall(("D1:1", "D11:26"), 2) == 0.5


def test_adversarial_and_unscorable_questions_do_not_count_with_the_answerable() -> None:
    hit, miss = Found([("D1:1",)]), Found([])
    results = [
        ranked(question("D1:1", category=1), hit),
        ranked(question("D1:1", category=4), miss),
        ranked(question("D1:1", category=5), hit),
        ranked(question(category=2), hit),
    ]

    summary = by_category(results, lambda asked: asked.evidence)

    assert {name: group["n"] for name, group in summary.items()} == {
        "1-4": 2,
        "1": 1,
        "4": 1,
        "5": 1,
    }
    assert summary["1-4"]["recall@5"] == 0.5


def test_audited_evidence_is_scored_beside_the_given() -> None:
    results = [ranked(question("D1:1", audited=("D1:2",)), Found([("D1:2",)]))]

    assert by_category(results, lambda asked: asked.evidence)["1-4"]["recall@5"] == 0.0
    assert by_category(results, lambda asked: asked.audited)["1-4"]["recall@5"] == 1.0


def test_an_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    values = [0.0, 1.0] * 50

    low, high = interval(values)

    assert low < 0.5 < high
    assert interval(values) == [low, high]


def test_percentiles_are_the_median_and_the_95th() -> None:
    assert percentiles([float(value) for value in range(101)]) == {"p50": 50.0, "p95": 95.0}


def test_a_file_gives_conversations_with_audited_questions(tmp_path: Path) -> None:
    sample = {
        "sample_id": "walk-1",
        "conversation": {
            "session_1_date_time": "1:56 pm on 29 February, 2024",
            "session_1": [
                {"speaker": "Ida", "dia_id": "D1:1", "text": "We saw a heron."},
                {"speaker": "Pau", "dia_id": "D1:2", "text": "A grey one."},
            ],
        },
        "qa": [
            {"question": "What did they see?", "category": 4, "evidence": ["D1:1"]},
            {"question": "Who?", "category": 3, "evidence": []},
        ],
    }
    data, audit = tmp_path / "data.json", tmp_path / "audit.json"
    data.write_text(json.dumps([sample]))
    audit.write_text(
        json.dumps(
            [
                {
                    "sample_id": "walk-1",
                    "question_id": "locomo_0_qa0",
                    "correct_evidence": ["D1:1", "D1:2"],
                }
            ]
        )
    )
    repairs = Repairs()

    [conversation] = load(data, audit, repairs)

    first, second = conversation.questions
    assert (first.id, first.evidence, first.audited) == (
        "walk-1/0",
        ("D1:1",),
        ("D1:1", "D1:2"),
    )
    assert second.evidence == ()
    assert repairs.counts["questions without evidence, not scored"] == 1
    assert [turn.content for turn in conversation.turns] == ["We saw a heron.", "A grey one."]


async def test_plain_bm25_ranks_by_rare_words_and_leaves_out_what_shares_none() -> None:
    said = ["We saw a heron today", "We saw the sea", "Nothing"]
    turns = [
        SaidTurn(text, speaker="Ida", metadata={"dia_id": f"D1:{place}"})
        for place, text in enumerate(said, start=1)
    ]
    conversation = Conversation("c", [SessionTurns("c", "s", turns)], [])
    asked = Question("c/0", 4, "Who saw herons?", (), ())
    system = Bm25System()
    await system.build(conversation)

    found = await system.search(conversation, asked, k=5)

    assert list(found.items) == [("D1:1",), ("D1:2",)]


def test_the_plain_systems_read_who_spoke_and_what_a_photo_shows() -> None:
    turn = SaidTurn("Look!", speaker="Pau", metadata={"caption": "a grey bird"})

    assert with_speaker(turn) == "Pau: Look!"
    assert with_caption(turn) == "Pau: Look! [photo: a grey bird]"
