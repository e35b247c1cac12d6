"""The deterministic extractor."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lightmem.domain.sentences import split_sentences
from lightmem.model import MemoryKind, Precision, Role, Statement
from lightmem_writer.cues import cues_for
from lightmem_writer.rules import extract_by_rules
from lightmem_writer.telling import Speech, carries_fact
from support.turns import a_talk, a_turn


def learnt(*lines: tuple[str, str]) -> list[str]:
    return [statement.text for statement in extract_by_rules(a_talk(*lines))]


def only(statements: list[Statement]) -> Statement:
    (statement,) = statements
    return statement


@pytest.mark.parametrize(
    "chatter",
    [
        "Hey Ben! Good to see you! How have you been?",
        "Wow, that's great!",
        "Thanks a lot, Ben!",
        "Thanks for having my back.",
        "That sounds amazing. Good luck!",
        "I'm so happy for you!",
        "You did a great job, Ben.",
        "Take care!",
        "I totally agree.",
        "How many children do you have?",
        "Ok.",
        "👍",
        "¡Hola! ¿Cómo estás?",
        "Muchas gracias.",
        "¡Qué bien! Me alegro por ti.",
        "谢谢！太好了！",
        "你好吗？",
        "Merci beaucoup !",
        "Danke, das klingt toll!",
        "You made everyone so comfortable.",
        "Family dinners are so important!",
        "I appreciate your kindness and your patience.",
        "I'm so lucky to have friends like you here.",
        "Whenever you need my help, just let me know.",
        "I'll definitely check it out sometime.",
        "So much has happened in my life.",
        "Then October.",
        "And some old friends from other towns.",
        "They were amazed and humbled by my speech.",
    ],
)
def test_what_says_nothing_lasting_gives_nothing(chatter: str) -> None:
    assert learnt(("Ana", chatter), ("Ben", "Mm.")) == []


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "I work as a nurse in Oslo."),
        ("en", "My sister Clara adopted two cats."),
        ("es", "Trabajo como enfermera en un hospital de Oslo."),
        ("es", "Mi hermana adoptó dos gatos."),
        ("fr", "Je travaille dans un hôpital à Oslo."),
        ("de", "Ich arbeite in einem Krankenhaus in Oslo."),
        ("it", "Lavoro in un ospedale di Oslo con mia sorella."),
        ("pt", "Eu trabalho em um hospital de Lisboa."),
        ("zh", "我在上海的一家医院工作。"),
        ("ja", "私は東京の病院で働いています。"),
    ],
)
def test_a_fact_is_kept_word_for_word_in_its_language(language: str, words: str) -> None:
    statement = only(extract_by_rules([a_turn(words)]))

    assert statement.text == f"Ana: {words}"
    assert statement.language == language
    assert statement.sources[0].quote == words


def test_a_statement_that_leans_on_its_day_tells_it() -> None:
    statement = only(extract_by_rules([a_turn("We moved to Lisbon last Friday.")]))

    assert statement.text == "Ana (2024-05-08): We moved to Lisbon last Friday."
    assert statement.valid_from == datetime(2024, 5, 3, tzinfo=UTC)
    assert statement.valid_precision is Precision.DAY


def test_the_day_is_that_of_the_place_where_it_was_said() -> None:
    late = datetime(2024, 5, 8, 23, 30, tzinfo=UTC)
    turn = a_turn("I bought a bike today.", occurred_at=late, utc_offset_minutes=120)

    assert only(extract_by_rules([turn])).text.startswith("Ana (2024-05-09): ")


def test_without_a_date_nothing_is_said_of_one() -> None:
    statement = only(extract_by_rules([a_turn("I live in Lisbon with my cats.")]))

    assert (statement.valid_from, statement.valid_to, statement.valid_precision) == (
        None,
        None,
        None,
    )


def test_the_user_without_a_name_needs_none() -> None:
    statement = only(extract_by_rules([a_turn("I live in Lisbon.", speaker=None)]))

    assert statement.text == "I live in Lisbon."


def test_what_an_assistant_said_carries_its_name() -> None:
    turn = a_turn("Your train leaves Oslo at 7:30.", speaker=None, role=Role.ASSISTANT)
    german = a_turn("Der Zug nach Oslo fährt um 7:30.", speaker=None, role=Role.ASSISTANT)

    texts = [one.text for one in extract_by_rules([turn]) + extract_by_rules([german])]

    assert texts == [
        "assistant: Your train leaves Oslo at 7:30.",
        "Assistent: Der Zug nach Oslo fährt um 7:30.",
    ]


def test_system_turns_give_nothing() -> None:
    assert extract_by_rules([a_turn("I live in Lisbon.", role=Role.SYSTEM)]) == []


def test_only_the_sentences_that_say_something_are_kept() -> None:
    turn = a_turn("Wow, thanks Ben! I started a pottery class. What about you?")

    assert only(extract_by_rules([turn])).sources[0].quote == "I started a pottery class."


def test_a_sentence_that_leans_on_the_one_before_stays_with_it() -> None:
    turn = a_turn("I adopted a dog named Rex. He is two years old. My job is fine too.")

    texts = [one.text for one in extract_by_rules([turn])]

    assert texts == [
        "Ana: I adopted a dog named Rex. He is two years old.",
        "Ana: My job is fine too.",
    ]


def test_a_short_answer_is_kept_with_its_question() -> None:
    statements = extract_by_rules(
        a_talk(("Ben", "How long have you been married?"), ("Ana", "Since 2016!"))
    )

    statement = only(statements)
    assert statement.text == "Ben: How long have you been married? — Ana: Since 2016!"
    assert [source.turn_id for source in statement.sources] == ["s1-0002", "s1-0001"]
    assert statement.valid_from == datetime(2016, 1, 1, tzinfo=UTC)


def test_a_fragment_is_kept_with_what_it_goes_on_from() -> None:
    turn = a_turn("My new class is in a tiny studio. Makes me feel at home. I bought shoes too.")

    texts = [one.text for one in extract_by_rules([turn])]

    assert texts == [
        "Ana: My new class is in a tiny studio. Makes me feel at home.",
        "Ana: I bought shoes too.",
    ]


def test_a_fragment_without_a_question_is_none_and_with_it_an_answer() -> None:
    answer = ("Ana", "A mix of folk songs and old waltzes.")

    alone = learnt(("Ben", "We had dinner in my garden."), answer)[1:]
    asked = learnt(("Ben", "What does your choir sing now?"), answer)

    assert alone == []
    assert asked == [
        "Ben: What does your choir sing now? — Ana: A mix of folk songs and old waltzes."
    ]


def test_who_is_meant_comes_with_the_sentence_before() -> None:
    turn = a_turn("The children in the shelter sang. They made me cry.")

    assert only(extract_by_rules([turn])).text == (
        "Ana: The children in the shelter sang. They made me cry."
    )


def test_a_plan_that_leans_on_who_is_meant_is_kept_for_its_date() -> None:
    statement = only(extract_by_rules([a_turn("They operate on my knee on 22 November.")]))

    assert statement.valid_from == datetime(2024, 11, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("We moved to Lisbon last week.", datetime(2024, 4, 29), datetime(2024, 5, 6)),  # noqa: DTZ001
        ("I'm going to visit my aunt in July.", datetime(2024, 7, 1), datetime(2024, 8, 1)),  # noqa: DTZ001
        ("We live in Lisbon with our cats.", None, None),
        ("I have been a nurse since 2019.", datetime(2019, 1, 1), None),  # noqa: DTZ001
        ("I am a nurse in Oslo until 2026.", None, datetime(2027, 1, 1)),  # noqa: DTZ001
        ("I am a nurse in Oslo this year.", datetime(2024, 1, 1), None),  # noqa: DTZ001
        ("I was a nurse in Oslo this year.", datetime(2024, 1, 1), datetime(2025, 1, 1)),  # noqa: DTZ001
        ("I was a nurse in Oslo in 2019.", datetime(2019, 1, 1), datetime(2020, 1, 1)),  # noqa: DTZ001
        ("My exam in Oslo is on 3 June.", datetime(2024, 6, 3), datetime(2024, 6, 4)),  # noqa: DTZ001
        ("La semana pasada compré una casa.", datetime(2024, 4, 29), datetime(2024, 5, 6)),  # noqa: DTZ001
    ],
)
def test_what_happens_ends_with_its_time_and_what_is_goes_on(
    words: str, start: datetime | None, end: datetime | None
) -> None:
    statement = only(extract_by_rules([a_turn(words)]))

    assert [statement.valid_from, statement.valid_to] == [
        edge.replace(tzinfo=UTC) if edge else None for edge in (start, end)
    ]


@pytest.mark.parametrize(
    ("asked", "year"), [("When did you two marry?", 2023), ("When will you two marry?", 2024)]
)
def test_a_bare_date_looks_where_its_question_looks(asked: str, year: int) -> None:
    statement = only(extract_by_rules(a_talk(("Ben", asked), ("Ana", "The sixth of October!"))))

    assert statement.valid_from == datetime(year, 10, 6, tzinfo=UTC)
    assert len(statement.sources) == 2


def test_a_bare_date_looks_where_the_sentence_before_looks() -> None:
    statements = extract_by_rules(
        [a_turn("We want to marry in Rome. Thanks! The sixth of February is our date.")]
    )

    assert statements[-1].valid_from == datetime(2025, 2, 6, tzinfo=UTC)


def test_a_farewell_answers_nothing() -> None:
    assert learnt(("Ben", "See you on the court?"), ("Ana", "Bye Ben!")) == []


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (MemoryKind.PLAN, "I'm going to visit my aunt in Porto."),
        (MemoryKind.PREFERENCE, "I really love jazz and old films."),
        (MemoryKind.EVENT, "I ran a charity race yesterday."),
        (MemoryKind.RELATION, "My sister Clara is a dentist."),
        (MemoryKind.FACT, "I am a nurse in a small clinic."),
        (MemoryKind.PLAN, "Mañana voy a visitar a mi tía."),
        (MemoryKind.PREFERENCE, "我很喜欢爵士乐和老电影。"),
    ],
)
def test_cues_tell_the_kind(kind: MemoryKind, words: str) -> None:
    assert only(extract_by_rules([a_turn(words)])).kind is kind


def test_names_become_entities() -> None:
    statement = only(extract_by_rules([a_turn("I met Clara Berg in New York.")]))

    assert statement.entities == ["Ana", "Clara Berg", "New York"]
    hailed = only(extract_by_rules([a_turn("I love this town, Hey Clara.")]))
    assert hailed.entities == ["Ana", "Clara"]


def test_a_photo_caption_was_not_said() -> None:
    turn = a_turn("I took this on my trip.", metadata={"caption": "a photo of two red boats"})

    assert all("boats" not in one.text for one in extract_by_rules([turn]))


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=120),
        min_size=1,
        max_size=4,
    )
)
def test_every_quote_is_a_substring_of_its_turn(contents: list[str]) -> None:
    turns = a_talk(*[("Ana", content) for content in contents])
    by_id = {turn.id: turn.content for turn in turns}

    for statement in extract_by_rules(turns):
        assert statement.sources
        assert all(source.quote in by_id[source.turn_id] for source in statement.sources)


@pytest.mark.parametrize(
    "content",
    ["a " * 16_384, "我" * 32_768, "." * 32_768, "I like " * 4_681, "1-" * 16_384, "Ab " * 10_900],
    ids=lambda content: content[:4],
)
def test_a_turn_of_the_greatest_length_is_read_quickly(content: str) -> None:
    begun = time.perf_counter()

    extract_by_rules([a_turn(content)])

    assert time.perf_counter() - begun < 3


@pytest.mark.parametrize(
    "words",
    [
        "We all have our own ways of growing old.",
        "We can learn a great deal if we ask questions.",
        "The sea has a way of making us feel small.",
        "Hopefully, she gets a quiet desk soon.",
        "I'll keep you posted about the studio.",
        "I hope your cold goes away soon.",
        "I wish you the best for the party.",
        "You're always thinking of others before yourself.",
    ],
)
def test_what_holds_for_everyone_or_is_only_wished_is_not_learnt(words: str) -> None:
    assert extract_by_rules(a_talk(("Ana", words))) == []


@pytest.mark.parametrize(
    "words",
    [
        "I need my plants around me, they keep me calm.",
        "We can see Lake Bled from our kitchen.",
        "We can see the harbour from our kitchen.",
        "We all moved to Lisbon in 2016.",
        "I hope to visit Japan next year.",
    ],
)
def test_a_general_word_does_not_hide_what_is_told_of_someone(words: str) -> None:
    assert len(extract_by_rules(a_talk(("Ana", words)))) == 1


@pytest.mark.parametrize(
    "words",
    [
        "Been vegan since March.",
        "No more coffee for me.",
        "Turns out I'm allergic to shellfish.",
        "Meet Rex, our new puppy.",
    ],
)
def test_the_speaker_left_out_is_understood(words: str) -> None:
    assert only(extract_by_rules(a_talk(("Ana", words)))).sources[0].quote == words


def test_an_answer_of_one_word_is_learnt_with_its_question() -> None:
    turns = [
        a_turn("Where do you live now?", speaker="Ben", number=1),
        a_turn("Lisbon.", speaker="Ana", number=2),
    ]

    statement = only(extract_by_rules(turns))

    assert statement.text == "Ben: Where do you live now? — Ana: Lisbon."
    assert [source.quote for source in statement.sources] == ["Lisbon.", "Where do you live now?"]


def test_a_yes_to_what_nothing_hangs_on_is_not_learnt() -> None:
    turns = [
        a_turn("Shall we go on?", speaker="Ben", number=1),
        a_turn("Yes.", speaker="Ana", number=2),
    ]

    assert extract_by_rules(turns) == []


@pytest.mark.parametrize(
    ("language", "words", "is_learnt"),
    [
        ("en", "Sorry, 270.", True),
        ("en", "Hang on, it's the 15th.", True),
        ("en", "Sorry, Ben.", False),
        ("en", "No, it is fine.", False),
        ("es", "Perdona, fueron 350 euros.", True),
        ("es", "No, es tarde.", False),
        ("zh", "不对，是九百块。", True),
    ],
)
def test_a_number_or_a_name_that_puts_right_is_learnt(
    language: str, words: str, is_learnt: bool
) -> None:
    speech = Speech(a_turn(words), language, cues_for(language), frozenset())

    [sentence] = split_sentences(words)

    assert carries_fact(sentence, speech) is is_learnt


def test_he_in_spanish_is_no_pronoun() -> None:
    turns = [
        a_turn("El tren llegó muy tarde, ¿sabes?", speaker=None, number=1),
        a_turn("He vuelto a comer carne.", speaker=None, number=2),
    ]

    assert extract_by_rules(turns)[-1].text == "He vuelto a comer carne."
