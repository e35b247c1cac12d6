"""What is told of a ranking beside recall, and how two systems are compared."""

from lightmem_evaluation.locomo import Question
from lightmem_evaluation.scoring import Ranked, by_category, by_kind, differences, given, ranked
from lightmem_evaluation.systems import Found


def result(*items: str, evidence: tuple[str, ...] = ("t1",), kind: str = "") -> Ranked:
    question = Question("c/0", 4, "?", evidence, evidence, kind)
    return ranked(question, Found([(item,) for item in items]))


def test_all_evidence_counts_only_when_none_is_missing() -> None:
    metrics = result("t1", "t9", "t9", "t9", "t9", "t2", evidence=("t1", "t2")).metrics(
        ("t1", "t2")
    )

    assert metrics["recall@5"] == 0.5
    assert metrics["all_evidence@5"] == 0.0
    assert metrics["all_evidence@10"] == 1.0


def test_the_reciprocal_rank_is_that_of_the_first_evidence_found() -> None:
    assert result("t9", "t2", "t1", evidence=("t1", "t2")).metrics(("t1", "t2"))["mrr"] == 0.5
    assert result("t9").metrics(("t1",))["mrr"] == 0.0


def test_every_metric_has_its_interval() -> None:
    summary = by_category([result("t1"), result("t9")], given)["1-4"]

    for metric in ("recall@5", "all_evidence@10", "mrr"):
        low, high = summary[f"{metric}_interval"]
        assert low <= summary[metric] <= high


def test_a_difference_is_taken_question_by_question() -> None:
    ours = [result("t1"), result("t9")] * 20
    same = differences(ours, ours, given)["1-4"]
    better = differences(ours, [result("t9")] * 40, given)["1-4"]

    assert (same["recall@5"], same["recall@5_interval"]) == (0.0, [0.0, 0.0])
    assert better["recall@5"] == 0.5
    assert better["recall@5_interval"][0] > 0


def test_kinds_are_summed_up_where_the_data_name_them() -> None:
    named = [result("t1", kind="date"), result("t9", kind="date"), result("t1", kind="list")]

    found = by_kind(named, given)

    assert {kind: group["n"] for kind, group in found.items()} == {"date": 2, "list": 1}
    assert found["date"]["recall@5"] == 0.5
    assert by_kind([result("t1")], given) == {}
