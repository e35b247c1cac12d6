"""Which reader takes which format."""

from enum import StrEnum

from lightmem.ingest.json_lines import parse_json_lines
from lightmem.ingest.locomo import parse_locomo
from lightmem.ingest.openai_messages import parse_openai_messages
from lightmem.ingest.parsed import Parsed


class Format(StrEnum):
    """How a file of conversations is written."""

    LOCOMO = "locomo"
    JSONL = "jsonl"
    OPENAI = "openai"


def parse(text: str, form: Format, *, name: str) -> Parsed:
    """The conversations in a file's text.

    Args:
        name: What to call a session that the file does not name; the file's name will do.

    Raises:
        InvalidInput: the text as a whole is not of this format.
    """
    match form:
        case Format.LOCOMO:
            return parse_locomo(text)
        case Format.JSONL:
            return parse_json_lines(text, name=name)
        case Format.OPENAI:
            return parse_openai_messages(text, name=name)
