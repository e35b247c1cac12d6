"""The model that proposes changes, as it comes with the package."""

import json
import shutil
from pathlib import Path

import pytest

from lightmem.adapters.onnx import OnnxChangeProposer, open_changes
from lightmem.adapters.shipped import DATA
from lightmem.errors import InvalidInput
from lightmem.ports import StatedPair


@pytest.fixture(scope="module")
def proposer() -> OnnxChangeProposer:
    return open_changes("generated")


@pytest.mark.parametrize(
    ("older", "changed", "holds"),
    [
        (
            "I have yoga on Tuesday evenings.",
            "Yoga has moved to Thursdays because of the new teacher.",
            "Yoga on Tuesday was lovely.",
        ),
        (
            "Our landlord is called Piet.",
            "Piet sold the house, so we pay our rent to a Mrs Vos.",
            "Piet repaired the heating yesterday.",
        ),
        (
            "I drink three cups of coffee a day.",
            "I've given up coffee, it's only herbal tea for me.",
            "I had a coffee with Nadia at the station.",
        ),
        (
            "I play the cello.",
            "I sold my cello, I have no time to play.",
            "My niece plays the piano.",
        ),
    ],
)
async def test_a_change_is_told_from_more_talk_of_the_same(
    proposer: OnnxChangeProposer, older: str, changed: str, holds: str
) -> None:
    pairs = [StatedPair(older, changed), StatedPair(older, holds)]

    change, talk = await proposer.overtaking(pairs)

    assert change >= proposer.threshold > talk


async def test_pairs_read_together_are_as_likely_as_read_alone(
    proposer: OnnxChangeProposer,
) -> None:
    pairs = [
        StatedPair("I live with my parents.", "I have a flat of my own."),
        StatedPair(
            "I take the bus.", "The bus that I take every morning was late once again today."
        ),
    ]

    together = await proposer.overtaking(pairs)
    alone = [(await proposer.overtaking([pair]))[0] for pair in pairs]

    assert together == pytest.approx(alone, abs=1e-4)


async def test_nothing_is_read_of_no_pairs(proposer: OnnxChangeProposer) -> None:
    assert await proposer.overtaking([]) == []


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no model of changes"):
        open_changes("nowhere")
    with pytest.raises(InvalidInput, match=r"holds no model\.onnx"):
        open_changes(str(tmp_path))


def test_weights_that_do_not_match_their_card_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "changed"
    shutil.copytree(DATA / "changes" / "generated", folder)
    with (folder / "model.onnx").open("ab") as file:
        file.write(b"\0")

    with pytest.raises(InvalidInput, match="does not match its card"):
        open_changes(str(folder))


def test_a_model_of_another_tokenizer_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "other"
    shutil.copytree(DATA / "changes" / "generated", folder)
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    (folder / "card.json").write_text(json.dumps({**card, "tokenizer_sha256": "0"}))

    with pytest.raises(InvalidInput, match="another tokenizer"):
        open_changes(str(folder))
