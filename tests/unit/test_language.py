"""Languages told apart by their letters and commonest words."""

import pytest

from lightmem.domain.language import detect_language, main_script


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "We moved to Lisbon last Friday."),
        ("en", "I live in Oslo"),
        ("es", "Nos mudamos a Lisboa el viernes pasado."),
        ("es", "Trabajo en un banco"),
        ("fr", "Je suis allée à Paris hier avec ma sœur."),
        ("de", "Ich wohne in Berlin und arbeite bei einer Bank."),
        ("it", "Ieri ho comprato una bicicletta"),
        ("pt", "Eu moro em Lisboa com a minha irmã"),
        ("nl", "Ik woon met mijn zus in Utrecht"),
        ("zh", "我们上个月搬到了里斯本。"),
        ("ja", "昨日、東京に行きました。"),
        ("ko", "저는 서울에 살아요"),
        ("ru", "Мы переехали в Осло"),
        ("uk", "Ми переїхали до Осло"),
        ("ar", "انتقلنا إلى لشبونة"),
        ("el", "Μένω στην Αθήνα"),
        ("hi", "मैं दिल्ली में रहता हूँ"),
    ],
)
def test_a_sentence_shows_its_language(language: str, text: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("text", ["", "12:30", "👍👍", "Xyzzy plugh"])
def test_what_shows_nothing_is_undetermined(text: str) -> None:
    assert detect_language(text) == "und"


def test_japanese_counts_kanji_with_its_kana() -> None:
    assert main_script("東京都渋谷区に住む") == "Jpan"


def test_most_letters_decide_the_script() -> None:
    assert main_script("我在 IBM 上班，住在上海浦东") == "Hani"
    assert main_script("123") is None


def test_one_small_word_does_not_outweigh_the_language_around_it() -> None:
    assert detect_language("Go get 'em, Ben!", expected="en") == "en"
    assert detect_language("Me gusta el té de mi hermana.", expected="en") == "es"
