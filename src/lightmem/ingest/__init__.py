"""Files of conversations, read into turns: LoCoMo, JSON Lines and OpenAI messages."""

from lightmem.ingest.parsed import Fault, Parsed, SessionTurns
from lightmem.ingest.reading import Format, parse

__all__ = ["Fault", "Format", "Parsed", "SessionTurns", "parse"]
