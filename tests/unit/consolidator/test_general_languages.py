"""General claims in Spanish and Chinese: of listed words alone, and of nobody."""

import pytest

from lightmem.model import Claim
from lightmem_consolidator.general_chinese import claims_in_chinese
from lightmem_consolidator.general_spanish import claims_in_spanish


def told(claims: list[Claim]) -> list[tuple[str, str, str]]:
    return [(one.subject.name, one.relation.value, one.target.name) for one in claims]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Mi perro Max tiene miedo a los truenos.", ("perro", "RelatedTo", "miedo a trueno")),
        ("Los perros son leales.", ("perro", "HasProperty", "leal")),
        ("Los peces son muy tranquilos.", ("pez", "HasProperty", "tranquilo")),
        ("Las tormentas son peligrosas y largas.", ("tormenta", "HasProperty", "peligroso")),
        ("El yoga me ayuda a dormir.", ("yoga", "Implies", "dormir")),
        ("A mi gato Sol le encanta el pescado.", ("gato", "RelatedTo", "pescado")),
        ("La música me relaja mucho.", ("música", "Implies", "relajarse")),
        ("La guitarra es un instrumento.", ("guitarra", "IsA", "instrumento")),
    ],
)
def test_spanish_sentences_claim_in_the_singular(text: str, claim: tuple[str, str, str]) -> None:
    assert told(list(claims_in_spanish(text))) == [claim]


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("我家的狗怕打雷。", ("狗", "RelatedTo", "害怕打雷")),
        ("狗很忠诚。", ("狗", "HasProperty", "忠诚")),
        ("绿茶让我放松。", ("绿茶", "Implies", "放松")),
        ("瑜伽能帮助我入睡，每天都做。", ("瑜伽", "Implies", "入睡")),
        ("猫喜欢吃鱼。", ("猫", "RelatedTo", "鱼")),
        ("吉他是一种乐器。", ("吉他", "IsA", "乐器")),
        ("音乐让我感到很放松。", ("音乐", "Implies", "放松")),
    ],
)
def test_chinese_clauses_claim_when_all_of_them_fits(
    text: str, claim: tuple[str, str, str]
) -> None:
    assert told(list(claims_in_chinese(text))) == [claim]


@pytest.mark.parametrize(
    "text",
    [
        "Los perros no son leales.",
        "¿Los perros son leales?",
        "Ojalá los perros sean leales.",
        "Mi hermana es tranquila.",
        "Rosa es tranquila.",
        "Mi perro se llama Bartolo.",
        "La insulina me ayuda a dormir.",
        "El perro de Marta es leal con Marta.",
        "Mi padre tiene miedo a los perros.",
        "Vivo en la calle Luna.",
    ],
)
def test_spanish_claims_nothing_of_people_names_doubts_and_illness(text: str) -> None:
    assert list(claims_in_spanish(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "狗不忠诚。",
        "狗很忠诚吗？",
        "如果狗很忠诚就好了。",
        # Names made of listed signs.
        "小雨很安静。",
        "白鸽很安静。",
        "王海喜欢猫。",
        "我妈妈很安静。",
        "小明怕狗。",
        "胰岛素让我放松。",
        "我家的狗小雪很安静。",
    ],
)
def test_chinese_claims_nothing_of_people_names_doubts_and_illness(text: str) -> None:
    assert list(claims_in_chinese(text)) == []
