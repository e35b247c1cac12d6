"""What conversations like those that are asked about would teach: trained on all of them but one.

An experiment: such weights show what data of a benchmark are worth, and are never shipped.
"""

from collections.abc import Sequence
from pathlib import Path

from lightmem.adapters.onnx import open_ranker
from lightmem.ports import Ranker
from lightmem_selector.features import NAMES, VERSION
from lightmem_selector.weights import Weights
from lightmem_training.examples import group_of, useful
from lightmem_training.export import to_onnx, write
from lightmem_training.fit import fit
from lightmem_training.pools import Question

CARD = {"origin": "an experiment, not to be shipped"}


def rankers_of_others(
    names: Sequence[str], questions: Sequence[Question], folder: Path
) -> dict[str, Ranker]:
    """For each conversation a ranker that was trained on the questions to the others.

    Args:
        names: The conversations.
        folder: Takes the weights, in a folder for each conversation.

    Returns:
        Rankers by conversation; none for one whose others teach nothing.
    """
    groups = [group_of(question, Weights()) for question in questions]
    rankers: dict[str, Ranker] = {}
    for name in names:
        others = useful(group for group in groups if group.conversation != name)
        if not others:
            continue
        write(folder / name, to_onnx(fit(others, [])), CARD)
        rankers[name] = open_ranker(
            str((folder / name).absolute()), features_version=VERSION, columns=NAMES
        )
    return rankers
