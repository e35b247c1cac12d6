"""A tokenizer whose tokens are words."""


class Words:
    """Counts words as tokens."""

    name = "words"

    def count(self, text: str) -> int:
        return len(text.split())
