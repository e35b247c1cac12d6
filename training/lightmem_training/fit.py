"""LambdaMART over the examples: seeded, monotone where sense says so, stopped by validation."""

from collections.abc import Callable, Sequence
from typing import Any

import lightgbm
import numpy as np

from lightmem_selector.features import NAMES, VIEWS
from lightmem_training.examples import Group, columns_of

#: Columns of which more never speaks against an item. What generated conversations would teach
#: against this is their own habit, and not that of others.
RISING = frozenset(
    {
        *(view.value for view in VIEWS),
        *(f"{view.value}.score" for view in VIEWS),
        *("relevance", "linear", "linear.over_fifth", "speaker", "dates", "answer", "names"),
        *("covered", "covered.around", "covered.rarest", "covered.words", "covered.share"),
    }
)
FALLING = frozenset(
    {"linear.rank", "other_speaker", "question", *(f"{view.value}.rank" for view in VIEWS)}
)
SEEDS = (1, 2, 3)
#: So much of the linear ranking is added to each ensemble: where the trees hardly tell items apart
#: it decides. Trees that began from it, to learn what it lacks, learnt the generator's ways.
LINEAR, LINEAR_COLUMN = 2.0, NAMES.index("linear")
#: More taught the ranker the generator's ways: the gain on other conversations fell again.
MOST_TREES = 70
PATIENCE = 40

PARAMETERS: dict[str, Any] = {
    "objective": "lambdarank",
    "metric": "ndcg",
    "eval_at": [10],
    "learning_rate": 0.04,
    "num_leaves": 15,
    "min_data_in_leaf": 40,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "feature_fraction": 0.4,
    "lambda_l2": 5.0,
    "lambdarank_truncation_level": 20,
    "monotone_constraints": [(name in RISING) - (name in FALLING) for name in NAMES],
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}


def fit(training: Sequence[Group], validation: Sequence[Group]) -> list[lightgbm.Booster]:
    """One ensemble a seed; their sum is the ranker.

    Args:
        validation: Groups of conversations that are not among the training ones; where there are
            none, all trees are kept.
    """
    return [_fit(training, validation, seed) for seed in SEEDS]


def score(boosters: Sequence[lightgbm.Booster], values: np.ndarray[Any, Any]) -> Any:
    """The sum of the ensembles, and of the linear ranking beside each."""
    trees: Any = [
        booster.predict(values, num_iteration=booster.best_iteration or None)
        for booster in boosters
    ]
    return np.sum(trees, axis=0) + LINEAR * len(boosters) * values[:, LINEAR_COLUMN]


def _fit(training: Sequence[Group], validation: Sequence[Group], seed: int) -> lightgbm.Booster:
    dataset = _dataset(training)
    watched = [_dataset(validation, reference=dataset)] if validation else []
    stop: list[Callable[..., Any]] = (
        [lightgbm.early_stopping(PATIENCE, verbose=False)] if validation else []
    )
    return lightgbm.train(
        {**PARAMETERS, "seed": seed},
        dataset,
        MOST_TREES,
        valid_sets=watched,
        callbacks=stop,
    )


def _dataset(
    groups: Sequence[Group], reference: lightgbm.Dataset | None = None
) -> lightgbm.Dataset:
    values, labels, sizes = columns_of(groups)
    return lightgbm.Dataset(
        values,
        labels,
        group=sizes,
        reference=reference,
        feature_name=[name.replace(":", "_") for name in NAMES],
    )
