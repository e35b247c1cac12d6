"""What statements claim: attributes, subjects and values in three languages."""

import time

import pytest

from lightmem.domain.attributes import Mode, agree, claims_of

TABLE = [
    ("en", "I live in Porto.", "lives in:>>", "porto", Mode.HOLDS),
    ("en", "I've lived in Rome since 2020.", "lives in:>>", "rome", Mode.HOLDS),
    ("en", "I'm moving to Madrid next month.", "plan to lives in:>>", "madrid", Mode.PLANNED),
    ("en", "I don't live in Porto any more.", "lives in:>>", "porto", Mode.ENDS),
    ("en", "My sister Ana lives in Madrid.", "lives in:>sister>ana", "madrid", Mode.HOLDS),
    ("en", "Ana moved to Lisbon.", "lives in:>?>ana", "lisbon", Mode.HOLDS),
    ("en", "I work at St. Mary's Hospital.", "works at:>>", "st marys hospital", Mode.HOLDS),
    ("en", "I quit my job at Acme.", "works at:>>", "acme", Mode.ENDS),
    ("en", "My name is Ana Ruiz.", "name:>>", "ana ruiz", Mode.HOLDS),
    ("en", "I turned 35 today!", "age:>>", "35", Mode.HOLDS),
    ("en", "My favorite color is now green.", "favourite colour:>>", "green", Mode.HOLDS),
    ("en", "I prefer tea to coffee.", "prefers drink:>>", "tea", Mode.HOLDS),
    ("en", "I got divorced last year.", "partner:>>", "", Mode.ENDS),
    ("en", "I don't like sushi any more.", "likes sushi:>>", "no", Mode.HOLDS),
    ("en", "My rent went up to 950 euros.", "rent:>>", "950 euros", Mode.HOLDS),
    ("en", "My dentist is Dr. Ruiz.", "dentist:>>", "dr ruiz", Mode.HOLDS),
    ("en", "The meeting was moved to Monday.", "when is meeting:>>", "monday", Mode.HOLDS),
    ("es", "Nos mudamos a Lisboa el viernes.", "lives in:>>", "lisboa", Mode.HOLDS),
    ("es", "Ya no vivo en Oporto.", "lives in:>>", "oporto", Mode.ENDS),
    ("es", "Me voy a mudar a Madrid.", "plan to lives in:>>", "madrid", Mode.PLANNED),
    ("es", "Mi hermana Ana vive en Sevilla.", "lives in:>sister>ana", "sevilla", Mode.HOLDS),
    ("es", "Dejé mi trabajo en Acme.", "works at:>>", "acme", Mode.ENDS),
    ("es", "Mi color favorito es el azul.", "favourite colour:>>", "azul", Mode.HOLDS),
    ("es", "Ya no me gusta el sushi.", "likes sushi:>>", "no", Mode.HOLDS),
    ("es", "Mi alquiler es de 900 euros.", "rent:>>", "900 euros", Mode.HOLDS),
    ("es", "Tengo 34 años.", "age:>>", "34", Mode.HOLDS),
    ("zh", "我上个月搬到了里斯本。", "lives in:>>", "里斯本", Mode.HOLDS),
    ("zh", "我已经不住在北京了。", "lives in:>>", "北京", Mode.ENDS),
    ("zh", "我打算搬到上海。", "plan to lives in:>>", "上海", Mode.PLANNED),
    ("zh", "我姐姐安娜住在马德里。", "lives in:>sister>安娜", "马德里", Mode.HOLDS),
    ("zh", "我从阿里辞职了。", "works at:>>", "阿里", Mode.ENDS),
    ("zh", "我最喜欢的颜色是蓝色。", "favourite colour:>>", "蓝色", Mode.HOLDS),
    ("zh", "我不喜欢吃寿司了。", "likes 寿司:>>", "no", Mode.HOLDS),
    ("zh", "我的房租涨到了3500元。", "rent:>>", "3500元", Mode.HOLDS),
]


@pytest.mark.parametrize(("language", "text", "key", "value", "mode"), TABLE)
def test_a_claim_has_its_attribute_its_subject_and_its_value(
    language: str, text: str, key: str, value: str, mode: Mode
) -> None:
    claim = claims_of(text, language=language)[0]

    assert (claim.key, claim.value, claim.mode) == (key, value, mode)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I lived in Rome for two years."),
        ("en", "I used to live in Porto."),
        ("en", "If I live in Rome, I will be happy."),
        ("en", "Where do I live?"),
        ("en", "She works at Acme."),
        ("en", "My boss is angry."),
        ("en", "I left the party early."),
        ("es", "Vivía en Roma."),
        ("es", "¿Dónde vivo?"),
        ("zh", "我以前住在广州。"),
        ("zh", "如果我住在罗马就好了。"),
        ("fr", "J'habite à Paris."),
    ],
)
def test_what_is_past_unreal_asked_or_unknown_claims_nothing(language: str, text: str) -> None:
    assert claims_of(text, language=language) == []


def test_a_speaker_with_a_name_is_its_own_subject() -> None:
    text = "Ana (2024-05-08): We moved to Lisbon last Friday."

    (claim,) = claims_of(text, language="en", speaker="Ana")

    assert claim.subject == "ana>>"


def test_a_statement_about_the_speaker_by_name_is_about_the_speaker() -> None:
    (claim,) = claims_of("Ana lives in Lisbon.", language="en", speaker="Ana")

    assert claim.subject == "ana>>"


def test_a_value_put_right_is_that_of_the_answer() -> None:
    (claim,) = claims_of("I live in Porto. — No, I meant Lisbon.", language="en")

    assert (claim.attribute, claim.value) == ("lives in", "lisbon")


@pytest.mark.parametrize(
    ("mine", "other", "same"),
    [
        ("porto", "porto portugal", True),
        ("porto", "lisbon", False),
        ("900 euros", "950 euros", False),
        ("上海", "上海市", True),
        ("", "acme", True),
    ],
)
def test_values_agree_when_one_has_the_words_of_the_other(
    mine: str, other: str, same: bool
) -> None:
    assert agree(mine, other) is same


@pytest.mark.parametrize("language", ["en", "es", "zh"])
@pytest.mark.parametrize("words", ["I really ", "my sister Ana ", "yo ya no ", "我现在", "a"])
def test_no_text_takes_long(language: str, words: str) -> None:
    text = words * (4_000 // len(words))
    begun = time.process_time()

    claims_of(text, language=language)

    assert time.process_time() - begun < 2.0
