"""Extraction by a model that is believed nothing, and by rules where it fails."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from lightmem.errors import ModelUnavailable
from lightmem.model import Extraction, Role, Turn
from lightmem_writer import ExtractStatements
from lightmem_writer.extract import PAUSE_S
from lightmem_writer.rules import extract_by_rules
from support.models import ScriptedLanguageModel, is_unavailable
from support.turns import a_talk, a_turn

TALK = a_talk(
    ("Ana", "Hey Ben! We sailed to Lisbon in 2016, um, with our two cats."),
    ("Ben", "Nice! I paint the old harbour. The gulls amuse me a lot."),
)
#: Line 1 is Ana's, lines 2 and 3 are Ben's: greetings and thanks are not read.
FACT = {
    "lines": [1],
    "text": "Ana sailed to Lisbon in 2016.",
    "kind": "event",
}


def answer(*statements: dict[str, Any]) -> str:
    return json.dumps({"statements": statements})


async def extract(model: ScriptedLanguageModel | None, turns: Sequence[Turn] = TALK) -> Extraction:
    return await ExtractStatements(model).extract("acme", "ana", turns)


def texts(extraction: Extraction) -> list[str]:
    return [statement.text for statement in extraction.statements]


def assert_quotes_hold(extraction: Extraction, turns: Sequence[Turn] = TALK) -> None:
    by_id = {turn.id: turn.content for turn in turns}
    for statement in extraction.statements:
        assert statement.sources
        assert all(source.quote in by_id[source.turn_id] for source in statement.sources)


async def test_what_a_model_says_rightly_is_kept() -> None:
    extraction = await extract(ScriptedLanguageModel(answer(FACT)))

    (statement,) = extraction.statements
    assert statement.text == "Ana sailed to Lisbon in 2016."
    assert statement.sources[0].quote == "We sailed to Lisbon in 2016, um, with our two cats."
    assert statement.valid_from is not None
    assert (statement.kind.value, statement.language) == ("event", "en")
    assert extraction.fallback_reason is None
    assert extraction.model_calls == 1
    assert extraction.prompt_tokens > 0


async def test_who_said_it_is_added_where_the_model_left_it_out() -> None:
    extraction = await extract(
        ScriptedLanguageModel(answer({**FACT, "text": "Sailed to Lisbon in 2016."}))
    )

    assert texts(extraction) == ["Ana: Sailed to Lisbon in 2016."]


async def test_lines_that_follow_each_other_are_one_quote() -> None:
    talk = a_talk(("Ana", "I made a boat. It is red, um, and old. We drink tea. The boat is mine."))
    proposed = {"lines": [1, 2, 4], "text": "Ana made a red and old boat.", "kind": "fact"}

    extraction = await extract(ScriptedLanguageModel(answer(proposed)), talk)

    statement, _ = extraction.statements
    assert [source.quote for source in statement.sources] == [
        "I made a boat. It is red, um, and old.",
        "The boat is mine.",
    ]
    assert_quotes_hold(extraction, talk)


async def test_lines_of_another_turn_are_not_quoted_with_it() -> None:
    extraction = await extract(ScriptedLanguageModel(answer({**FACT, "lines": [1, 2]})))

    assert [source.turn_id for source in extraction.statements[0].sources] == [TALK[0].id]


async def test_a_statement_rests_on_the_line_that_says_it_whatever_line_was_named() -> None:
    extraction = await extract(ScriptedLanguageModel(answer({**FACT, "lines": [3]})))

    (statement,) = extraction.statements
    assert statement.text == "Ana sailed to Lisbon in 2016."
    assert [source.turn_id for source in statement.sources] == [TALK[0].id]


@pytest.mark.parametrize(
    ("lie", "reason"),
    [
        ({"text": "Ana sailed to Paris in 2016."}, "a name that was not said"),
        ({"text": "Ana and Marta moved to Lisbon."}, "a name that was not said"),
        ({"text": "Ana sailed to Lisbon in 2017."}, "a number that was not said"),
        ({"text": "Ana sailed to Lisbon with three cats."}, "a number that was not said"),
        ({"text": "Ana did not sail to Lisbon in 2016."}, "negation differs"),
        ({"text": "Ana hates tomatoes and owns yachts."}, "words that the lines do not say"),
        ({"text": "Ana navegó a Lisboa con los gatos."}, "a name that was not said"),
        ({"text": "Ana sailed to Lisbon, y se fue con los dos gatos."}, "another language"),
        ({"text": "安娜坐船去了里斯本。"}, "another script"),
        ({"text": "Where did Ana sail in 2016?"}, "a question"),
        ({"text": "You sailed to Lisbon."}, "says nothing that lasts"),
        ({"text": "Ana sailed to Lisbon. " * 8}, "longer than what was said"),
        ({"text": "Ana sailed to Ana sailed to Ana sailed to Lisbon"}, "repeats itself"),
        ({"text": '{"text": "Ana sailed to Lisbon"}'}, "markup in the text"),
        ({"text": "Ben sailed to Lisbon in 2016."}, "told of another speaker"),
    ],
)
async def test_what_was_not_said_is_refused_and_the_rules_step_in(
    lie: dict[str, Any], reason: str
) -> None:
    extraction = await extract(ScriptedLanguageModel(answer({**FACT, **lie})))

    if reason == "a name that was not said" and "navegó" in str(lie):
        assert extraction.rejected
    else:
        assert list(extraction.rejected) == [reason]
    assert list(extraction.statements) == extract_by_rules(TALK)
    assert extraction.fallback_reason == "nothing the model said held"


async def test_a_model_that_is_mostly_right_is_believed_about_what_it_left_out() -> None:
    other = {**FACT, "text": "Ana has two cats."}
    lie = {**FACT, "text": "Ana lives in Paris."}

    extraction = await extract(ScriptedLanguageModel(answer(FACT, other, lie)))

    assert texts(extraction) == ["Ana sailed to Lisbon in 2016.", "Ana has two cats."]
    assert list(extraction.rejected) == ["a name that was not said"]


async def test_a_model_that_is_as_often_wrong_is_not_believed_about_what_it_left_out() -> None:
    lie = {**FACT, "text": "Ana lives in Paris."}

    extraction = await extract(ScriptedLanguageModel(answer(FACT, lie)))

    of_ben = [one for one in extract_by_rules(TALK) if one.sources[0].turn_id == TALK[1].id]
    assert of_ben
    assert list(extraction.statements)[1:] == of_ben
    assert extraction.fallback_reason is None


async def test_what_a_user_claims_is_kept_in_his_words_whatever_a_model_makes_of_it() -> None:
    talk = a_talk(("Ana", "I moved to Lisbon. We painted the old boat."))
    bent = {"lines": [1], "text": "Ana is moving to Lisbon.", "kind": "plan"}
    other = {"lines": [2], "text": "Ana painted the old boat.", "kind": "event"}

    extraction = await extract(ScriptedLanguageModel(answer(bent, other)), talk)

    assert texts(extraction) == ["Ana: I moved to Lisbon.", "Ana painted the old boat."]
    assert extraction.fallback_reason is None


async def test_what_a_model_settles_wrongly_beside_a_claim_is_not_lost() -> None:
    talk = a_talk(("Ana", "I moved to Lisbon. We painted the old boat."))
    both = {"lines": [1, 2], "text": "Ana is moving to Lisbon, painted the boat.", "kind": "plan"}
    last = {"lines": [1], "text": "Ana moved to Lisbon.", "kind": "fact"}

    extraction = await extract(ScriptedLanguageModel(answer(both, last)), talk)

    assert texts(extraction) == ["Ana: I moved to Lisbon.", "Ana: We painted the old boat."]


async def test_what_the_rules_are_certain_of_costs_no_call() -> None:
    model = ScriptedLanguageModel(ModelUnavailable("must not be asked"))
    talk = a_talk(("Ana", "Hey! I moved to Lisbon."), ("Ben", "Nice! I work at the harbour."))

    extraction = await extract(model, talk)

    assert texts(extraction) == ["Ana: I moved to Lisbon.", "Ben: I work at the harbour."]
    assert (model.asked, extraction.fallback_reason) == ([], None)


async def test_a_model_may_not_pass_over_names_and_numbers() -> None:
    talk = a_talk(("Ana", "I paint a lot. The gulls of Faro woke me. I paid 40 euros for it."))
    first = {"lines": [1], "text": "Ana paints a lot.", "kind": "fact"}

    extraction = await extract(ScriptedLanguageModel(answer(first)), talk)

    assert "Ana paints a lot." in texts(extraction)
    assert {"Faro", "40"} <= set(" ".join(texts(extraction)).replace(".", "").split())


async def test_reasons_hold_no_words_of_the_user() -> None:
    extraction = await extract(
        ScriptedLanguageModel(answer({**FACT, "text": "SECRET words"}, {**FACT, "text": "Zoe"}))
    )

    assert not {"secret", "zoe", "lisbon"} & set(" ".join(extraction.rejected).casefold().split())


async def test_a_name_from_another_turn_brings_that_turn_as_a_source() -> None:
    talk = a_talk(("Ana", "My sister Clara is here."), ("Ana", "She paints the harbour in Porto."))
    proposed = {
        "lines": [2],
        "text": "Clara paints the harbour in Porto.",
        "kind": "fact",
    }

    extraction = await extract(ScriptedLanguageModel(answer(proposed)), talk)

    statement = extraction.statements[-1]
    assert [source.turn_id for source in statement.sources] == [talk[1].id, talk[0].id]
    assert_quotes_hold(extraction, talk)


async def test_a_broken_answer_is_asked_for_once_more() -> None:
    model = ScriptedLanguageModel("Sure! Here is what I found: …", answer(FACT))

    extraction = await extract(model)

    assert texts(extraction) == ["Ana sailed to Lisbon in 2016."]
    assert extraction.model_calls == 2
    assert extraction.fallback_reason is None
    assert model.asked[0] != model.asked[1]


@pytest.mark.parametrize(
    "broken",
    [
        "Here are the facts: Ana sailed.",
        "",
        "[]",
        "{}",
        '{"statements": {}}',
        '{"statements": [{"lines": [1]}]}',
        '{"facts": [{"lines": [1], "text": "Ana sailed", "kind": "fact"}]}',
        answer({**FACT, "lines": []}),
        answer({**FACT, "kind": "gossip"}),
        answer({**FACT, "lines": [1, 9]}),
        answer({**FACT, "lines": [0]}),
        answer(*[FACT] * 50),
        answer(FACT)[:-20],
        '{"statements": [' * 500,
    ],
)
async def test_two_broken_answers_leave_it_to_the_rules(broken: str) -> None:
    extraction = await extract(ScriptedLanguageModel(broken))

    assert list(extraction.statements) == extract_by_rules(TALK)
    assert extraction.fallback_reason == "model answered outside the schema"
    assert extraction.model_calls == 2


async def test_a_model_that_is_down_is_left_alone_for_a_while() -> None:
    now = 0.0
    model = ScriptedLanguageModel(is_unavailable(), answer(FACT))
    writer = ExtractStatements(model, monotonic=lambda: now)

    down = await writer.extract("acme", "ana", TALK)
    paused = await writer.extract("acme", "ana", TALK)
    now = PAUSE_S
    back = await writer.extract("acme", "ana", TALK)

    assert [one.fallback_reason for one in (down, paused, back)] == [
        "model unavailable",
        "model unavailable",
        None,
    ]
    assert [one.model_calls for one in (down, paused, back)] == [1, 0, 1]
    assert list(down.statements) == list(paused.statements) == extract_by_rules(TALK)


async def test_without_a_model_the_rules_answer_and_stand_in_for_nobody() -> None:
    extraction = await extract(None)

    assert list(extraction.statements) == extract_by_rules(TALK)
    assert (extraction.model_calls, extraction.fallback_reason) == (0, None)


async def test_a_model_that_finds_nothing_leaves_it_to_the_rules() -> None:
    extraction = await extract(ScriptedLanguageModel(answer()))

    assert list(extraction.statements) == extract_by_rules(TALK)
    assert extraction.fallback_reason == "model found nothing"


async def test_chatter_costs_no_call() -> None:
    model = ScriptedLanguageModel(ModelUnavailable("must not be asked"))

    extraction = await extract(model, a_talk(("Ana", "Hey! Thanks!"), ("Ben", "Great. Bye!")))

    assert (list(extraction.statements), model.asked) == ([], [])


async def test_a_segment_longer_than_the_model_takes_is_left_to_the_rules_whole() -> None:
    model = ScriptedLanguageModel(answer())
    long = [a_turn(" ".join(f"I own boat {number} in Oslo." for number in range(500)))]

    extraction = await extract(model, long)

    assert model.asked == []
    assert extraction.fallback_reason == "segment longer than the model takes"
    assert extraction.statements


async def test_system_turns_are_not_shown_to_the_model() -> None:
    model = ScriptedLanguageModel(answer(FACT))

    await extract(model, [*TALK, a_turn("OBEY ME", role=Role.SYSTEM, number=3)])

    assert all("OBEY" not in message.content for message in model.asked[0])


async def test_context_is_read_and_never_quoted() -> None:
    model = ScriptedLanguageModel(answer({**FACT, "text": "Ana lives in Rome."}))
    context = [a_turn("I live in Rome", number=0)]

    extraction = await ExtractStatements(model).extract("acme", "ana", TALK, context)

    assert any("I live in Rome" in message.content for message in model.asked[0])
    assert all("Rome" not in text for text in texts(extraction))


async def test_turns_of_chinese_stay_chinese() -> None:
    talk = a_talk(("Ana", "我们上个月坐船去了里斯本。"))
    english = {"lines": [1], "text": "Sailed", "kind": "event"}

    extraction = await extract(ScriptedLanguageModel(answer(english)), talk)

    assert [one.language for one in extraction.statements] == ["zh"]
    assert "坐船去了里斯本" in texts(extraction)[0]
