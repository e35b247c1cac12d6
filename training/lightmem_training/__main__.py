"""`python -m lightmem_training`: from generated conversations to the weights of the ranker.

    python -m lightmem_training --out FOLDER

Makes conversations, puts them into the real embedded system, gathers the pool of every question,
and writes the trained ranker with its card.
"""

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from lightmem.adapters.onnx.ranker import open_ranker
from lightmem.ports import Ranker
from lightmem_selector.features import NAMES, VERSION
from lightmem_selector.weights import Weights
from lightmem_training.conversations import Conversation, conversations_of
from lightmem_training.examples import Group, group_of, useful
from lightmem_training.export import to_onnx, write
from lightmem_training.fit import SEEDS, fit
from lightmem_training.generator.sample import Options, make_samples
from lightmem_training.measure import evidence_recall
from lightmem_training.pools import Question, gather_pools

SEED = 20_261_130
CONVERSATIONS = 16
COARSE_POOL = 100
#: Every so many of the generated conversations, one is held out to stop by.
HELD_OUT = 6

console = Console(highlight=False)


def generated(count: int, seed: int) -> list[Conversation]:
    """Conversations of the generator, the same at every run of one version.

    They are told in the lines and words that the encoder was not trained on: over what it has
    learnt by heart a ranker would learn to trust it more than others' conversations deserve.
    """
    options = Options(seed=seed, split="valid", sessions=(6, 18), questions=60)
    text = json.dumps(list(make_samples(count, options)), ensure_ascii=False)
    return conversations_of(text, name="generated")


def gathered(conversations: Sequence[Conversation]) -> list[Question]:
    """The pools of all questions, from a system in a folder that is then removed."""

    async def gather(folder: Path) -> list[Question]:
        found = gather_pools(conversations, folder, coarse_pool=COARSE_POOL)
        return [question async for question in found]

    with tempfile.TemporaryDirectory(prefix="lightmem-training-") as folder:
        return asyncio.run(gather(Path(folder)))


def train(questions: Sequence[Question], out: Path, card: dict[str, Any]) -> Ranker:
    """Fit on the questions, write the weights into `out`, and open them as the product does."""
    names = sorted({question.conversation for question in questions})
    held_out = set(names[::HELD_OUT]) if len(names) > 1 else set()
    groups = useful(group_of(question, Weights()) for question in questions)
    boosters = fit(_but(groups, held_out), [g for g in groups if g.conversation in held_out])
    trees = [booster.best_iteration or booster.num_trees() for booster in boosters]
    about = {"trees": trees, "seeds": list(SEEDS), "questions": len(groups)}
    write(out, to_onnx(boosters), {**card, "training": {**card.get("training", {}), **about}})
    ranker = open_ranker(str(out.absolute()), features_version=VERSION, columns=NAMES)
    asked = [question for question in questions if question.conversation in held_out]
    if asked:
        measured = {
            "linear": evidence_recall(asked, lambda _: None, Weights()),
            "ranker": evidence_recall(asked, lambda _: ranker, Weights()),
        }
        console.print("held-out generated conversations", measured)
        _add_to_card(out, {"held_out": {"conversations": len(held_out), **measured}})
    return ranker


def _but(groups: Sequence[Group], held_out: set[str]) -> list[Group]:
    return [group for group in groups if group.conversation not in held_out]


def _add_to_card(out: Path, more: dict[str, Any]) -> None:
    path = out / "card.json"
    card = {**json.loads(path.read_text(encoding="utf-8")), **more}
    path.write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _card(count: int, seed: int) -> dict[str, Any]:
    return {
        "name": "Ranker of recalled turns and memories",
        "kind": "LambdaMART, an ensemble of regression trees summed over its seeds",
        "licence": "Apache-2.0",
        "origin": "trained by this project on conversations of its own generator; no conversation"
        " of a benchmark was trained on",
        "use": "orders the best of a pool for one question; the score is no probability",
        "training": {"conversations": count, "seed": seed},
    }


def main() -> None:
    """Train and say what was learnt."""
    parser = argparse.ArgumentParser(prog="lightmem_training", description=main.__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the ranker")
    parser.add_argument("--conversations", type=int, default=CONVERSATIONS, help="generated ones")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--measure", type=Path, metavar="FILE", help="also measure on these")
    given = parser.parse_args()
    # One thread a library: the machine's other cores are not this command's.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    card = _card(given.conversations, given.seed)
    ranker = train(gathered(generated(given.conversations, given.seed)), given.out, card)
    if given.measure:
        text = given.measure.read_text("utf-8")
        questions = gathered(conversations_of(text, name=given.measure.stem))
        console.print("linear", evidence_recall(questions, lambda _: None, Weights()))
        console.print("ranker", evidence_recall(questions, lambda _: ranker, Weights()))


if __name__ == "__main__":
    main()
