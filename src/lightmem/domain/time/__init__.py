"""Dates in text: found by rules of each language, resolved against when and where it was said.

Read `find.py` for how a text is searched, `english.py`, `spanish.py` and `chinese.py` for what
each language can say, `outlook.py` and `tenses.py` for whether a date is to come or over,
`resolve.py` for what it means, `calendar.py` for the arithmetic.
"""

from lightmem.domain.time.find import DateMention, find_dates, outlook_of
from lightmem.domain.time.language import Relation
from lightmem.domain.time.outlook import Outlook

__all__ = ["DateMention", "Outlook", "Relation", "find_dates", "outlook_of"]
