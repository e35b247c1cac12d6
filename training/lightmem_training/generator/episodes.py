"""Episodes: stretches of a session in which one leads with news and the other draws it out."""

from collections.abc import Sequence
from random import Random

from lightmem_training.generator import english
from lightmem_training.generator.frame import Frame
from lightmem_training.generator.grammar import slots
from lightmem_training.generator.library import Event, Facet, Theme
from lightmem_training.generator.people import Persona
from lightmem_training.generator.talk import Fact, Said, Talk

#: How often a fact comes with an odd detail of where or how.
_DETAILED = 0.5


def new_frame(
    talk: Talk, lead: Persona, other: Persona, event: Event | None = None
) -> Frame | None:
    """An event that the lead has not told yet, with its theme; none where they have told all."""
    rng = talk.rng
    for _ in range(12):
        drawn = event or rng.choice(talk.library.events)
        if event is None and "rare" in drawn.flags and rng.random() < 0.6:
            continue
        theme = _theme(drawn, lead, rng)
        key = (drawn.name, theme.name if theme else "")
        if (theme is None and _theme_kinds(drawn)) or (
            key in lead.told and "many" not in drawn.flags
        ):
            if event:
                return None
            continue
        exclusive = {(flag, "") for flag in drawn.flags if flag.startswith("x-")}
        if not exclusive.isdisjoint(lead.told):
            if event:
                return None
            continue
        lead.told |= {key, *exclusive}
        values = {"act": theme.slots["act"][0]} if theme and "act" in theme.slots else {}
        return Frame(talk.library, drawn, lead, other, theme, values)
    return None


def _theme_kinds(event: Event) -> list[str]:
    return [] if event.kind == "life" else event.kind.split("/")


def _theme(event: Event, lead: Persona, rng: Random) -> Theme | None:
    known = [
        theme
        for kind in _theme_kinds(event)
        for theme in lead.themes_of(kind)
        if "craft" not in event.flags or "craft" in theme.slots
    ]
    return rng.choice(known) if known else None


def news(talk: Talk, frame: Frame, *, first: bool) -> None:
    """The lead tells what happened, and is asked about it."""
    rng = talk.rng
    event = frame.event
    if event is None:
        return
    talk.frames.append(frame)
    if event.lines.get("ask") and (not event.lines.get("tell") or rng.random() < 0.6):
        bridge = "" if first else talk.line(frame, "bridge.ask", view="you")
        ask = talk.one_of(frame, event.lines["ask"], view="you")
        talk.write(frame.other, Said([bridge, ask], frame=frame))
    elif not first and rng.random() < 0.45:
        talk.write(frame.other, Said([_ask_for_news(talk, frame)], frame=frame))
    facets = _facets(talk, frame)
    said = Said(frame=frame, caption=_caption(talk, frame, 0.3))
    said.parts.append("" if first and rng.random() < 0.7 else talk.line(frame, "bridge.tell"))
    tell(talk, frame, said)
    while facets and rng.random() < 0.3:
        _state(talk, frame, facets.pop(), said, asked=False)
    if rng.random() < 0.2:
        _aside(talk, frame, said)
    if rng.random() < 0.1:
        said.parts.append(talk.line(frame, "back"))
    talk.write(frame.subject, said)
    draw_out(talk, frame, facets)


def _ask_for_news(talk: Talk, frame: Frame) -> str:
    """What invites the news: anything new, anything of the theme, or of the list it belongs to."""
    rng = talk.rng
    tags = [key.partition("@")[0] for key, _ in frame.event.lists] if frame.event else []
    lists = talk.lines(f"q.list.{rng.choice(tags)}") if tags else ()
    if lists and talk.library.language == "en" and rng.random() < 0.5:
        return english.asked_directly(talk.one_of(frame, lists, view="ask"))
    pool = "ask.news.theme" if frame.theme and rng.random() < 0.5 else "ask.news"
    return talk.line(frame, pool, view="you")


def tell(talk: Talk, frame: Frame, said: Said) -> None:
    """The sentence with the news itself, as a fact with its time."""
    event = frame.event
    if event is None:
        return
    timeless = "chat" in event.flags
    frame.when = None if timeless else talk.past()
    own = event.lines.get("tell", ())
    shared = () if timeless else talk.lines("tell.bad" if "bad" in event.flags else "tell")
    text = talk.one_of(
        frame, own if own and (timeless or talk.rng.random() < 0.5) else shared or own
    )
    if not text:
        return
    if frame.when and frame.when.said not in text:
        frame.when = None
    said.parts.append(text)
    said.parts.append(_label(talk, frame))
    said.facts.append(Fact("tell", frame, None, frame.when, talk.day, []))
    _circumstance(talk, frame, said)


def _circumstance(talk: Talk, frame: Frame, said: Said) -> None:
    """The odd detail with the fact, as a later question may recall it; the last one is kept."""
    frame.values.pop("circ", None)
    if talk.rng.random() > _DETAILED:
        return
    text = talk.line(frame, "circ.say")
    if text:
        said.parts.append(text)
        said.facts[-1].circumstance = frame.values.get("circ")


def _label(talk: Talk, frame: Frame) -> str:
    """Now and then a word for the kind of thing that was told, as a later list will name it."""
    tags = [key.partition("@")[0] for key, _ in frame.event.lists] if frame.event else []
    if not tags or talk.rng.random() > 0.75:
        return ""
    return talk.line(frame, f"label.{talk.rng.choice(tags)}")


def plan(talk: Talk, frame: Frame) -> None:
    """The lead says what they mean to do, and when; it may come to pass in a later session."""
    frame.when = talk.future()
    text = talk.line(frame, "plan")
    if not text:
        return
    said = Said([talk.line(frame, "bridge.tell"), text], frame=frame)
    said.facts.append(Fact("plan", frame, None, frame.when, talk.day, []))
    talk.write(frame.subject, said)
    talk.write(frame.other, Said([talk.line(frame, "react.plan", view="you")], frame=frame))
    if talk.rng.random() < 0.5:
        talk.write(frame.subject, Said([talk.line(frame, "thanks")], frame=frame))


def follow_up(talk: Talk, frame: Frame) -> None:
    """The other asks how an old matter stands; something new of it is said, or nothing."""
    rng = talk.rng
    talk.write(frame.other, Said([talk.line(frame, "followup", view="you")], frame=frame))
    said = Said([talk.line(frame, "still")], frame=frame, caption=_caption(talk, frame, 0.15))
    told = [
        fact for fact in talk.facts if fact.frame is frame and fact.kind == "facet" and fact.facet
    ]
    updates = [fact for fact in told if fact.facet and fact.facet.lines.get("u")]
    if updates and rng.random() < 0.7:
        _update(talk, frame, rng.choice(updates), said)
    elif told and rng.random() < 0.3:
        _again(talk, frame, rng.choice(told), said)
    talk.write(frame.subject, said)
    draw_out(talk, frame, _facets(talk, frame)[:2])


def may_change(talk: Talk, frame: Frame) -> bool:
    """Whether something told of the event can be told to have changed."""
    return any(
        fact.frame is frame and fact.kind == "facet" and fact.facet and fact.facet.lines.get("u")
        for fact in talk.facts
    )


def small_talk(talk: Talk, lead: Persona, other: Persona) -> None:
    """An exchange about nothing, or about the lead's theme without anything new."""
    theme = talk.rng.choice(lead.themes) if lead.themes else None
    values = {"act": theme.slots["act"][0]} if theme and "act" in theme.slots else {}
    frame = Frame(talk.library, None, lead, other, theme, values)
    themed = theme is not None and talk.rng.random() < 0.6
    opening = talk.line(frame, "fill.theme" if themed else "chatter")
    caption = _caption(talk, frame, 0.3) if themed else None
    talk.write(lead, Said([talk.line(frame, "bridge.tell"), opening], frame=frame, caption=caption))
    reply = talk.line(frame, "fill.theme.other" if themed else "chatter.reply", view="you")
    talk.write(other, Said([reply], frame=frame))


def draw_out(talk: Talk, frame: Frame, facets: Sequence[Facet]) -> None:
    """The other reacts and asks, the lead answers, once for each facet."""
    rng = talk.rng
    for facet in facets:
        by_other = bool(facet.lines.get("r"))
        ask = "" if by_other or rng.random() < 0.12 else _ask(talk, frame, facet)
        echo = by_other and not frame.other.is_assistant and rng.random() < 0.7
        opening = talk.line(frame, "react.echo", view="you") if echo else _reaction(talk, frame)
        reply = Said([opening], frame=frame)
        if rng.random() < 0.16 and not frame.other.is_assistant:
            reply.caption = talk.one_of(frame, talk.lines("photo.any"))
            reply.parts.append(talk.line(frame, "react.photo"))
        if by_other:
            _state(talk, frame, facet, reply, asked=False, key="r")
        reply.parts.append(ask)
        talk.write(frame.other, reply)
        said = Said(frame=frame, caption=_caption(talk, frame, 0.22))
        if rng.random() < 0.5:
            said.parts.append(talk.line(frame, "thanks" if not ask else "yes"))
        if not by_other:
            _state(talk, frame, facet, said, asked=bool(ask))
        if rng.random() < 0.06:
            _aside(talk, frame, said)
        talk.write(frame.subject, said)
    if rng.random() < 0.75:
        talk.write(frame.other, Said([_reaction(talk, frame)], frame=frame))
        if rng.random() < 0.4:
            talk.write(frame.subject, Said([talk.line(frame, "thanks")], frame=frame))


def _ask(talk: Talk, frame: Frame, facet: Facet) -> str:
    """What the other asks: short, or with the matter in it, as a later question may put it."""
    if facet.questions and talk.library.language == "en" and talk.rng.random() < 0.6:
        ask = talk.rng.choice(facet.questions)
        text = talk.one_of(frame, [ask.template], view="ask", facet=facet)
        if text:
            frame.asked[facet.name] = ask
            return english.asked_directly(text)
    return talk.one_of(frame, facet.lines.get("a", ()), view="you", facet=facet)


def _facets(talk: Talk, frame: Frame) -> list[Facet]:
    """Facets of the event that are still untold, its own before those that any event has."""
    rng = talk.rng
    told = {fact.facet.name for fact in talk.facts if fact.frame is frame and fact.facet}
    event = frame.event
    own = [facet for facet in event.facets if facet.name not in told] if event else []
    timeless = event is not None and "chat" in event.flags
    shared = (
        []
        if timeless
        else [f for f in talk.library.facets if f.name not in told and _suits(f, frame)]
    )
    count = rng.choice([0, 1, 1, 2, 2, 3, 4])
    chosen = rng.sample(own, min(len(own), count))
    spare = count - len(chosen) + (rng.random() < 0.35)
    chosen += rng.sample(shared, min(len(shared), max(spare, 0)))
    rng.shuffle(chosen)
    return chosen


def _suits(facet: Facet, frame: Frame) -> bool:
    """Whether a shared facet fits: some only good news, some only bad, some only with a theme."""
    tone = facet.name.partition("@")[2]
    flags = frame.event.flags if frame.event else frozenset()
    if tone == "theme":
        return frame.theme is not None and frame.theme.kind == "hobby"
    return not tone or (tone == "bad") == ("bad" in flags)


def _state(
    talk: Talk, frame: Frame, facet: Facet, said: Said, *, asked: bool, key: str | None = None
) -> None:
    """The sentence that states a facet, elliptical where it was asked for."""
    lines = facet.lines
    if key is None:
        short = lines.get("e", ())
        key = "e" if asked and short and (talk.rng.random() < 0.3 or not lines.get("s")) else "s"
        if not asked and lines.get("i") and talk.rng.random() < 0.5:
            key = "i"
    text = talk.one_of(frame, lines.get(key, ()), facet=facet, view="you" if key == "r" else "I")
    if not text:
        return
    if lines.get("p") and said.caption is None and talk.rng.random() < 0.3:
        said.caption = talk.one_of(frame, lines["p"], facet=facet)
        if talk.rng.random() < 0.5:
            text = talk.line(frame, "look")
    said.parts.append(text)
    if key != "r" and (key == "e" or talk.rng.random() < 0.75):
        said.parts.append(_restated(talk, frame))
    answer = frame.answers.get(facet.name, "")
    ask_before = frame.asked.get(facet.name) if asked else None
    said.facts.append(Fact("facet", frame, facet, None, talk.day, [], answer, asked=ask_before))
    if key != "r":
        _circumstance(talk, frame, said)


def _restated(talk: Talk, frame: Frame) -> str:
    """The matter named once more, as people do when they answer at length."""
    event = frame.event
    if event is None or talk.rng.random() < 0.15:
        return ""
    if "chat" in event.flags:
        return talk.line(frame, "restate.chat")
    return talk.line(frame, "restate.bad" if "bad" in event.flags else "restate")


def _again(talk: Talk, frame: Frame, fact: Fact, said: Said) -> None:
    """The same fact in other words: its turn is evidence too."""
    if fact.facet is None or not fact.facet.lines.get("s"):
        return
    text = talk.one_of(frame, fact.facet.lines["s"], facet=fact.facet)
    if text:
        said.parts.append(text)
        said.facts.append(fact)


def _update(talk: Talk, frame: Frame, fact: Fact, said: Said) -> None:
    """What has changed since it was said: a new value for the same facet."""
    facet = fact.facet
    if facet is None:
        return
    kept = dict(frame.values)
    changed = Frame(frame.library, frame.event, frame.subject, frame.other, frame.theme, kept)
    for name in _value_names(facet):
        changed.values.pop(name, None)
    text = talk.one_of(changed, facet.lines["u"], facet=facet)
    answer = changed.answers.get(facet.name, "")
    if not text or answer == fact.answer:
        return
    said.parts.append(text)
    said.facts.append(Fact("update", changed, facet, None, talk.day, [], answer))
    fact.kind = "update"
    said.facts[-1].answer = answer


def _value_names(facet: Facet) -> set[str]:
    return {slot.name for template in facet.lines.get("v", ()) for slot in slots(template)}


def _aside(talk: Talk, frame: Frame, said: Said) -> None:
    """A small fact in passing, within a turn about something else."""
    chat = [
        event for event in talk.library.events if "chat" in event.flags and event.kind == "life"
    ]
    if not chat:
        return
    aside = new_frame(talk, frame.subject, frame.other, talk.rng.choice(chat))
    if aside is None:
        return
    before = len(said.parts)
    said.parts.append(talk.line(aside, "passing"))
    tell(talk, aside, said)
    if len(said.parts) == before + 1:
        said.parts.pop()


def _reaction(talk: Talk, frame: Frame) -> str:
    bad = frame.event is not None and "bad" in frame.event.flags
    if frame.other.is_assistant:
        return talk.line(frame, "react.assistant", view="you")
    if "circ" in frame.values and talk.rng.random() < 0.3:
        return talk.line(frame, "react.circ", view="you")
    draw = talk.rng.random()
    if draw < 0.30 and frame.facet is not None and frame.facet.name in frame.answers:
        # The other's words come back without being what was asked for: the hardest of negatives.
        return talk.line(frame, "react.value", view="you")
    pool = "react.echo" if draw < 0.38 else ("react.bad" if bad else "react.good")
    return talk.line(frame, pool, view="you") or talk.line(frame, "react.good", view="you")


def _caption(talk: Talk, frame: Frame, chance: float) -> str | None:
    if talk.rng.random() > chance:
        return None
    lines = frame.event.lines.get("photo", ()) if frame.event else ()
    text = talk.one_of(frame, lines or talk.lines("photo.any"))
    return text or None


__all__ = ["draw_out", "follow_up", "may_change", "new_frame", "news", "plan", "small_talk", "tell"]
