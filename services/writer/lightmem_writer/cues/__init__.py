"""Small words that tell chatter from facts, and facts from plans, by language.

The tables are short on purpose: what is in none of them is kept, since a sentence too many costs
a little room and a fact too few cannot be recalled. A language without a table goes by length.
"""

from lightmem_writer.cues.model import Cues
from lightmem_writer.cues.tables import cues_for

__all__ = ["Cues", "cues_for"]
