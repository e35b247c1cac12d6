"""Files that come with the package, checked against their card: encoders, tokenizers."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lightmem.errors import InvalidInput

DATA = Path(__file__).resolve().parent.parent / "data"


def read_card(folder: Path) -> Mapping[str, Any]:
    """The folder's `card.json`; empty where there is none, as in a folder of the operator's."""
    path = folder / "card.json"
    if not path.is_file():
        return {}
    card: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return card


def read_checked(folder: Path, name: str, *, setting: str) -> tuple[bytes, str]:
    """A file of the folder and its SHA-256 in hexadecimal.

    Raises:
        InvalidInput: it is missing, or its card says another hash. `setting` names the field.
    """
    path = folder / name
    if not path.is_file():
        raise InvalidInput.of(setting, f"{folder.name!r} holds no {name}")
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    expected = read_card(folder).get("sha256", {}).get(name, found)
    if found != expected:
        raise InvalidInput.of(setting, f"{name} of {folder.name!r} does not match its card")
    return content, found
