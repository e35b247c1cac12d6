"""What a word shares with its other forms."""

#: Letters by which words of one root are known.
_LETTERS = 4
_ENDINGS = ("ing", "ed", "es", "s", "e")


def root(word: str) -> str:
    """The beginning that other forms of the word have too; what has a digit has no other form."""
    if any(letter.isdecimal() for letter in word):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)][:_LETTERS]
    return word[:_LETTERS]
