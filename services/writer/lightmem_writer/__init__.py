"""The Writer: turns what was said into memories that say no more than that."""

from lightmem_writer.extract import ExtractStatements
from lightmem_writer.learn import LearnTurns

__all__ = ["ExtractStatements", "LearnTurns"]
