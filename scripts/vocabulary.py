"""Write the vocabulary of general language from the files of WordNet.

    scripts/vocabulary.py FOLDER   # with data.noun, index.noun, index.sense and so on

A word is kept where WordNet writes one of its senses in small letters and where it is common: it
was seen in WordNet's own tagged texts or stands in the tokenizer's vocabulary, and in its
definitions, or often in these. Of what many people eat, drink, keep and play less is asked: that
nothing else is called so, and nobody. What a person may not want known is left out whatever its
frequency: words whose first senses are illnesses, religions, crimes and the like, and adjectives
made of these. So are words for people, since what is said of people is personal.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "lightmem" / "data"
FOLDER = PACKAGE / "vocabulary"
POS = {"noun": "n", "verb": "v", "adj": "a"}
OFTEN, SEEN = 5, 2

#: Their hyponyms are left out: (word, number of its sense).
PRIVATE = (
    ("ill_health", 0), ("disorder", 0), ("disorder", 2), ("mental_disorder", 0), ("symptom", 0),
    ("wound", 0), ("disability", 0), ("addict", 0), ("addict", 1), ("pregnancy", 0),
    ("abortion", 0), ("medicine", 1), ("drug", 0), ("hormone", 0), ("religion", 0), ("religion", 1),
    ("religious_person", 0), ("sexual_activity", 0), ("sexual_assault", 0), ("crime", 0),
    ("penalty", 0), ("ideology", 0), ("political_party", 0), ("ethnic_group", 0),
    ("prison", 0), ("death", 0), ("bodily_process", 0), ("tumor", 0), ("spiritual_leader", 0),
)  # fmt: skip

#: Adjectives that come from such a word and say nothing of the kind.
HARMLESS = {
    *("active", "chaotic", "ethereal", "game", "green", "kinetic", "puffy", "raw", "rough"),
    *("shaky", "stingless", "stormy", "tender", "tumultuous", "turbulent"),
}
#: What WordNet does not show to be private.
TOO_CLOSE = {"depressed", "suicidal"}

#: Their hyponyms are of everyday life: food, drink, pets, play.
EVERYDAY = (
    ("food", 0), ("food", 1), ("beverage", 0), ("dog", 0), ("cat", 0), ("domestic_animal", 0),
    ("diversion", 0), ("game", 0), ("pastime", 0), ("musical_instrument", 0), ("dancing", 0),
    ("handicraft", 0), ("handicraft", 1), ("exercise", 0),
)  # fmt: skip
STRONG = (("alcohol", 0), ("gambling", 0))
#: Names of people in small letters, faith at table, and what is no pastime of all.
NOT_EVERYDAY = {
    *("brent", "cochin", "debauchery", "halal", "jacks", "kosher", "marge", "matzo", "mina"),
    *(
        "samara",
        "squatting",
        "virginal",
        "viand",
        "vegetarianism",
        "extravaganza",
        "counterdemonstration",
    ),
}

#: Countries that are also names of people, or that nobody means any more.
NO_COUNTRIES = {
    *("Albion", "Anglia", "Aram", "Blighty", "Chad", "Etruria", "Georgia", "Helvetia", "Israel"),
    *("Jordan", "Logrono", "Mali", "Rus", "Terengganu", "Union"),
}

#: A pointer: its kind, the offset and the part of speech of its target, and its ends.
Pointer = tuple[str, str, str, str]
Synset = tuple[list[str], list[Pointer], str]


def synsets(path: Path) -> Iterator[tuple[str, Synset]]:
    """(offset, (words as written, pointers, gloss)) of a data file."""
    for line in path.read_text(encoding="ascii", errors="ignore").splitlines():
        if line.startswith("  "):
            continue
        head, _, gloss = line.partition(" | ")
        fields = head.split()
        count = int(fields[3], 16)
        written = [re.sub(r"\(.*\)$", "", fields[4 + 2 * n]) for n in range(count)]
        at = 4 + 2 * count
        ends = range(at + 1, at + 1 + 4 * int(fields[at]), 4)
        pointers = [(*fields[n : n + 4],) for n in ends]
        yield fields[0], (written, pointers, gloss)


def senses(path: Path) -> dict[str, list[str]]:
    """The offsets of each word's synsets, the commonest first."""
    found = {}
    for line in path.read_text(encoding="ascii").splitlines():
        if not line.startswith("  "):
            fields = line.split()
            found[fields[0]] = fields[6 + int(fields[3]) :]
    return found


def below(nouns: dict[str, Synset], roots: list[str]) -> set[str]:
    """All synsets under the roots, kinds and instances, these included."""
    children = defaultdict(list)
    for offset, (_, pointers, _) in nouns.items():
        for kind, target, _, _ in pointers:
            if kind in {"@", "@i"}:
                children[target].append(offset)
    seen: set[str] = set()
    waiting = list(roots)
    while waiting:
        offset = waiting.pop()
        if offset not in seen:
            seen.add(offset)
            waiting += children[offset]
    return seen


def tagged(path: Path) -> set[str]:
    """Words that were seen in WordNet's tagged texts."""
    lines = (line.split() for line in path.read_text(encoding="ascii").splitlines())
    return {fields[0].partition("%")[0] for fields in lines if int(fields[3]) > 0}


def made_of(
    adjectives: dict[str, Synset], order: dict[str, list[str]], private: set[str]
) -> set[str]:
    """Adjectives whose first senses are derived from one of these nouns."""
    found = set()
    for word, offsets in order.items():
        for offset in offsets[:2]:
            written, pointers, _ = adjectives[offset]
            for kind, target, pos, ends in pointers:
                source = int(ends[:2], 16)
                is_of_word = source == 0 or written[source - 1] == word
                if kind in {"+", "\\"} and pos == "n" and target in private and is_of_word:
                    found.add(word)
    return found


def in_capitals(files: dict[str, dict[str, Synset]]) -> set[str]:
    """Words that are also written with a capital, alone or in a name."""
    written = (word for each in files.values() for words, _, _ in each.values() for word in words)
    return {
        part.lower() for word in written if word != word.lower() for part in re.split("[_-]", word)
    }


def everyday(
    nouns: dict[str, Synset], order: dict[str, list[str]], left_out: set[str], names: set[str]
) -> set[str]:
    """Words of one or two senses that first mean something of everyday life, and nobody."""
    roots = below(nouns, [order[word][number] for word, number in EVERYDAY])
    roots -= below(nouns, [order[word][number] for word, number in STRONG])
    return {
        word
        for word, offsets in order.items()
        if offsets[0] in roots and len(offsets) <= 2 and left_out.isdisjoint(offsets)
        if len(word) > 3 and word not in names | NOT_EVERYDAY
    }


def main(folder: Path) -> None:
    """Read WordNet, write the vocabulary and its card."""
    files = {pos: dict(synsets(folder / f"data.{pos}")) for pos in POS}
    nouns, order = files["noun"], senses(folder / "index.noun")
    tokenizer = json.loads((PACKAGE / "encoders/minilm/tokenizer.json").read_text("utf-8"))
    known = tagged(folder / "index.sense") | set(tokenizer["model"]["vocab"])
    private = below(nouns, [order[word][number] for word, number in PRIVATE])
    people = below(nouns, [order["person"][0], order["people"][0]])
    homely = everyday(nouns, order, private | people, in_capitals(files))
    kept = common(files, known, homely)
    hidden = {word for word in kept if not private.isdisjoint(order.get(word, [])[:2])}
    hidden |= {word for word in kept if not people.isdisjoint(order.get(word, [])[:1])}
    hidden |= made_of(files["adj"], senses(folder / "index.adj"), private) - HARMLESS | TOO_CLOSE
    words = [f"{word} {''.join(sorted(kept[word]))}" for word in sorted(kept.keys() - hidden)]
    write("en.txt", words)
    countries = below(nouns, [order["country"][1]])
    names = {nouns[offset][0][0] for offset in countries}
    countries_of_today = {name for name in names if re.fullmatch(r"[A-Z][a-z]+", name)}
    write("countries.txt", sorted(countries_of_today - NO_COUNTRIES))
    card()


def common(
    files: dict[str, dict[str, Synset]], known: set[str], homely: set[str]
) -> dict[str, set[str]]:
    """Common words with what they can be; a homely noun is common where it is used at all."""
    defined: Counter[str] = Counter()
    for each in files.values():
        for _, _, gloss in each.values():
            defined.update(set(re.findall(r"[a-z]+", gloss.replace("-", " "))))
    kept: dict[str, set[str]] = defaultdict(set)
    for pos, letter in POS.items():
        for written, _, _ in files[pos].values():
            for word in written:
                often = defined[word] + defined[f"{word}s"]
                is_common = often >= OFTEN or (word in known and often >= SEEN)
                is_common |= letter == "n" and word in homely and (often > 0 or word in known)
                if is_common and re.fullmatch(r"[a-z]{2,}", word):
                    kept[word].add(letter)
    return kept


def write(name: str, lines: list[str]) -> None:
    """Write a file of the vocabulary."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / name).write_text("\n".join(lines) + "\n", encoding="ascii")


def card() -> None:
    """Say where the words are from, and what they hash to."""
    hashes = {
        path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(FOLDER.glob("*.txt"))
    }
    about = {
        "name": "general-english",
        "origin": "WordNet 3.1, Princeton University",
        "licence": "WordNet",
        "made_by": "scripts/vocabulary.py",
        "sha256": hashes,
    }
    (FOLDER / "card.json").write_text(json.dumps(about, indent=2) + "\n", encoding="ascii")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
