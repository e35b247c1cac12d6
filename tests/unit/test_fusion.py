"""Scores of several views become one without losing what they say."""

from hypothesis import given
from hypothesis import strategies as st

from lightmem.domain.fusion import min_max, ranks

pools = st.dictionaries(st.text(max_size=3), st.floats(-1e6, 1e6), max_size=8)


@given(pools)
def test_stretched_scores_lie_between_0_and_1_in_the_same_order(
    scores: dict[str, float],
) -> None:
    stretched = min_max(scores)

    assert stretched.keys() == scores.keys()
    assert all(0.0 <= value <= 1.0 for value in stretched.values())
    best_first = sorted(scores, key=lambda key: -scores[key])
    assert [stretched[key] for key in best_first] == sorted(stretched.values(), reverse=True)


def test_distances_are_kept() -> None:
    assert min_max({"a": 10.0, "b": 9.0, "c": 0.0}) == {"a": 1.0, "b": 0.9, "c": 0.0}


def test_a_pool_that_holds_all_has_its_zero_where_nothing_matches() -> None:
    assert min_max({"a": 10.0, "b": 9.0}, is_cut=False) == {"a": 1.0, "b": 0.9}
    assert min_max({"a": 1.0, "b": -1.0}, is_cut=False) == {"a": 1.0, "b": 0.0}


def test_equal_scores_are_all_the_best() -> None:
    assert min_max({"a": 3.0, "b": 3.0}) == {"a": 1.0, "b": 1.0}


def test_ranks_count_from_one_and_break_ties_by_key() -> None:
    assert ranks({"b": 1.0, "a": 1.0, "c": 2.0}) == {"c": 1, "a": 2, "b": 3}
