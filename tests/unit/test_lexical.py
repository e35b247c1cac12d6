"""Words of many languages as sparse vectors."""

import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightmem.adapters.lexical import SnowballLexicalEncoder
from lightmem.adapters.lexical.language import language_of_text
from lightmem.adapters.lexical.words import split_words
from lightmem.model import SparseVector

LEXICAL = SnowballLexicalEncoder()


def score(query: str, document: str) -> float:
    """The BM25 score of a document to a query, without idf."""
    weights = dict(
        zip(LEXICAL.document(document).indices, LEXICAL.document(document).values, strict=True)
    )
    return sum(weights.get(term, 0.0) for term in LEXICAL.query(query).indices)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("Which dogs were running?", "My dog runs every day"),
        ("¿Dónde vivía mi hermana?", "Mis hermanas viven en el campo con los perros"),
        ("mañana", "Nos vemos manana en la plaza con los demás"),
        ("Où sont les chevaux?", "Nous avons vu un cheval dans le jardin"),
        ("Wo sind die Häuser?", "Das ist ein Haus und nicht mehr"),
        ("Где книги?", "Я купил книгу"),
        ("里斯本", "我们上周五搬到了里斯本。"),
        ("猫", "私は猫が好きです"),
        ("กรุงเทพ", "ฉันอยู่ที่กรุงเทพมหานคร"),
        ("हिन्दी", "मैं हिन्दी बोलता हूँ"),
        ("cafe", "We met in the Café Müller"),
        ("muller", "We met in the Café Müller"),
        ("ＬＩＳＢＯＮ", "we moved to lisbon"),
        ("3000", "It cost 3,000 euros"),
        ("2.5", "She ran 2.5 miles"),
        ("10:30", "The train leaves at 10:30am"),
        ("Ana", "That is Ana's dog"),
        ("Ana", "J'ai vu l'ami d'Ana hier"),
        ("Rosalind", "Rosalind: I sketched the old bridge"),
        ("rosalind", "¿Y qué hizo Rosalind en la playa con sus amigos?"),
        ("María", "¿Y qué hizo María en la playa con sus amigos?"),
        ("What did Will say to Ana?", "Then I met Will at the station"),
        ("Who lives in the US?", "They moved to the US"),
        ("o'brien", "Mr O’Brien called"),
    ],
)
def test_a_document_is_found_by_another_form_of_its_words(query: str, document: str) -> None:
    assert score(query, document) > 0


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("will you", "I will go with you and them"),
        ("us", "They will help us"),
        ("Wo bist du mit den anderen?", "Das ist mit den anderen gewesen"),
        ("里斯本", "我们在波尔图"),
    ],
)
def test_stop_words_and_other_words_match_nothing(query: str, document: str) -> None:
    assert score(query, document) == 0


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where does Ana live now?", "en"),
        ("Die hard", "en"),
        ("no", "en"),
        ("Rosalind", "en"),
        ("¿Dónde vive Ana ahora?", "es"),
        ("Wo wohnt die Frau mit dem Hund?", "de"),
        ("Je ne sais pas où elle est", "fr"),
        ("Non so dove sono gli altri", "it"),
        ("Não sei onde ela está", "pt"),
        ("Ik weet niet waar ze is", "nl"),
    ],
)
def test_a_language_is_told_by_its_stop_words(text: str, language: str) -> None:
    words = [word.text for word in split_words(text)]

    assert language_of_text(text, words) == language


def test_stop_words_alone_make_an_empty_query() -> None:
    assert LEXICAL.query("What is it that you were at?") == SparseVector([], [])


def test_a_query_asks_for_each_term_once() -> None:
    query = LEXICAL.query("tea, Tea and teas")

    assert query.values == [1.0]


def test_a_repeated_word_counts_less_each_time() -> None:
    once, twice, often = (score("tea", f"{'tea ' * n}garden house") for n in (1, 2, 20))

    assert once < twice < often < 1.9


def test_a_word_in_a_long_text_counts_less_but_a_window_may_be_longer() -> None:
    text = "tea garden house lake mountain river bread butter cheese honey " * 3
    alone = dict(zip(LEXICAL.document(text).indices, LEXICAL.document(text).values, strict=True))
    window = LEXICAL.document(text, window=True)

    assert score("tea", text) < score("tea", "tea tea tea")
    assert all(
        weight > alone[term] for term, weight in zip(window.indices, window.values, strict=True)
    )


def test_terms_are_the_same_in_another_process() -> None:
    program = (
        "from lightmem.adapters.lexical import SnowballLexicalEncoder as E;"
        "print(E().query('Lisbon tea 茶').indices)"
    )

    other = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert other.stdout.strip() == str(LEXICAL.query("Lisbon tea 茶").indices)


def test_threads_share_an_encoder_without_mixing_stems() -> None:
    texts = [f"running dogs number {n} happily swimming horses" for n in range(200)]
    expected = [SnowballLexicalEncoder().document(text) for text in texts]
    shared = SnowballLexicalEncoder()
    found: dict[int, list[SparseVector]] = {}

    def work(number: int) -> None:
        found[number] = [shared.document(text) for text in texts]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(vectors == expected for vectors in found.values())


@given(st.text(max_size=300))
def test_any_text_makes_a_sparse_vector(text: str) -> None:
    for vector in (LEXICAL.document(text), LEXICAL.query(text)):
        assert len(vector.indices) == len(vector.values) == len(set(vector.indices))
        assert all(0 <= index < 2**32 for index in vector.indices)
        assert all(0 < value < 1.9 for value in vector.values)


def test_a_hostile_word_without_end_is_cut() -> None:
    assert len(LEXICAL.document("a" * 32_768).indices) == 1
    assert score("b" * 100, "b" * 32_768) > 0
