"""De-identification: general words pass, and nothing else ever does."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lightmem.adapters.vocabulary import open_vocabulary
from lightmem_consolidator.deidentify import Deidentify
from lightmem_consolidator.general import claims_in

VOCABULARY = open_vocabulary()
DEIDENTIFY = Deidentify(VOCABULARY)
GENERAL = re.compile(r"[a-z]+(?: [a-z]+){0,5}")


def said(text: str) -> list[tuple[str, str, str]]:
    """The claims of a text, as words."""
    return [
        (claim.subject.name, claim.relation.value, claim.target.name)
        for claim in claims_in(text, of=DEIDENTIFY)
    ]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (
            "Ana's dog Max is afraid of thunderstorms.",
            ("dog", "RelatedTo", "fear of thunderstorm"),
        ),
        (
            "My old dog Max is really scared of fireworks and loud noises.",
            ("dog", "RelatedTo", "fear of firework"),
        ),
        ("Dogs are loyal.", ("dog", "HasProperty", "loyal")),
        ("My dog Rex is a spaniel.", ("spaniel", "IsA", "dog")),
        ("Yoga helps me relax.", ("yoga", "Implies", "relax")),
        ("Running makes me happy, really.", ("running", "Implies", "happy")),
        ("I drink green tea to calm down.", ("green tea", "Implies", "calm down")),
        ("Meditation helps with stress.", ("meditation", "RelatedTo", "stress")),
        ("Our cat Luna loves tuna.", ("cat", "RelatedTo", "tuna")),
        ("My cat loves Japan.", ("cat", "RelatedTo", "Japan")),
        ("My beagle loves cheese.", ("beagle", "RelatedTo", "cheese")),
        ("My favorite food is sushi.", ("sushi", "IsA", "food")),
        ("Sushi is my favourite food.", ("sushi", "IsA", "food")),
        ("My favourite colour is blue.", ("blue", "IsA", "colour")),
        ("I love hiking because it's peaceful.", ("hiking", "HasProperty", "peaceful")),
        ("I like green tea because it helps me sleep.", ("green tea", "Implies", "sleep")),
        ("Rosa enjoys yoga since it makes her feel calm.", ("yoga", "Implies", "calm")),
        ("Swimming calms me down.", ("swimming", "Implies", "calm")),
        ("Walking is great for stress.", ("walking", "RelatedTo", "stress")),
        ("I always drink herbal tea before bed.", ("herbal tea", "RelatedTo", "bed")),
    ],
)
def test_what_is_general_in_a_sentence_is_found(text: str, claim: tuple[str, str, str]) -> None:
    assert said(text) == [claim]


@pytest.mark.parametrize(
    "text",
    [
        "My dog Max is afraid of Uncle Rolf.",
        "My dog is afraid of Wilhelmina.",
        "My dog is afraid of the postman Piet.",
        "My neighbour Rosa Keller lives at 12 Maple Street.",
        "my neighbour rose keller has porphyria",
        "My phone number is 555-0199.",
        "My password is hunter2.",
        "My street is Elm Street.",
        "My sister is terrible.",
        "My illness is porphyria.",
        "My disease is diabetes.",
        "Insulin helps me sleep.",
        "My salary is high.",
        "My address is 7 Rue Cler, Paris.",
        "My dog loves 42 things.",
        "My favorite teacher is Rosa.",
        "My favorite doctor is kind.",
        "My favorite street is elm.",
        "I love rosa because she is sweet.",
        "I love rosa keller because it is sweet.",
        "I drink whiskey before work.",
        "I eat with rosa after chemotherapy.",
        "I have therapy after work.",
        "Insulin calms me down.",
        "Methadone is good for me.",
        "Work makes me suicidal.",
        "My dog is pregnant.",
        "My cat is afraid of ana@example.org.",
        "My dog Max is not afraid of cats.",
        "If my dog is afraid of cats, we go.",
        "Is my dog afraid of cats?",
        "Mi perro tiene miedo de las tormentas.",
        "Mi vecina Rosa vive en la calle Olmo 12.",
        "我的狗害怕打雷。",
        "我的邻居王小明住在枫树街12号。",
    ],
)
def test_what_is_somebodys_own_is_not_promoted(text: str) -> None:
    assert said(text) == []


def test_a_word_in_capitals_is_not_let_through_though_it_is_general() -> None:
    assert DEIDENTIFY.phrase("Rose") is None
    assert DEIDENTIFY.phrase("green Tea") is None
    assert DEIDENTIFY.phrase("GREEN TEA") is None


def test_look_alike_letters_and_hidden_characters_are_no_general_words() -> None:
    for odd in ("dоg", "do\u200bg", "d\u0301og", "ｄｏｇ", "dog\x00", "dog1", "d-o-g", "dog's"):
        assert DEIDENTIFY.phrase(odd) is None


WORDS = st.one_of(
    st.sampled_from(sorted(VOCABULARY.words)),
    st.text(min_size=1, max_size=12),
    st.sampled_from(["Max", "Keller", "555-0199", "Elm", "porphyria", "o'neil", "a@b.c", "12"]),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=6))
def test_a_term_has_known_words_alone_whatever_was_said(words: list[str]) -> None:
    phrase = " ".join(words)

    for make in (
        DEIDENTIFY.thing,
        DEIDENTIFY.phrase,
        DEIDENTIFY.quality,
        DEIDENTIFY.doing,
    ):
        term = make(phrase)
        if term is None or term.name in VOCABULARY.public:
            continue
        assert GENERAL.fullmatch(term.name)
        for word in term.name.split():
            assert VOCABULARY.noun(word) or word in VOCABULARY.words or word in {
                "down", "up", "off", "out", "back", "asleep", "awake", "better", "well", "more",
                "less", "again",
            }  # fmt: skip


SECRETS = st.from_regex(r"[A-Z][a-z]{3,9}|[0-9]{3,9}|[a-z]{3,5}@[a-z]{3,5}\.org", fullmatch=True)
SENTENCES = st.sampled_from(
    [
        "My dog {} is afraid of {}.",
        "My dog is afraid of {}'s {}.",
        "{}'s cat loves {}.",
        "{} helps {} sleep.",
        "{} makes me {}.",
        "My job is {} {}.",
        "{} drinks {} to relax.",
        "{} are {}.",
        "My {} is a {}.",
        "My favorite {} is {}.",
        "{} is my favourite {}.",
        "I love {} because it is {}.",
        "I like {} because {} it helps me sleep.",
        "{} likes tea because it makes {} happy.",
        "{} calms {} down.",
        "{} is good for {}.",
        "{} drinks tea after {}.",
        "I eat {} with {}.",
    ]
)


@settings(max_examples=300, deadline=None)
@given(SENTENCES, SECRETS, SECRETS)
def test_no_name_number_or_address_gets_into_a_claim(
    sentence: str, first: str, second: str
) -> None:
    secrets = {each for each in (first, second) if each.lower() not in VOCABULARY.words}
    secrets -= VOCABULARY.public
    # A capital at the beginning of a sentence says nothing, so a plural there may be a word.
    secrets = {each for each in secrets if VOCABULARY.noun(each.lower()) is None}

    for claim in claims_in(sentence.format(first, second), of=DEIDENTIFY):
        for term in (claim.subject, claim.target):
            assert not any(secret.lower() in term.name.lower().split() for secret in secrets)
