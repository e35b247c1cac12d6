"""The generator's promises: true evidence, dates that resolve, splits that share nothing."""

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from lightmem.ingest import Format, parse
from lightmem_evaluation.locomo import Repairs, load
from lightmem_training.generator import (
    Options,
    dates,
    dates_elsewhere,
    load_library,
    make_sample,
    make_samples,
)
from lightmem_training.generator.english import HE, SHE, YOU, gerund, of_person, past, with_article
from lightmem_training.generator.grammar import Slot, render
from lightmem_training.generator.grammar import parse as parse_template
from lightmem_training.generator.values import parse_value

Sample = dict[str, Any]
LANGUAGES = ("en", "es", "zh")


def turns_of(sample: Sample) -> dict[str, dict[str, str]]:
    sessions = [value for value in sample["conversation"].values() if isinstance(value, list)]
    return {turn["dia_id"]: turn for session in sessions for turn in session}


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


@pytest.fixture(scope="module", params=LANGUAGES)
def samples(request: pytest.FixtureRequest) -> list[Sample]:
    options = Options(seed=3, languages=(request.param,), sessions=(6, 9))
    return list(make_samples(4, options))


@pytest.fixture(scope="module")
def english() -> list[Sample]:
    return list(
        make_samples(8, Options(seed=5, languages=("en",), modes=("pair",), sessions=(8, 12)))
    )


def questions(samples: list[Sample]) -> Iterator[tuple[Sample, dict[str, Any]]]:
    return ((sample, question) for sample in samples for question in sample["qa"])


def test_evidence_names_turns_of_the_conversation(samples: list[Sample]) -> None:
    for sample, question in questions(samples):
        assert set(question["evidence"]) <= turns_of(sample).keys()


def test_only_questions_on_what_was_not_said_lack_evidence(samples: list[Sample]) -> None:
    for _, question in questions(samples):
        assert bool(question["evidence"]) == (question["category"] != 5)


def test_every_kind_of_question_is_asked(english: list[Sample]) -> None:
    kinds = {question["kind"] for _, question in questions(english)}
    categories = {question["category"] for _, question in questions(english)}

    assert categories == {1, 2, 3, 4, 5}
    assert kinds >= {"tell", "plan", "facet", "event", "list", "both", "inference", "wrong person"}


def test_the_words_of_an_answer_occur_in_its_evidence(english: list[Sample]) -> None:
    held = []
    for sample, question in questions(english):
        if question["kind"] == "facet" and question["category"] == 4:
            turns = turns_of(sample)
            said = " ".join(
                f"{turns[turn]['text']} {turns[turn].get('blip_caption', '')}"
                for turn in question["evidence"]
            )
            known = words(said)
            answer = {word for word in words(question["answer"]) if len(word) > 3}
            held.append(len(answer & known) >= 0.5 * len(answer))

    assert len(held) > 100
    # A slip of the keys may spoil a word now and then.
    assert sum(held) / len(held) > 0.95


def test_lists_and_shared_things_rest_on_several_turns(english: list[Sample]) -> None:
    for _, question in questions(english):
        if question["kind"] in {"list", "both"}:
            assert len(question["evidence"]) > 1


def test_a_trap_names_a_speaker(english: list[Sample]) -> None:
    for sample, question in questions(english):
        if question["category"] == 5:
            conversation = sample["conversation"]
            names = {conversation["speaker_a"], conversation["speaker_b"]}
            assert any(name in question["question"] for name in names)
            assert "answer" not in question


def test_no_slot_or_bracket_is_left_unfilled(samples: list[Sample]) -> None:
    for sample in samples:
        texts = [turn["text"] for turn in turns_of(sample).values()]
        texts += [turn.get("blip_caption", "") for turn in turns_of(sample).values()]
        texts += [question["question"] for question in sample["qa"]]
        assert not [text for text in texts if re.search(r"[{}\[\]|]", text)]
        assert all(turn["text"].strip() for turn in turns_of(sample).values())


def test_the_same_seed_makes_the_same_samples() -> None:
    options = Options(seed=11, sessions=(4, 6))

    assert list(make_samples(3, options)) == list(make_samples(3, options))


def test_a_sample_depends_on_its_number_alone() -> None:
    options = Options(seed=11, sessions=(4, 6))

    assert make_sample(2, options) == list(make_samples(3, options))[2]


def test_seeds_and_splits_differ() -> None:
    first = make_sample(0, Options(seed=1, sessions=(4, 4)))
    second = make_sample(0, Options(seed=2, sessions=(4, 4)))
    held_out = make_sample(0, Options(seed=1, split="valid", sessions=(4, 4)))

    assert first["conversation"] != second["conversation"]
    assert first["conversation"] != held_out["conversation"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_splits_share_no_line_that_can_be_held_out(language: str) -> None:
    train, valid = load_library(language, "train"), load_library(language, "valid")

    assert train.texts
    assert valid.texts
    assert not train.texts & valid.texts


def test_splits_share_no_name_and_no_theme() -> None:
    train, valid = load_library("en", "train"), load_library("en", "valid")

    for pool in ("names.she", "names.he", "dish", "town"):
        assert not set(train.values[pool]) & set(valid.values[pool])
    for kind in ("hobby", "job", "cause"):
        assert not {t.name for t in train.themes[kind]} & {t.name for t in valid.themes[kind]}


def test_the_evaluation_reads_what_is_written(tmp_path: Path) -> None:
    sample = make_sample(0, Options(seed=4, languages=("en",), sessions=(5, 5)))
    file = tmp_path / "generated.json"
    file.write_text(json.dumps([sample]), encoding="utf-8")
    repairs = Repairs()

    [conversation] = load(file, None, repairs)

    assert len(conversation.turns) == len(turns_of(sample))
    assert len(conversation.questions) == len(sample["qa"])
    assert not [
        kind for kind in repairs.counts if "mended" in kind or "without" in kind.split()[-1:]
    ]
    assert not parse(file.read_text(encoding="utf-8"), Format.LOCOMO, name="generated").faults


@pytest.mark.parametrize("seed", range(40))
def test_past_dates_lie_before_the_talk_and_future_ones_after(seed: int) -> None:
    day = date(2024, 3, 1) + timedelta(days=seed * 9)

    before, after = dates.past(day, Random(seed)), dates.future(day, Random(seed))

    assert before.first <= before.last <= day
    assert day < after.first <= after.last or after.said.startswith("in ")


@pytest.mark.parametrize("language", ["es", "zh"])
@pytest.mark.parametrize("seed", range(20))
def test_dates_elsewhere_lie_on_the_right_side_too(language: str, seed: int) -> None:
    day = date(2023, 1, 15) + timedelta(days=seed * 20)

    before = dates_elsewhere.past(language, day, Random(seed))
    after = dates_elsewhere.future(language, day, Random(seed))

    assert before.first <= before.last <= day
    assert day < after.first <= after.last


def test_yesterday_is_the_day_before() -> None:
    day = date(2024, 3, 1)
    drawn = [dates.past(day, Random(seed)) for seed in range(300)]

    yesterdays = [when for when in drawn if when.said == "yesterday"]

    assert yesterdays
    assert all(when.answer == "29 February 2024" for when in yesterdays)


@pytest.mark.parametrize(
    ("phrase", "past_form", "gerund_form"),
    [
        ("join a class", "joined a class", "joining a class"),
        ("bake bread", "baked bread", "baking bread"),
        ("stop smoking", "stopped smoking", "stopping smoking"),
        ("carry a box", "carried a box", "carrying a box"),
        ("go home", "went home", "going home"),
        ("lie down", "lied down", "lying down"),
    ],
)
def test_verb_phrases_bend_at_the_verb(phrase: str, past_form: str, gerund_form: str) -> None:
    assert (past(phrase), gerund(phrase)) == (past_form, gerund_form)


def test_first_person_turns_to_the_person_meant() -> None:
    assert of_person("I gave my dog to us", SHE) == "she gave her dog to them"
    assert of_person("my own myself", HE) == "his own himself"
    assert of_person("my dog likes me", YOU) == "your dog likes you"


def test_nouns_take_the_article_of_their_sound() -> None:
    assert [with_article(noun) for noun in ("oak bench", "uniform", "hour", "my dog")] == [
        "an oak bench", "a uniform", "an hour", "my dog",
    ]  # fmt: skip


def test_a_value_knows_its_synonyms_and_wider_words() -> None:
    value = parse_value("salad bowl = serving bowl < dish, vessel")

    assert value.text == "salad bowl"
    assert value.synonyms == ("serving bowl",)
    assert value.hypernyms == ("dish", "vessel")
    assert {value.asked(Random(seed)) for seed in range(60)} == {
        "salad bowl", "serving bowl", "dish", "vessel",
    }  # fmt: skip


def test_templates_draw_choices_and_fill_slots() -> None:
    class Words:
        def fill(self, slot: Slot, rng: Random) -> str:
            return f"<{slot.name}:{','.join(slot.modifiers)}>"

    template = parse_template("[a|b [c|d]] {pet.q.a}!")

    written = {render(template, Words(), Random(seed)) for seed in range(40)}

    assert written == {"a <pet:q,a>!", "b c <pet:q,a>!", "b d <pet:q,a>!"}


@pytest.mark.parametrize("text", ["[a|b", "a]b", "{x"])
def test_unbalanced_templates_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"unbalanced|unclosed|substring"):
        parse_template(text)


def test_a_thousand_conversations_a_minute_is_within_reach() -> None:
    options = Options(seed=9, languages=("en",), sessions=(4, 6))

    assert sum(len(turns_of(sample)) for sample in make_samples(30, options)) > 30 * 40
