"""What a model reads is shortened by what tells least; what matters always stays."""

import pytest

from lightmem.model import Turn
from lightmem_writer.compress import compress, self_information
from lightmem_writer.sensory import thin
from support.turns import a_talk

ENGLISH = (
    "I have not been to the hospital in Porto since May, and my sister Clara was there with me "
    "for all of the 14 days that it took."
)
SPANISH = "No he vuelto al hospital de Oporto desde mayo, y mi hermana Clara estuvo allí 14 días."
CHINESE = "我没有去过上海的医院，我的妹妹也很喜欢那里的14个公园啊。"


def read(talk: list[Turn], ratio: float, language: str = "en") -> list[str]:
    lines = thin(talk)
    return [line.text for line in compress(lines, ratio=ratio, languages=[language] * len(lines))]


def test_a_ratio_of_one_changes_nothing() -> None:
    talk = a_talk(("Ana", ENGLISH))

    assert read(talk, 1.0) == [ENGLISH]


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("en", ENGLISH, ["not", "Porto", "May", "my", "sister", "Clara", "14", "I"]),
        ("es", SPANISH, ["No", "Oporto", "mayo", "mi", "hermana", "Clara", "14"]),
        ("zh", CHINESE, ["没有", "上海", "医院", "妹妹", "14", "公园", "我"]),
    ],
)
def test_names_numbers_dates_negations_and_people_stay(
    language: str, said: str, kept: list[str]
) -> None:
    (line,) = read(a_talk(("Ana", said)), 0.1, language)

    assert len(line) < len(said)
    assert all(word in line for word in kept)


def test_the_smaller_the_ratio_the_less_is_read() -> None:
    talk = a_talk(("Ana", ENGLISH), ("Ben", "It was good that you had the time to be there."))

    lengths = [len(" ".join(read(talk, ratio))) for ratio in (1.0, 0.9, 0.8, 0.7)]

    assert lengths == sorted(lengths, reverse=True)
    assert len(set(lengths)) == 4


def test_the_sentence_that_was_said_stays_as_it_was() -> None:
    (turn,) = a_talk(("Ana", ENGLISH))
    lines = thin([turn])

    (line,) = compress(lines, ratio=0.5, languages=["en"])

    assert line.sentence.text == ENGLISH
    assert turn.content == ENGLISH


def test_a_language_without_a_table_is_left_as_it_is() -> None:
    said = "Olen asunut Helsingissä koko elämäni ajan ja pidän siitä."

    assert read(a_talk(("Ana", said)), 0.5, "fi") == [said]


def test_rare_words_tell_more_than_common_ones_and_less_when_said_again() -> None:
    assert self_information("harbour", "en") > self_information("again", "en")
    assert self_information("again", "en") > self_information("the", "en")
    assert self_information("harbour", "en", said_before=3) < self_information("harbour", "en")
