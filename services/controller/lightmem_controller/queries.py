"""What is searched for: the question itself always, first and with the most weight."""

from collections.abc import Sequence

from lightmem.model import PlannedQuery

#: Weight of a query that a model made up: three that are all wrong stay below the question.
HYPOTHETICAL_WEIGHT = 0.15
MAX_HYPOTHETICAL = 3
MAX_CODE_POINTS = 200


def the_question(query: str) -> PlannedQuery:
    """The question as it was asked."""
    return PlannedQuery(query, 1.0, "query")


def hypothetical(query: str, proposed: Sequence[str]) -> list[PlannedQuery]:
    """Those of a model's proposals that can be searched for: bounded, new, plain text.

    A proposal can only add candidates; what is chosen is always something that was said.
    """
    taken = {_normal(query)}
    kept = []
    for text in proposed[:MAX_HYPOTHETICAL]:
        plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        if 0 < len(plain) <= MAX_CODE_POINTS and _normal(plain) not in taken:
            taken.add(_normal(plain))
            kept.append(PlannedQuery(plain, HYPOTHETICAL_WEIGHT, "hypothetical"))
    return kept


def _normal(text: str) -> str:
    return " ".join(text.casefold().split())
