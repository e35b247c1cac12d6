"""The records of decisions: one number each, all of them in the index."""

import re
from pathlib import Path

RECORDS = Path(__file__).parents[2] / "docs" / "adr"


def test_every_record_has_a_number_of_its_own_and_a_line_in_the_index() -> None:
    files = sorted(path.name for path in RECORDS.glob("0*.md"))

    numbers = [name[:4] for name in files]
    listed = re.findall(r"^\| \[(\d{4})\]\(([^)]+)\)", (RECORDS / "README.md").read_text(), re.M)

    assert len(set(numbers)) == len(numbers)
    assert listed == list(zip(numbers, files, strict=True))
    for name in files:
        assert (RECORDS / name).read_text().startswith(f"# {name[:4]} ")
