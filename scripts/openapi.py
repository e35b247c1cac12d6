"""Writes docs/openapi.json from the gateway's code; with --check says whether it agrees."""

import argparse
import json
import sys
from pathlib import Path

from lightmem_gateway.app import describe

TARGET = Path(__file__).resolve().parents[1] / "docs" / "openapi.json"


def main() -> int:
    """Generate or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    text = json.dumps(describe(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    if not arguments.check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print("docs/openapi.json does not agree with the gateway: run 'make openapi'", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
