"""People with secrets: what each plants, in three languages, and what many of them share.

Secrets are made of letters in no order of any language, of long numbers and of rare words, so that
each can be looked for anywhere. They are put where promotion reads, too: "my dog is afraid of …".
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LETTERS = "bcdfghjklmnpqrstvwxz"
#: Rare characters, none of them in a usual word.
HAN = [chr(code) for code in range(0x9000, 0x9F00)]
#: Rare, each real, none in the vocabulary of general language.
AILMENTS = (
    *("porphyria", "sarcoidosis", "acromegaly", "scleroderma", "cystinuria", "alkaptonuria"),
    *("pemphigus", "amyloidosis", "hemochromatosis", "syringomyelia", "achalasia"),
)

#: What enough people say, so that something is promoted at all: each twice, in other words.
SHARED = (
    ("My dog is afraid of thunder.", "My dog is really scared of thunder, every time."),
    ("Yoga helps me relax.", "Yoga always helps me relax after work."),
    ("Rain makes me happy.", "Rain always makes me happy!"),
)
#: What exactly two people say in words of general language: nobody else may learn of it.
OF_TWO = ("My parrot is afraid of velvet.", "My parrot is really scared of velvet, I think.")
#: What one says in words of general language, and what nobody says.
OF_ONE = ("My dog is afraid of feathers.", "My dog is really scared of feathers, every time.")
RIGHT, WRONG = "feathers", "curtains"

_TEMPLATES = {
    "en": (
        ("name", "My neighbour is called {0}."),
        ("address", "I live at {1} {0} Lane."),
        ("phone", "My phone number is {1}."),
        ("email", "Write to me at {0}@{0}.example."),
        ("ailment", "I was diagnosed with {2}."),
        ("place", "We spend every summer in {0}bury."),
        ("frame", "My dog is afraid of {0}."),
        ("frame", "{0} makes me happy."),
        ("frame", "My cat {0} loves {0}."),
        ("frame", "I drink {0} to relax."),
        ("frame", "My favorite food is {0}."),
        ("frame", "I love {0} because it is peaceful."),
        ("frame", "{0} calms me down."),
        ("code", "The code of my safe is {1}."),
    ),
    "es": (
        ("name", "Mi vecina se llama {0}."),
        ("address", "Vivo en la calle {0} número {1}."),
        ("phone", "Mi teléfono es {1}."),
        ("email", "Escríbeme a {0}@{0}.example."),
        ("ailment", "Me diagnosticaron {2}."),
        ("place", "Pasamos los veranos en {0}illa."),
        ("frame", "Mi perro tiene miedo de {0}."),
        ("frame", "{0} me hace feliz."),
        ("code", "El código de mi caja es {1}."),
    ),
    "zh": (
        ("name", "我的邻居叫{3}。"),
        ("address", "我住在{3}路{1}号。"),
        ("phone", "我的电话是{1}。"),
        ("place", "我们每年夏天去{3}村。"),
        ("ailment", "医生说我得了{3}症。"),
        ("frame", "我的狗害怕{3}。"),
        ("code", "我的保险箱密码是{1}。"),
    ),
}


@dataclass(frozen=True, slots=True)
class Secret:
    """Words of one person. `text` is what must be found nowhere else."""

    owner: str
    kind: str
    language: str
    text: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Person:
    """Who says what; `shared` and `of_two` are said in words of general language."""

    user_id: str
    language: str
    secrets: Sequence[Secret]
    says: Sequence[str]


def people(count: int, *, seed: int) -> list[Person]:
    """`count` people of each language. The English ones share what is general."""
    random_ = random.Random(seed)
    found = []
    for language in _TEMPLATES:
        for number in range(count):
            user_id = f"{language}-{number}"
            secrets = list(_secrets(random_, user_id, language, number))
            says = [secret.sentence for secret in secrets]
            if language == "en":
                says += [sentence for pair in SHARED for sentence in pair]
                says += OF_TWO if number < 2 else ()
                says += OF_ONE if number == 2 else ()
            found.append(Person(user_id, language, secrets, says))
    return found


def _secrets(random_: random.Random, owner: str, language: str, number: int) -> Iterator[Secret]:
    for kind, template in _TEMPLATES[language]:
        word = "".join(random_.choices(LETTERS, k=9)).capitalize()
        digits = str(random_.randrange(10**8, 10**9))
        ailment = f"{AILMENTS[number % len(AILMENTS)]} {word.lower()}itis"
        han = "".join(random_.choices(HAN, k=3))
        parts = (word, digits, ailment, han)
        used = next(part for slot, part in enumerate(parts) if f"{{{slot}}}" in template)
        if kind in {"address", "phone", "code"}:
            used = digits
        if kind == "place":
            used = f"{word}bury" if language == "en" else f"{word}illa"
            used = han if language == "zh" else used
        if kind == "ailment":
            used = ailment.rsplit(maxsplit=1)[-1] if language != "zh" else han
        yield Secret(owner, kind, language, used, template.format(*parts))
