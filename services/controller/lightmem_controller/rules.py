"""What is searched for beside the question, by rules: each says its name in `PlannedQuery.rule`.

| rule | what it asks | for |
|---|---|---|
| `part` | each question of several in one | "Where does Ana live and what does she do?" |
| `kind` | what there is of a kind that is asked for | "Which pets has Ana?": dog, cat |
| `synonym` | the same done, said otherwise | "What did Ana buy?": got, ordered |
| `entities` | the names alone | "When did Ana meet Jean in Rome?": Ana, Jean, Rome |
| `declarative` | the question as a statement, in `deep` alone | "What did Ana buy?": Ana bought |

Those of words are found by word alone, which costs no encoding. Each weighs little beside the
question, so that one which is beside the point does not outweigh it.
"""

from collections.abc import Sequence

from lightmem.model import PlannedQuery
from lightmem_controller.parts import parts_of
from lightmem_controller.statement import as_statement
from lightmem_controller.words import lexicon_of

PART_WEIGHT = 0.3
KIND_WEIGHT = 0.3
SYNONYM_WEIGHT = 0.1
ENTITIES_WEIGHT = 0.1
DECLARATIVE_WEIGHT = 0.15
#: Words of a query of kinds or synonyms: the first that the question leads to.
MOST_WORDS = 48


def planned_by_rules(
    question: str, entities: Sequence[str], *, is_deep: bool
) -> list[PlannedQuery]:
    """The hypothetical queries of a question, those of each rule that has any."""
    parts = [PlannedQuery(part, PART_WEIGHT, "part") for part in parts_of(question)]
    queries = [*parts, *_of_words(question), *_of_entities(question, entities)]
    if is_deep and (statement := as_statement(question)):
        queries.append(PlannedQuery(statement, DECLARATIVE_WEIGHT, "declarative"))
    return queries


def _of_words(question: str) -> list[PlannedQuery]:
    lexicon = lexicon_of(question)
    if lexicon is None:
        return []
    lists = (
        ("kind", KIND_WEIGHT, lexicon.narrower),
        ("synonym", SYNONYM_WEIGHT, lexicon.synonyms),
    )
    return [
        PlannedQuery(" ".join(words[:MOST_WORDS]), weight, rule, by_word=True)
        for rule, weight, listed in lists
        if (words := lexicon.found(question, listed))
    ]


def _of_entities(question: str, entities: Sequence[str]) -> list[PlannedQuery]:
    """The names, where there are two or more: one alone is in most of what is found anyway."""
    if len(entities) < 2:
        return []
    return [PlannedQuery(" ".join(entities), ENTITIES_WEIGHT, "entities", by_word=True)]
