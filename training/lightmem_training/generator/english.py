"""English endings, articles and persons: enough to bend the generator's own phrases."""

import re
from dataclasses import dataclass
from functools import cache

_PASTS = """
be was, become became, begin began, bite bit, blow blew, break broke, bring brought, build
built, burn burnt, buy bought, catch caught, choose chose, come came, cost cost, cut cut,
dig dug, do did, draw drew, drink drank, drive drove, eat ate, fall fell, feed fed, feel
felt, fight fought, find found, fly flew, forget forgot, freeze froze, get got, give gave,
go went, grow grew, hang hung, have had, hear heard, hide hid, hit hit, hold held, hurt
hurt, keep kept, know knew, lay laid, lead led, leave left, lend lent, let let, lose lost,
make made, mean meant, meet met, outgrow outgrew, overcome overcame, pay paid, put put,
quit quit, read read, rebuild rebuilt, redo redid, ride rode, ring rang, rewrite rewrote,
rise rose, run ran, say said, see saw, sell sold, send sent, set set, sew sewed, shake
shook, shoot shot, show showed, sing sang, sit sat, sleep slept, spend spent, split split,
spread spread, stand stood, steal stole, stick stuck, sweep swept, swim swam, take took,
teach taught, tear tore, tell told, think thought, throw threw, understand understood,
wake woke, wear wore, weave wove, win won, write wrote, withdraw withdrew, undergo
underwent, upset upset, overhear overheard, babysit babysat, cast cast, beat beat, bid
bid, forgive forgave, oversleep overslept
"""
_DOUBLES = """
admit babysit ban beg begin bid chat chop clip cut dig dip drag drop fit forget get grab
hit hop hug jog knit let map nip pin plan pop put quit refit rip rub run scrap set ship
shop sit skip slip snap sob split spot stop strip sum swap swim tag tap trim trip win wrap
"""
_IRREGULAR = dict(pair.split() for pair in _PASTS.split(","))
_DOUBLED = frozenset(_DOUBLES.split())
_KEEP_FINAL = frozenset({"be", "see", "agree", "dye", "free", "flee", "tie", "lie", "die"})
_TIES = {"tie": "tying", "lie": "lying", "die": "dying"}
_VOWELS = "aeiou"
_SILENT = ("hour", "honest", "heir", "honour")
_CONSONANT_SOUND = ("one", "uni", "use", "eu", "ute", "uke", "uku")


@dataclass(frozen=True, slots=True)
class Pronouns:
    """How a person is spoken of by others."""

    subject: str
    object: str
    possessive: str
    own: str
    reflexive: str


SHE = Pronouns("she", "her", "her", "hers", "herself")
HE = Pronouns("he", "him", "his", "his", "himself")
THEY = Pronouns("they", "them", "their", "theirs", "themselves")
YOU = Pronouns("you", "you", "your", "yours", "yourself")
_TO_YOU = (
    ("does you", "do you"), ("Does you", "Do you"), ("has you", "have you"),
    ("Has you", "Have you"), ("is you", "are you"), ("Is you", "Are you"), ("was you", "were you"),
    ("you's", "your"), ("you has", "you have"), ("you is", "you are"), ("you was", "you were"),
)  # fmt: skip
_FIRST = re.compile(
    r"\b(I'm|I've|I'd|I'll|I am|I was|I have|I|my|me|mine|myself|"
    r"our|ours|we're|we've|we|us|ourselves)\b"
)


def past(phrase: str) -> str:
    """A verb phrase in the past: `join a class` -> `joined a class`."""
    verb, rest = _split(phrase)
    if verb in _IRREGULAR:
        return _IRREGULAR[verb] + rest
    if verb.endswith("e"):
        return verb + "d" + rest
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ied" + rest
    return (verb + verb[-1] if verb in _DOUBLED else verb) + "ed" + rest


def gerund(phrase: str) -> str:
    """A verb phrase as a noun: `join a class` -> `joining a class`."""
    verb, rest = _split(phrase)
    if verb in _TIES:
        return _TIES[verb] + rest
    if verb.endswith("e") and verb not in _KEEP_FINAL:
        return verb[:-1] + "ing" + rest
    return (verb + verb[-1] if verb in _DOUBLED else verb) + "ing" + rest


def third(phrase: str) -> str:
    """A verb phrase of another person in the present: `join a class` -> `joins a class`."""
    verb, rest = _split(phrase)
    if verb in {"be", "have"}:
        return {"be": "is", "have": "has"}[verb] + rest
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es" + rest
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return verb[:-1] + "ies" + rest
    return verb + "s" + rest


def with_article(noun: str) -> str:
    """The noun with `a` or `an`, unless it has a determiner of its own."""
    first = noun.split(" ", 1)[0].lower()
    if first in {"a", "an", "the", "my", "our", "some", "two", "three", "four", "his", "her"}:
        return noun
    return f"{'an' if _vowel_sound(first) else 'a'} {noun}"


def of_person(text: str, pronouns: Pronouns) -> str:
    """First-person words said of another person: `my dog` -> `her dog`."""
    words = _singular(pronouns) | _plural(YOU if pronouns is YOU else THEY)
    return _FIRST.sub(lambda match: words[match[1].lower()], text)


@cache
def _singular(pronouns: Pronouns) -> dict[str, str]:
    subject = pronouns.subject
    are, have, were = (
        ("are", "have", "were") if subject in {"they", "you"} else ("is", "has", "was")
    )
    short = "'re" if are == "are" else "'s"
    return {
        "i": subject, "i'm": subject + short, "i've": f"{subject} {have}", "i'd": f"{subject}'d",
        "i'll": f"{subject}'ll", "i am": f"{subject} {are}", "i was": f"{subject} {were}",
        "i have": f"{subject} {have}", "my": pronouns.possessive, "me": pronouns.object,
        "mine": pronouns.own, "myself": pronouns.reflexive,
    }  # fmt: skip


@cache
def _plural(group: Pronouns) -> dict[str, str]:
    subject = group.subject
    reflexive = "yourselves" if group is YOU else "themselves"
    return {
        "our": group.possessive, "ours": group.own, "we": subject, "us": group.object,
        "we're": f"{subject}'re", "we've": f"{subject}'ve", "ourselves": reflexive,
    }  # fmt: skip


def asked_directly(text: str) -> str:
    """A question on a third person, whose name and pronouns are `you` already, in good grammar."""
    for wrong, right in _TO_YOU:
        text = text.replace(wrong, right)
    return text


def sentence_case(text: str) -> str:
    """The text with a capital after each end of a sentence, and single spaces."""
    text = " ".join(text.split())
    text = re.sub(r"\s+([,.!?;:])", r"\1", text)
    text = re.sub(
        r"\b([Tt]he|[Aa]n?|[Mm]y|[Yy]our) (the|my|your|his|her|their)\b", _one_determiner, text
    )
    text = re.sub(r"([.!?])\.+(?!\.)", r"\1", text) if ".." in text and "..." not in text else text
    return re.sub(r"(^|[.!?]\s+)([\"']?[a-z])", lambda m: m[1] + m[2].upper(), text)


def _one_determiner(match: re.Match[str]) -> str:
    word = match[2]
    return word.capitalize() if match[1][0].isupper() else word


def _split(phrase: str) -> tuple[str, str]:
    verb, space, rest = phrase.partition(" ")
    return verb, space + rest


def _vowel_sound(word: str) -> bool:
    if word.startswith(_SILENT):
        return True
    return word[:1] in _VOWELS and not word.startswith(_CONSONANT_SOUND)
