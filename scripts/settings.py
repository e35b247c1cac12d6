"""Writes docs/settings.md from `lightmem.settings`; with --check says whether it agrees."""

import argparse
import sys
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from lightmem.settings import Settings

TARGET = Path(__file__).resolve().parents[1] / "docs" / "settings.md"
HEAD = """\
# Settings

Read from the environment when a process starts; nothing else is. URLs choose adapters, and the
defaults are the embedded system. `make settings` writes this page from `lightmem.settings`.

| variable | default | what |
|---|---|---|
"""


def main() -> int:
    """Generate or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    arguments = parser.parse_args()
    text = HEAD + "".join(_row(name, field) for name, field in Settings.model_fields.items())
    if not arguments.check:
        TARGET.write_text(text, encoding="utf-8")
        return 0
    if TARGET.exists() and TARGET.read_text(encoding="utf-8") == text:
        return 0
    print("docs/settings.md does not agree with the settings: run 'make settings'", file=sys.stderr)
    return 1


def _row(name: str, field: FieldInfo) -> str:
    what = field.description
    if not what:
        raise SystemExit(f"the setting {name} has no description")
    if get_origin(field.annotation) is Literal:
        what += f" One of {', '.join(f'`{each}`' for each in get_args(field.annotation))}."
    return (
        f"| `LIGHTMEM_{name.upper()}` | {_default(field)} | {what.replace('|', chr(92) + '|')} |\n"
    )


def _default(field: FieldInfo) -> str:
    value: Any = field.default
    if value is PydanticUndefined:
        return "`~/.local/share/lightmem`"
    if value is None or value == "" or isinstance(value, SecretStr):
        return "none"
    return f"`{value}`"


if __name__ == "__main__":
    sys.exit(main())
