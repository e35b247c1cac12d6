"""When two names mean the same concept of the long-term graph."""

import unicodedata


def concept_key(name: str) -> str:
    """The name as it is compared: compatibility forms, case and spacing do not count.

    >>> concept_key("  Green\u00a0TEA ")
    'green tea'
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
