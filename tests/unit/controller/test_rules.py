"""What is searched for beside the question: each rule, what makes it and what it asks."""

import pytest

from lightmem.domain.asking import wants_of
from lightmem_controller.rules import planned_by_rules
from lightmem_controller.words import lexicon_of


def asked(question: str, *entities: str, is_deep: bool = False) -> dict[str, list[str]]:
    """The texts of the hypothetical queries of a question, by rule."""
    found: dict[str, list[str]] = {}
    for query in planned_by_rules(question, entities, is_deep=is_deep):
        found.setdefault(query.rule, []).append(query.text)
    return found


@pytest.mark.parametrize(
    ("question", "narrower"),
    [
        ("Which pets does Ana have?", {"dog", "cat"}),
        ("¿Qué mascotas tiene Ana?", {"perro", "gato"}),
        ("小明有哪些宠物？", {"狗", "猫"}),
        ("What instruments does Ben play?", {"guitar", "piano"}),
    ],
)
def test_a_kind_is_asked_for_by_what_there_is_of_it(question: str, narrower: set[str]) -> None:
    (words,) = asked(question)["kind"]

    assert narrower <= set(words.split())


def test_a_word_that_the_question_has_is_not_added_to_it() -> None:
    (words,) = asked("Is the dog the only pet?")["kind"]

    assert "dog" not in words.split()
    assert "cat" in words.split()


@pytest.mark.parametrize(
    ("question", "word"),
    [("What did Ana buy?", "got"), ("¿Qué compró Ana?", "compré"), ("小明买了什么？", "订")],
)
def test_what_is_done_is_asked_for_in_other_words(question: str, word: str) -> None:
    (words,) = asked(question, is_deep=True)["synonym"]

    assert word in words.split()


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "Where does Ana live and what does she do?",
            ["Where does Ana live", "what does she do"],
        ),
        ("Where does Ana live? Who is Ben?", ["Where does Ana live", "Who is Ben"]),
        ("¿Dónde vive Ana y qué hace?", ["Dónde vive Ana", "qué hace"]),
        ("小明住在哪里，还有谁跟他住？", ["小明住在哪里", "谁跟他住"]),
    ],
)
def test_each_part_of_a_compound_question_is_asked(question: str, parts: list[str]) -> None:
    assert asked(question)["part"] == parts


@pytest.mark.parametrize("question", ["What do Ana and Ben eat?", "Who is Ana?", "When?"])
def test_one_question_has_no_parts(question: str) -> None:
    assert "part" not in asked(question)


def test_two_names_are_asked_for_alone_and_one_is_not() -> None:
    found = asked("Where did Ana meet Jean?", "Ana", "Jean", is_deep=True)

    assert found["entities"] == ["Ana Jean"]
    assert "entities" not in asked("Where is Ana?", "Ana", is_deep=True)


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("What did Ana buy in Rome?", "Ana buy in Rome"),
        ("How many dogs does Ana have?", "dogs Ana have"),
        ("¿Dónde vive Ana?", "vive Ana"),
        ("小明住在哪里？", "小明住在"),
    ],
)
def test_a_question_is_put_as_a_statement_in_deep_alone(question: str, statement: str) -> None:
    assert asked(question, is_deep=True)["declarative"] == [statement]
    assert "declarative" not in asked(question)


def test_lists_of_words_cost_no_encoding_and_weigh_less_than_the_question() -> None:
    question = "Which pets did Ana and Ben buy?"
    queries = planned_by_rules(question, ("Ana", "Ben"), is_deep=True)

    by_word = [query for query in queries if query.by_word]
    assert {query.rule for query in by_word} == {"kind", "synonym", "entities"}
    assert sum(query.weight for query in queries) < 1.0


def test_fast_asks_less_than_deep_and_no_model() -> None:
    question = "Which pets did Ana and Ben buy?"

    assert asked(question, "Ana", "Ben").keys() == {"kind"}
    assert asked(question, "Ana", "Ben", is_deep=True).keys() == {
        "kind",
        "synonym",
        "entities",
        "declarative",
    }


@pytest.mark.parametrize("question", ["Hvor bor Ana?", "где живёт Анна?", "???"])
def test_a_language_without_lists_is_asked_as_it_is(question: str) -> None:
    assert not {"kind", "synonym"} & asked(question).keys()


def test_every_list_can_be_read() -> None:
    for question in ("Where is the dog?", "¿Dónde está el perro?", "狗在哪里？"):
        lexicon = lexicon_of(question)
        assert lexicon is not None
        assert all(key and words for key, words in lexicon.narrower.items())
        assert all(key and words for key, words in lexicon.synonyms.items())


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("When did Ana move?", ("date",)),
        ("¿Cuándo se mudó Ana?", ("date",)),
        ("小明什么时候搬家的？", ("date",)),
        ("Who gave Ana the lamp?", ("person",)),
        ("Where does Ana live?", ("place",)),
        ("What books has Ana read?", ("list",)),
        ("What do Ana and Ben have in common?", ("list",)),
        ("¿Qué libros ha leído Ana?", ("list",)),
        ("小明读过哪些书？", ("list",)),
        ("Why did Ana quit?", ("reason",)),
        ("Did Ana quit?", ("yes_or_no",)),
        ("Would Ana like the sea?", ("yes_or_no", "inference")),
        ("What did Ana buy?", ()),
    ],
)
def test_what_is_wanted_is_told_by_the_words_that_ask(
    question: str, wanted: tuple[str, ...]
) -> None:
    assert wants_of(question) == wanted
