"""Which language and script a text is in, by its letters and its commonest words.

No model: a script settles most languages; those in Latin letters are told apart by function
words and by letters that only some of them use. A text that shows too little is `und`.
"""

import re
from collections import Counter
from functools import lru_cache

#: BCP 47 for "undetermined".
UNKNOWN = "und"

# Ranges of code points by ISO 15924 script; what is in none of them is no letter to us.
_RANGES: tuple[tuple[int, int, str], ...] = (
    (0x0041, 0x005A, "Latn"),
    (0x0061, 0x007A, "Latn"),
    (0x00C0, 0x024F, "Latn"),
    (0x0370, 0x03FF, "Grek"),
    (0x0400, 0x052F, "Cyrl"),
    (0x0530, 0x058F, "Armn"),
    (0x0590, 0x05FF, "Hebr"),
    (0x0600, 0x06FF, "Arab"),
    (0x0750, 0x077F, "Arab"),
    (0x0900, 0x097F, "Deva"),
    (0x0980, 0x09FF, "Beng"),
    (0x0B80, 0x0BFF, "Taml"),
    (0x0E00, 0x0E7F, "Thai"),
    (0x10A0, 0x10FF, "Geor"),
    (0x1100, 0x11FF, "Hang"),
    (0x1E00, 0x1EFF, "Latn"),
    (0x3040, 0x30FF, "Jpan"),
    (0x3400, 0x4DBF, "Hani"),
    (0x4E00, 0x9FFF, "Hani"),
    (0xAC00, 0xD7AF, "Hang"),
    (0xFF21, 0xFF3A, "Latn"),
    (0xFF41, 0xFF5A, "Latn"),
    (0x20000, 0x2FA1F, "Hani"),
)

_LANGUAGE_OF_SCRIPT = {
    "Grek": "el",
    "Armn": "hy",
    "Hebr": "he",
    "Deva": "hi",
    "Beng": "bn",
    "Taml": "ta",
    "Thai": "th",
    "Geor": "ka",
    "Hang": "ko",
    "Jpan": "ja",
    "Hani": "zh",
}


def words(text: str) -> frozenset[str]:
    """The words of a space-separated list."""
    return frozenset(text.split())


FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": words(
        "the a an and or but of to in on at for with from is are was were be been am i you he she "
        "it we they my your his her our their this that these those have has had do does did not "
        "so if as by about just what when who how will would can could me him them us i'm i've "
        "it's don't that's there"
    ),
    "es": words(
        "el la los las un una unos unas y o pero de del al en con por para es son era fue ser "
        "estoy está están yo tú él ella nosotros ellos mi mis tu tus su sus me te se nos lo le les "
        "a que qué no sí muy más este esta eso como cuando ha he hay tengo tiene hace también ya "
        "porque donde"
    ),
    "fr": words(
        "le la les un une des et ou mais de du au aux en dans avec pour par est sont était être je "
        "tu il elle nous vous ils elles mon ma mes ton ta tes son sa ses me te se que qui ne pas "
        "plus très ce cette ça suis ai as a avons j'ai c'est d'un qu'il chez sur"
    ),
    "de": words(
        "der die das den dem des ein eine einen einem einer und oder aber von zu im in mit für auf "
        "ist sind war waren sein bin ich du er sie es wir ihr mein meine dein deine sich nicht "
        "kein keine auch sehr dass wenn wie was habe hat haben am beim nach über noch schon"
    ),
    "it": words(
        "il lo la i gli le un uno una e o ma di del della dei al alla in nel nella con per è sono "
        "era essere io tu lui lei noi voi loro mio mia miei mie tuo tua suo sua mi ti si ci che "
        "non più molto questo questa come quando ho hai ha abbiamo anche perché"
    ),
    "pt": words(
        "o a os as um uma uns umas e ou mas de do da dos das ao à em no na nos nas com por para é "
        "são era foi ser estou está eu tu ele ela nós você vocês eles meu minha meus minhas seu "
        "sua me te se que não sim muito mais este esta isso como quando tenho tem há também já"
    ),
    "ru": words(
        "и в во не что он она оно они на я с со как а то все но да ты к у же вы за бы по только "
        "её его мне было вот от меня ещё нет о из ему для мы нас мой моя мои наш этот эта это эти "
        "был была были есть очень когда где уже"
    ),
    "nl": words(
        "de het een en of maar van te in op met voor is zijn was waren ben ik jij je hij zij wij "
        "we mijn jouw haar ons dat dit niet geen ook heel als hoe wat heb heeft hebben naar bij "
        "nog al er"
    ),
}

# Other frequent words, which carry meaning but also tell the language.
_COMMON_WORDS: dict[str, frozenset[str]] = {
    "en": words(
        "live like love want know think work went got moved bought started really yes thanks last "
        "next today yesterday tomorrow hey good great sister brother family"
    ),
    "es": words(
        "hoy ayer mañana vivo vive trabajo gusta encanta quiero fui pasado gracias dos hermana "
        "hermano familia casa años bien hola buenos"
    ),
    "fr": words("hier demain aujourd'hui aime habite travaille merci sœur frère famille bonjour"),
    "de": words("heute gestern morgen wohne arbeite mag danke schwester bruder familie hallo"),
    "it": words("oggi ieri domani vivo lavoro piace grazie sorella fratello famiglia ciao anni"),
    "pt": words(
        "hoje ontem amanhã moro trabalho gosto obrigado obrigada irmã irmão família olá anos"
    ),
    "nl": words("vandaag gisteren morgen woon werk bedankt zus broer familie hallo"),
}

_TELLING_LETTERS = {
    "es": "ñ¿¡",
    "pt": "ãõ",
    "de": "ßä",
    "fr": "œêûùëîï",
    "it": "ìò",
}

_KNOWN_WORDS = {
    language: listed | _COMMON_WORDS.get(language, frozenset())
    for language, listed in FUNCTION_WORDS.items()
}
# A word of several languages tells less of each.
_SHARED = Counter(word for listed in _KNOWN_WORDS.values() for word in listed)

#: What the language around a text counts for, in words that no other language has.
_EXPECTED = 1.5

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@lru_cache(maxsize=4096)
def script_of(character: str) -> str | None:
    """The ISO 15924 script of a letter, None for what is no letter of a script we know."""
    code = ord(character)
    for first, last, script in _RANGES:
        if first <= code <= last:
            return script
    return None


def main_script(text: str) -> str | None:
    """The script of most of the letters; Japanese counts its kanji with its kana."""
    counts = Counter(script for script in map(script_of, text) if script is not None)
    if counts["Jpan"]:
        counts["Jpan"] += counts.pop("Hani", 0)
    if not counts:
        return None
    return max(sorted(counts), key=lambda script: counts[script])


def detect_language(text: str, *, expected: str = UNKNOWN) -> str:
    """The BCP 47 tag of the language of a text, `und` when the text does not show it.

    Args:
        expected: The language around it, which one small word of another does not outweigh.
    """
    script = main_script(text)
    if script is None:
        return UNKNOWN
    if script == "Latn":
        return _latin_language(text, expected)
    if script == "Cyrl":
        return "uk" if any(letter in text.casefold() for letter in "іїєґ") else "ru"
    if script == "Arab":
        return "fa" if any(letter in text for letter in "پچژگ") else "ar"
    return _LANGUAGE_OF_SCRIPT[script]


def _latin_language(text: str, expected: str) -> str:
    plain = text.replace("’", "'")
    # A capital within a sentence makes a name of a small word: "Ben" is no German "bin".
    seen = Counter(
        "I" if word == "I" else word.casefold()
        for word in _WORD.findall(plain)
        if word == "I" or word[0].islower() or plain.startswith(word)
    )
    lowered = plain.casefold()
    scores = {
        language: sum(count / _SHARED[word] for word, count in seen.items() if word in known)
        + 2 * sum(lowered.count(letter) for letter in _TELLING_LETTERS.get(language, ""))
        for language, known in _KNOWN_WORDS.items()
    }
    # No other language writes this word alone with a capital.
    scores["en"] += 2 * seen["I"]
    if expected in scores:
        scores[expected] += _EXPECTED
    first, second = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))[:2]
    return first[0] if first[1] > second[1] else UNKNOWN
