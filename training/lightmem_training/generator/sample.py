"""A sample: people, months of sessions, and the questions on what was said."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any, Literal

from lightmem_training.generator import episodes
from lightmem_training.generator.frame import Frame
from lightmem_training.generator.library import Library, Split, load_library
from lightmem_training.generator.people import Persona, make_people
from lightmem_training.generator.questions import ask_about
from lightmem_training.generator.talk import Said, Talk

Mode = Literal["pair", "group", "assistant"]
#: The share of samples by language and by who talks.
_LANGUAGES = ("en",) * 16 + ("es",) * 2 + ("zh",) * 2
_MODES: tuple[Mode, ...] = ("pair",) * 15 + ("assistant",) * 3 + ("group",) * 2


@dataclass(frozen=True, slots=True)
class Options:
    """What is made.

    Attributes:
        sessions: The least and the most sessions of a conversation.
        questions: At most so many questions of a conversation.
        languages: Drawn from for each sample.
    """

    seed: int = 0
    split: Split = "train"
    sessions: tuple[int, int] = (10, 30)
    questions: int = 80
    languages: tuple[str, ...] = _LANGUAGES
    modes: tuple[Mode, ...] = _MODES


def make_samples(count: int, options: Options) -> Iterator[dict[str, Any]]:
    """So many samples; each depends on the seed, the split and its number alone."""
    for number in range(count):
        yield make_sample(number, options)


def make_sample(number: int, options: Options) -> dict[str, Any]:
    """The sample of a number, in LoCoMo's format with fields of our own."""
    rng = Random(f"{options.seed}/{options.split}/{number}")
    language = rng.choice(options.languages)
    mode = rng.choice(options.modes)
    library = load_library(language, options.split)
    people = make_people(
        library, rng, count={"pair": 2, "assistant": 1, "group": rng.randint(3, 4)}[mode],
        assistant=mode == "assistant",
    )  # fmt: skip
    talk = Talk(library, rng, people)
    conversation: dict[str, Any] = {
        "speaker_a": people[0].name, "speaker_b": people[1].name,
    }  # fmt: skip
    day = date(rng.randint(2019, 2025), rng.randint(1, 12), rng.randint(1, 28))
    for session in range(1, rng.randint(*options.sessions) + 1):
        talk.day = day
        _session(talk)
        at = datetime.combine(day, time(rng.randint(8, 22), rng.randint(0, 59)))
        conversation[f"session_{session}_date_time"] = _stamp(at)
        conversation[f"session_{session}"] = [_entry(turn) for turn in talk.sessions[-1]]
        day += timedelta(days=rng.choice([1, 3, 5, 7, 8, 10, 12, 14, 18, 25]))
    return {
        "sample_id": f"gen-{options.split}-{options.seed}-{number}",
        "language": language,
        "mode": mode,
        "conversation": conversation,
        "topics": talk.topics,
        "qa": ask_about(talk, limit=options.questions),
    }


def _session(talk: Talk) -> None:
    rng = talk.rng
    talk.sessions.append([])
    humans = [person for person in talk.people if not person.is_assistant]
    opener = rng.choice(humans)
    other = _other(talk, opener)
    greeting = Frame(talk.library, None, opener, other)
    lead = _greet(talk, greeting)
    for number in range(rng.choice([2, 3, 3, 4, 4, 5])):
        place = len(talk.sessions[-1]) + 1 if number else 1
        talk.topics.append(f"D{len(talk.sessions)}:{place}")
        _episode(talk, lead, _other(talk, lead), greet=number == 0)
        lead = lead if rng.random() < 0.35 else rng.choice(humans)
    if rng.random() < 0.8:
        leaving = Frame(talk.library, None, lead, _other(talk, lead))
        talk.write(lead, Said([talk.line(leaving, "bye")]))
        talk.write(leaving.other, Said([talk.line(leaving, "bye.back", view="you")]))


def _greet(talk: Talk, greeting: Frame) -> Persona:
    """Open the session; who tells first often does so in the breath of the greeting."""
    opener, other = greeting.subject, greeting.other
    hello = talk.line(greeting, "greet")
    if other.is_assistant:
        return opener
    draw = talk.rng.random()
    if draw < 0.4:
        talk.opening = (opener, hello)
        return opener
    talk.write(opener, Said([hello]))
    reply = talk.line(greeting, "greet.back", view="you")
    if draw < 0.75:
        talk.opening = (other, reply)
        return other
    talk.write(other, Said([reply]))
    return opener


def _other(talk: Talk, person: Persona) -> Persona:
    return talk.rng.choice([each for each in talk.people if each is not person])


def _episode(talk: Talk, lead: Persona, other: Persona, *, greet: bool) -> None:
    rng = talk.rng
    draw = rng.random()
    old = [frame for frame in talk.frames if frame.subject is lead and frame.other is other]
    planned = [
        fact.frame for fact in talk.facts if fact.kind == "plan" and fact.frame.subject is lead
    ]
    due = [frame for frame in planned if frame not in talk.frames]
    if draw < 0.08:
        episodes.small_talk(talk, lead, other)
    elif draw < 0.20 and old:
        changing = [frame for frame in old if episodes.may_change(talk, frame)]
        episodes.follow_up(talk, rng.choice(changing or old))
    elif draw < 0.30 and due:
        episodes.news(talk, rng.choice(due), first=greet)
    elif (frame := episodes.new_frame(talk, lead, other)) is None:
        episodes.small_talk(talk, lead, other)
    elif (
        draw < 0.40
        and frame.event
        and "chat" not in frame.event.flags
        and "bad" not in frame.event.flags
    ):
        episodes.plan(talk, frame)
    else:
        episodes.news(talk, frame, first=greet)
        if frame.event and not other.is_assistant and rng.random() < 0.14:
            mine = episodes.new_frame(talk, other, lead, frame.event)
            if mine:
                episodes.news(talk, mine, first=False)


def _entry(turn: Any) -> dict[str, str]:
    entry = {"speaker": turn.speaker.name, "dia_id": turn.dia_id, "text": turn.text}
    if turn.caption:
        entry["blip_caption"] = turn.caption
    return entry


def _stamp(at: datetime) -> str:
    half = "am" if at.hour < 12 else "pm"
    return f"{at.hour % 12 or 12}:{at.minute:02d} {half} on {at.day} {at.strftime('%B')}, {at.year}"


__all__ = ["Library", "Options", "make_sample", "make_samples"]
