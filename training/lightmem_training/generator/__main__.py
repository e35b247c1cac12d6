"""`python -m lightmem_training.generator --samples N --seed S --out FILE`."""

import argparse
import json
from dataclasses import replace
from pathlib import Path

from lightmem_training.generator.sample import Options, make_samples


def main() -> None:
    """Write generated conversations with questions as one JSON file."""
    parser = argparse.ArgumentParser(prog="lightmem_training.generator", description=main.__doc__)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--split", choices=["train", "valid"], default="train")
    parser.add_argument("--language", action="append", choices=["en", "es", "zh"])
    parser.add_argument("--mode", action="append", choices=["pair", "assistant", "group"])
    parser.add_argument("--sessions", type=int, nargs=2, default=(10, 30), metavar=("MIN", "MAX"))
    parser.add_argument("--questions", type=int, default=80, help="at most, of a conversation")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    options = Options(
        seed=given.seed,
        split=given.split,
        sessions=tuple(given.sessions),
        questions=given.questions,
    )
    if given.language:
        options = _replace(options, languages=tuple(given.language))
    if given.mode:
        options = _replace(options, modes=tuple(given.mode))
    samples = list(make_samples(given.samples, options))
    given.out.write_text(json.dumps(samples, ensure_ascii=False), encoding="utf-8")


def _replace(options: Options, **changed: object) -> Options:
    return replace(options, **changed)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
