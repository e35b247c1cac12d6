"""Which of the queries that were made up are about what was asked.

A model may propose to search for anything. On the development conversations 99 of 100 statements of
other conversations were within a cosine of 0.30 of the question, and 99 of 100 of its own statement
forms beyond 0.72; so what is further off than `NEAR` is planned and not searched for.
"""

from collections.abc import Mapping

from lightmem.ports import Encoded

#: Cosine of a query's vector and the question's, from which on it is searched for.
NEAR = 0.35


def far_off(encoded: Mapping[int, Encoded]) -> frozenset[int]:
    """Numbers of the queries that mean something else than the question, which has number 0.

    Lists of words have no vector and are never among them.
    """
    question = encoded.get(0)
    if question is None:
        return frozenset()
    return frozenset(
        number
        for number, query in encoded.items()
        if number and float(query.vector @ question.vector) < NEAR
    )
