"""What a model claims in general is believed where turns say it in general words, and else not."""

import json
from dataclasses import replace

import pytest

from lightmem.adapters.vocabulary import open_vocabulary
from lightmem.errors import InvalidModelOutput
from lightmem.model import Memory, Relation, Source, SuggestedClaim
from lightmem_consolidator.deidentify import Deidentify
from lightmem_consolidator.prompts import MOST_CLAIMS, batch_schema, parse_proposal
from lightmem_consolidator.suggested import NOT_GENERAL, NOT_SAID, Believed, believed
from support.dreams import known

OF = Deidentify(open_vocabulary())
IS_A, HAS, IMPLIES, RELATED = (
    Relation.IS_A,
    Relation.HAS_PROPERTY,
    Relation.IMPLIES,
    Relation.RELATED_TO,
)


def of_turns(*quotes: str, language: str = "en") -> Memory:
    """A memory with a turn for each of these quotes."""
    sources = [Source(f"t{number}", quote) for number, quote in enumerate(quotes)]
    return replace(known(quotes[0], language=language).memory, sources=sources)


def judge(memory: Memory, subject: str, relation: Relation, target: str) -> Believed:
    suggestion = SuggestedClaim([memory], subject, relation, target)
    return believed(suggestion, of=OF, min_turns=2)


@pytest.mark.parametrize(
    ("quotes", "subject", "relation", "target"),
    [
        (
            ("When we walk, garden soup usually makes me happy.", "A garden soup makes us happy."),
            "garden soup",
            IMPLIES,
            "happy",
        ),
        (
            ("I think wild winds are loud.", "any wind is really loud to me."),
            "wind",
            HAS,
            "loud",
        ),
        (
            ("For me a ukulele is the best instrument.", "Yes, a ukulele is an instrument."),
            "ukulele",
            IS_A,
            "instrument",
        ),
        (
            ("I always put honey in the tea.", "Honey goes well with tea, I find."),
            "honey",
            RELATED,
            "tea",
        ),
    ],
)
def test_a_claim_that_two_turns_say_is_believed_with_both_as_its_evidence(
    quotes: tuple[str, str], subject: str, relation: Relation, target: str
) -> None:
    found = judge(of_turns(*quotes), subject, relation, target)

    assert found.claim is not None
    assert (found.claim.subject.name, found.claim.relation) == (subject, relation)
    assert found.claim.target.name == target
    assert found.turns == {"t0", "t1"}


@pytest.mark.parametrize(
    ("quotes", "subject", "relation", "target", "reason"),
    [
        # What no turn, or one alone, says.
        (("Winds are calm.", "Winds are calm."), "wind", HAS, "loud", NOT_SAID),
        (("Winds are loud.", "I like tea."), "wind", HAS, "loud", NOT_SAID),
        # What turns deny, doubt or ask.
        (("Winds are not loud.", "A wind is never loud."), "wind", HAS, "loud", NOT_SAID),
        (("Are winds loud?", "Maybe winds are loud."), "wind", HAS, "loud", NOT_SAID),
        # The words are there, and the relation is not, or the other way round.
        (("Loud films have winds.",) * 2, "wind", HAS, "loud", NOT_SAID),
        (
            ("Tea helps with stress.", "Tea helps against stress."),
            "tea",
            IMPLIES,
            "stress",
            NOT_SAID,
        ),
        (("The film made the wind loud.",) * 2, "film", HAS, "loud", NOT_SAID),
        # Names, numbers, people and what nobody should know.
        (("Rex is calm.", "Rex is so calm."), "rex", HAS, "calm", NOT_GENERAL),
        (("Rex is calm.", "Rex is so calm."), "Rex", HAS, "calm", NOT_GENERAL),
        (("Room 42 is cold.", "Room 42 is so cold."), "room 42", HAS, "cold", NOT_GENERAL),
        (("My sister is calm.", "My sister is so calm."), "my sister", HAS, "calm", NOT_GENERAL),
        (("Insulin helps me.", "Insulin helps us."), "insulin", IMPLIES, "sleep", NOT_GENERAL),
        # A name that is spelt like a common word.
        (("I met Wind and Wind is calm.", "Later Wind is so calm."), "wind", HAS, "calm", NOT_SAID),
        (("Winds are loud.",) * 2, "wind", RELATED, "wind", NOT_GENERAL),
    ],
)
def test_what_turns_do_not_say_or_is_not_general_is_refused_with_the_reason(
    quotes: tuple[str, ...], subject: str, relation: Relation, target: str, reason: str
) -> None:
    found = judge(of_turns(*quotes), subject, relation, target)

    assert (found.claim, found.reason) == (None, reason)


def test_one_turn_quoted_twice_is_one_turn() -> None:
    memory = of_turns("Winds are loud.")
    memory = replace(memory, sources=[Source("t0", "Winds are loud."), Source("t0", "Winds.")])

    assert judge(memory, "wind", HAS, "loud").reason == NOT_SAID


def test_other_languages_are_not_read() -> None:
    memory = of_turns("Winds are loud.", "A wind is loud.", language="de")

    assert judge(memory, "wind", HAS, "loud").reason == NOT_SAID


def test_an_answer_may_claim_nothing_and_not_of_notes_that_are_not_there() -> None:
    notes = [known("Winds are loud.")]
    claim = {"notes": [1], "subject": "wind", "relation": "HasProperty", "target": "loud"}

    answered = parse_proposal(json.dumps({"steps": [], "claims": [claim]}), notes)

    assert [one.subject for one in answered.claims] == ["wind"]
    assert parse_proposal('{"steps": []}', notes).claims == []
    for wrong in ({**claim, "notes": [2]}, {**claim, "relation": "Owns"}, {**claim, "notes": []}):
        with pytest.raises(InvalidModelOutput):
            parse_proposal(json.dumps({"steps": [], "claims": [wrong]}), notes)
    assert batch_schema(1)["properties"]["claims"]["maxItems"] == MOST_CLAIMS
