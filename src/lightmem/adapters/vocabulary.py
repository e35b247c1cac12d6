"""The vocabulary that comes with the package, checked against its card."""

from lightmem.adapters.shipped import DATA, read_checked
from lightmem.domain.vocabulary import Vocabulary


def open_vocabulary() -> Vocabulary:
    """Words of general English and names of countries, from WordNet."""
    folder = DATA / "vocabulary"
    words, _ = read_checked(folder, "en.txt", setting="vocabulary")
    countries, _ = read_checked(folder, "countries.txt", setting="vocabulary")
    return Vocabulary.of(words.decode().splitlines(), countries.decode().splitlines())
