"""What tells a change of something known, in words that no attribute has, and what does not."""

import pytest

from lightmem.model import MemoryKind
from lightmem_writer.changing import change_told
from lightmem_writer.slips import puts_right

FACTS = (MemoryKind.FACT, MemoryKind.FACT)


@pytest.mark.parametrize(
    ("language", "known", "new"),
    [
        ("en", "I put whole milk in everything.", "We switched to oat milk at home."),
        ("en", "I run the front desk at the clinic.", "Marta took over my job at the front desk."),
        ("en", "Our dog Rex sleeps on the sofa.", "Rex sleeps in a crate now."),
        ("en", "My landlord is Mr. Ashdown.", "Our new landlord is a company called Brickhill."),
        ("en", "I play the cello in the orchestra.", "I've left the orchestra for good."),
        ("es", "Voy al trabajo en bicicleta.", "Dejé la bicicleta, voy en metro."),
        ("zh", "我妈妈的血压药是早上吃一片。", "医生把妈妈的血压药改成晚上吃半片。"),
    ],
)
def test_a_change_is_told_in_whatever_words(language: str, known: str, new: str) -> None:
    assert change_told(new, known, kinds=FACTS, language=language)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("I have a cat.", "We also took over a cat from the shelter."),
        ("I play the cello in the orchestra.", "My sister left the orchestra."),
        ("My brother Sam works at the bakery.", "My neighbour Sam left the bakery."),
        ("I love the orchestra.", "I won't quit the orchestra."),
        ("I'm learning the violin.", "I'm learning German now."),
        ("I read fantasy books.", "I'm reading a fantasy book these days."),
        ("I volunteer at the shelter.", "If I left the shelter, they would miss me."),
    ],
)
def test_what_is_said_besides_changes_nothing(known: str, new: str) -> None:
    assert not change_told(new, known, kinds=FACTS, language="en")


def test_what_happened_once_is_not_changed_by_what_ends_later() -> None:
    kinds = (MemoryKind.FACT, MemoryKind.EVENT)

    assert not change_told(
        "I've left the orchestra.", "I joined the orchestra.", kinds=kinds, language="en"
    )


@pytest.mark.parametrize(
    ("language", "known", "new"),
    [
        ("en", "My niece starts at St Aidan's in May.", "Wait, no, it's St Brendan's."),
        ("en", "I paid 240 for the boiler.", "Sorry, 270."),
        ("es", "El tren llega a las cinco.", "Uy, no, llega a las seis y media."),
        ("zh", "表妹的婚礼在十月三号。", "哦不对，是十月五号。"),
    ],
)
def test_who_misspoke_puts_right_what_was_said_before(language: str, known: str, new: str) -> None:
    assert puts_right(new, known, language=language)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("I paid 240 for the boiler.", "The invoice came on Monday."),
        ("We went to the lake with the whole family.", "Sorry, I have to take this call now."),
    ],
)
def test_another_matter_puts_nothing_right(known: str, new: str) -> None:
    assert not puts_right(new, known, language="en")
