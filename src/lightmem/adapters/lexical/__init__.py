"""Sparse BM25 vectors by the language of the text."""

from lightmem.adapters.lexical.encoder import SnowballLexicalEncoder

__all__ = ["SnowballLexicalEncoder"]
