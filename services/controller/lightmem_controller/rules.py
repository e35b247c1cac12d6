"""What is searched for beside the question, by rules: each says its name in `PlannedQuery.rule`.

| rule | what it asks | for | in |
|---|---|---|---|
| `part` | each question of several in one | "Where does Ana live and what does she do?" | both |
| `kind` | what there is of a kind that is asked for | "Which pets has Ana?": dog, cat | both |
| `synonym` | the same done, said otherwise | "What did Ana buy?": got, ordered | `deep` |
| `entities` | the names alone | "When did Ana meet Jean in Rome?": Ana, Jean, Rome | `deep` |
| `declarative` | the question as a statement | "What did Ana buy?": Ana buy | `deep` |

`fast` asks what was seen to find more. Those of words are found by word alone, which costs no
encoding. Each weighs little beside the question, so that one which is beside the point does not
outweigh it.
"""

from collections.abc import Sequence

from lightmem.model import PlannedQuery
from lightmem_controller.parts import parts_of
from lightmem_controller.statement import as_statement
from lightmem_controller.words import lexicon_of

PART_WEIGHT = 0.3
KIND_WEIGHT = 0.3
SYNONYM_WEIGHT = 0.05
ENTITIES_WEIGHT = 0.05
DECLARATIVE_WEIGHT = 0.03
#: Words of a query of kinds or synonyms: the first that the question leads to.
MOST_WORDS = 48


def planned_by_rules(
    question: str, entities: Sequence[str], *, is_deep: bool
) -> list[PlannedQuery]:
    """The hypothetical queries of a question, those of each rule that has any."""
    parts = [PlannedQuery(part, PART_WEIGHT, "part") for part in parts_of(question)]
    lexicon = lexicon_of(question)
    kinds = [] if lexicon is None else lexicon.found(question, lexicon.narrower)
    queries = [*parts, *_of_words(kinds, KIND_WEIGHT, "kind")]
    if not is_deep:
        return queries
    synonyms = [] if lexicon is None else lexicon.found(question, lexicon.synonyms)
    queries += _of_words(synonyms, SYNONYM_WEIGHT, "synonym")
    queries += _of_entities(entities)
    if statement := as_statement(question):
        queries.append(PlannedQuery(statement, DECLARATIVE_WEIGHT, "declarative"))
    return queries


def _of_words(words: Sequence[str], weight: float, rule: str) -> list[PlannedQuery]:
    if not words:
        return []
    return [PlannedQuery(" ".join(words[:MOST_WORDS]), weight, rule, by_word=True)]


def _of_entities(entities: Sequence[str]) -> list[PlannedQuery]:
    """The names, where there are two or more: one alone is in most of what is found anyway."""
    if len(entities) < 2:
        return []
    return [PlannedQuery(" ".join(entities), ENTITIES_WEIGHT, "entities", by_word=True)]
