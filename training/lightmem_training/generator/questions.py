"""Questions on the facts of a conversation, each with the turns that its answer rests on."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from lightmem_training.generator import dates, dates_elsewhere
from lightmem_training.generator.english import sentence_case
from lightmem_training.generator.frame import Frame, Unfilled
from lightmem_training.generator.grammar import Template, render
from lightmem_training.generator.library import Ask
from lightmem_training.generator.paraphrase import paraphrased
from lightmem_training.generator.people import Persona
from lightmem_training.generator.talk import Fact, Talk, Turn

#: The share of questions by category, as real annotators make them; the rest is category 5.
_SHARES = {1: 0.20, 2: 0.17, 3: 0.10, 4: 0.41}


@dataclass(slots=True)
class Question:
    """A question before it is written."""

    text: str
    answer: str
    category: int
    kind: str
    turns: Sequence[Turn]
    language: str
    about: Persona | None = None
    fact: Fact | None = None


#: A question with one of these says already what it is about.
_CONTEXT = re.compile(r"\b(after|when|about|during|for|with)\b")


def ask_about(talk: Talk, *, limit: int) -> list[dict[str, Any]]:
    """At most so many questions, in shares by category; duplicates and unclear ones left out."""
    found = [q for fact in talk.facts for q in _of_fact(talk, fact)]
    found += _lists(talk)
    talk.rng.shuffle(found)
    chosen: list[Question] = []
    for category, share in _SHARES.items():
        chosen += [q for q in found if q.category == category][: max(1, round(limit * share))]
    chosen += _traps(talk, chosen, count=round(limit * 0.12))
    seen: set[str] = set()
    written = []
    for question in chosen:
        if question.text.lower() not in seen:
            seen.add(question.text.lower())
            written.append(_entry(question))
    return written


def _of_fact(talk: Talk, fact: Fact) -> list[Question]:
    rng = talk.rng
    frame = fact.frame
    found: list[Question] = []
    if fact.facet is not None:
        asks = fact.facet.questions
        if fact.kind == "update":
            asks = tuple(Ask(line) for line in fact.facet.lines.get("uq", ())) or asks
        kind = "update" if fact.kind == "update" else "facet"
        found += _asked(talk, fact, asks, kind, fact.facet.category)
    elif frame.event is not None:
        if fact.when:
            pool = "q.plan" if fact.kind == "plan" else "q.when"
            asks = tuple(Ask(line) for line in talk.lines(pool))
            found += _asked(talk, fact, asks, fact.kind, 2, answer=fact.when.answer)
        if fact.kind == "tell":
            found += _asked(talk, fact, frame.event.questions, "event", 4)
            if fact.when and fact.when.first == fact.when.last and rng.random() < 0.08:
                found += _on_the_day(talk, fact)
    return found


def _asked(
    talk: Talk, fact: Fact, asks: Sequence[Ask], kind: str, category: int, *, answer: str = ""
) -> list[Question]:
    if not asks:
        return []
    ask = talk.rng.choice(asks)
    if fact.asked is not None and fact.asked in asks and talk.rng.random() < 0.35:
        ask = fact.asked
    frame, rng = fact.frame, talk.rng
    frame.facet = fact.facet
    try:
        text = frame.say(ask.template, rng, view="they", facet=fact.facet)
        text = _in_context(talk, fact, text)
        if ask.answer is not None:
            answer = frame.say(ask.answer, rng, view="they", facet=fact.facet)
        elif not answer:
            frame.view = "they"
            answer = frame.seen(fact.answer or frame.answer(rng, fact.facet))
    except Unfilled:
        return []
    turns = fact.turns
    if category == 3:
        turns = [turn for other in talk.facts if other.frame is frame for turn in other.turns]
    if kind == "update":
        turns = [turn for other in _changes(talk, fact) for turn in other.turns]
    question = _question(talk, frame, text, answer, category=category, kind=kind, turns=turns)
    question.fact = fact
    return [question]


def _in_context(talk: Talk, fact: Fact, text: str) -> str:
    """Now and then the question names what the fact was part of, or when it was told."""
    draw = talk.rng.random()
    told_of = fact.facet is None
    english = talk.library.language == "en"
    inferred = fact.facet is not None and fact.facet.category == 3
    if not english or inferred or fact.kind == "plan" or not text.endswith("?"):
        return text
    if draw < 0.06 and not told_of:
        return f"{text[:-1]} {talk.line(fact.frame, 'q.as_told')}?".replace(
            "MONTH", dates.month_text(fact.day)
        )
    if fact.circumstance and talk.rng.random() < (0.25 if told_of else 0.65):
        fact.frame.view = "they"
        given = fact.circumstance
        detail = given.synonym(talk.rng) if talk.rng.random() < 0.2 else given.text
        return f"{text[:-1]} {fact.frame.seen(detail)}?"
    timeless = fact.frame.event is None or "chat" in fact.frame.event.flags
    if (
        told_of
        or _CONTEXT.search(text)
        or timeless
        or draw > 0.36
        or fact.frame.subject.name not in text
    ):
        return text
    return f"{text[:-1]} {talk.line(fact.frame, 'q.context', view='they')}".rstrip() + "?"


def _changes(talk: Talk, fact: Fact) -> list[Fact]:
    """What was said first and what changed it."""
    subject = fact.frame.subject
    return [
        other
        for other in talk.facts
        if other.kind == "update" and other.facet is fact.facet and other.frame.subject is subject
    ]


def _on_the_day(talk: Talk, fact: Fact) -> list[Question]:
    frame, rng = fact.frame, talk.rng
    if fact.when is None:
        return []
    try:
        answer = frame.say(rng.choice(talk.lines("did")), rng, view="they")
        text = frame.say(rng.choice(talk.lines("q.day")), rng, view="they")
    except (Unfilled, IndexError):
        return []
    language = talk.library.language
    day = fact.when.first
    text = text.replace(
        "DAY", dates.day_text(day) if language == "en" else dates_elsewhere.day_text(language, day)
    )
    return [_question(talk, frame, text, answer, category=4, kind="day", turns=fact.turns)]


def _lists(talk: Talk) -> list[Question]:
    """Questions whose answer is a list, gathered over sessions, and what two people share."""
    groups: dict[tuple[int, str, str], list[tuple[str, Fact]]] = defaultdict(list)
    for fact in talk.facts:
        event = fact.frame.event
        if event is None or fact.facet is not None or fact.kind != "tell":
            continue
        for key, template in event.lists:
            tag, _, themed = key.partition("@")
            theme = fact.frame.theme.name if themed and fact.frame.theme else ""
            fact.frame.view = "they"
            try:
                item = render(template, fact.frame, talk.rng)
            except Unfilled:
                continue
            groups[id(fact.frame.subject), tag, theme].append((item, fact))
    found = []
    for (_, tag, _), members in groups.items():
        if len(members) > 1:
            found += _list(talk, tag, members)
    return found + _shared(talk, groups) + _entities(talk)


def _entities(talk: Talk) -> list[Question]:
    """Questions on all that was said of one person or one theme, over the sessions."""
    groups: dict[tuple[int, str, str], list[Fact]] = defaultdict(list)
    for fact in talk.facts:
        frame = fact.frame
        if fact.kind == "tell" and frame.theme is not None:
            groups[id(frame.subject), "theme", frame.theme.name].append(fact)
        kin = frame.values.get("kin")
        if kin and any(kin.text.lower() in turn.text.lower() for turn in fact.turns):
            groups[id(frame.subject), "kin", kin.text].append(fact)
    found = []
    for (_, tag, _), facts in groups.items():
        turns = list(dict.fromkeys(fact.turns[0] for fact in facts))
        lines = talk.lines(f"q.list.{tag}")
        if not lines or not 1 < len(turns) <= 6:
            continue
        frame = facts[0].frame
        text = talk.one_of(frame, lines, view="they")
        answer = "; ".join(dict.fromkeys(_summary(talk, fact) for fact in facts))
        if text:
            found.append(_question(talk, frame, text, answer, category=1, kind="list", turns=turns))
    return found


def _summary(talk: Talk, fact: Fact) -> str:
    """A fact in a few words, for the answer of a list."""
    if fact.answer:
        fact.frame.view = "they"
        return fact.frame.seen(fact.answer)
    return talk.one_of(fact.frame, talk.lines("did"), view="they") or "it came up"


def _list(talk: Talk, tag: str, members: list[tuple[str, Fact]]) -> list[Question]:
    found = []
    frame = members[0][1].frame
    turns = [fact.turns[0] for _, fact in members]
    answer = ", ".join(dict.fromkeys(item for item, _ in members))
    for prefix, given in [
        ("q.list.", answer),
        ("q.count.", str(len(members))),
        ("q.infer.", answer),
    ]:
        lines = talk.lines(prefix + tag)
        for line in talk.rng.sample(lines, min(len(lines), 2)):
            try:
                text = frame.say(line, talk.rng, view="they")
            except Unfilled:
                continue
            if prefix == "q.infer.":
                found.append(
                    _question(
                        talk, frame, text, given, category=3, kind="inference", turns=turns[:3]
                    )
                )
            else:
                found.append(
                    _question(talk, frame, text, given, category=1, kind="list", turns=turns)
                )
    return found


def _shared(
    talk: Talk, groups: dict[tuple[int, str, str], list[tuple[str, Fact]]]
) -> list[Question]:
    """What both have: the same kind of thing in two lives, or the very same thing."""
    found = []
    first, second = talk.people[0], talk.people[1]
    for (owner, tag, theme), members in groups.items():
        others = groups.get((id(second), tag, theme))
        lines = talk.lines(f"q.both.{tag}")
        if owner != id(first) or not others or not lines:
            continue
        mine, theirs = members[:2], others[:2]
        turns = [fact.turns[0] for _, fact in [*mine, *theirs]]
        frame = mine[0][1].frame
        try:
            text = frame.say(talk.rng.choice(lines), talk.rng, view="they")
        except Unfilled:
            continue
        answer = "; ".join(item for item, _ in [*mine, *theirs])
        found.append(_question(talk, frame, text, answer, category=1, kind="both", turns=turns))
    return found


def _traps(talk: Talk, asked: Sequence[Question], *, count: int) -> list[Question]:
    """Questions put of the wrong person: nothing that was said answers them."""
    found: list[Question] = []
    pool = [q for q in asked if q.category == 4 and q.kind in {"facet", "event"}]
    for question in talk.rng.sample(pool, len(pool)):
        if len(found) >= count:
            break
        about = question.about
        others = [
            person for person in talk.people if person is not about and not person.is_assistant
        ]
        if about is None or not others or about.name not in question.text:
            continue
        wrong = talk.rng.choice(others)
        if (
            wrong.name in question.text
            or _speaks_of(about, question.text)
            or _told(talk, wrong, question)
        ):
            continue
        text = question.text.replace(about.name, wrong.name)
        found.append(Question(text, question.answer, 5, "wrong person", [], question.language))
    return found


def _speaks_of(person: Persona, text: str) -> bool:
    """Whether pronouns would give the right person away."""
    pronouns = person.pronouns
    words = {pronouns.subject, pronouns.object, pronouns.possessive, pronouns.reflexive}
    return not words.isdisjoint(re.findall(r"\w+", text.lower()))


def _told(talk: Talk, person: Persona, question: Question) -> bool:
    """Whether the person said anything of the same kind, so that the question has an answer."""
    event = question.fact.frame.event if question.fact else None
    return any(fact.frame.subject is person and fact.frame.event is event for fact in talk.facts)


def _question(
    talk: Talk,
    frame: Frame,
    text: str,
    answer: str,
    *,
    category: int,
    kind: str,
    turns: Sequence[Turn],
) -> Question:
    language = talk.library.language
    if text.startswith("EN "):
        text, language = text[3:], "en"
    if language == "en":
        text = _agreed(paraphrased(talk.library, sentence_case(text), talk.rng))
        if any(person.is_assistant for person in talk.people) and talk.rng.random() < 0.7:
            text = _of_me(text, frame)
    return Question(text, answer, category, kind, turns, language, frame.subject)


_AGREE = (
    ("does they", "do they"), ("has they", "have they"), ("was they", "were they"),
    ("is they", "are they"), ("they has", "they have"), ("they was", "they were"),
    ("they is", "they are"), ("they does", "they do"), ("Does they", "Do they"),
)  # fmt: skip
_MINE = (
    ("does I", "do I"), ("Does I", "Do I"), ("has I", "have I"), ("is I", "am I"), ("I's", "my"),
    ("I has", "I have"), ("I is", "I am"), ("Has I", "Have I"), ("Is I", "Am I"),
)  # fmt: skip


def _agreed(text: str) -> str:
    for wrong, right in _AGREE:
        text = text.replace(wrong, right)
    return text


def _of_me(text: str, frame: Frame) -> str:
    """A question as the user asks it of their own memory."""
    pronouns = frame.subject.pronouns
    text = text.replace(frame.subject.name, "I")
    text = re.sub(rf"\b{pronouns.subject}\b", "I", text)
    text = re.sub(rf"\b{pronouns.possessive}\b", "my", text)
    for wrong, right in _MINE:
        text = text.replace(wrong, right)
    return text


def _entry(question: Question) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "question": question.text,
        "answer": question.answer,
        "evidence": list(dict.fromkeys(turn.dia_id for turn in question.turns)),
        "category": question.category,
        "kind": question.kind,
        "language": question.language,
    }
    if question.category == 5:
        entry["adversarial_answer"] = entry.pop("answer")
    return entry


__all__ = ["Question", "Random", "Template", "ask_about"]
