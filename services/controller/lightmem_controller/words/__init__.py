"""Words that answers say where questions say others, by language."""

from lightmem_controller.words.lexicon import Lexicon, lexicon_of

__all__ = ["Lexicon", "lexicon_of"]
