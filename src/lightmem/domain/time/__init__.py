"""Dates in text: found by rules of each language, resolved against when and where it was said.

Read `find.py` for how a text is searched, `english.py`, `spanish.py` and `chinese.py` for what
each language can say, `resolve.py` for what it means, `calendar.py` for the arithmetic.
"""

from lightmem.domain.time.find import DateMention, find_dates
from lightmem.domain.time.language import Relation

__all__ = ["DateMention", "Relation", "find_dates"]
