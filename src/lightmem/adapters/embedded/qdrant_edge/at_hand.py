"""What of the index is kept at hand in this process: items as they were read, and who speaks.

Reading and decoding the payload of some hundred points costs more than finding them. This process
alone has the folder open, and every change goes through its index, which drops what it changes.
"""

from collections.abc import Iterable, Mapping, Sequence, Set

from lightmem.adapters import qdrant_layout as layout
from lightmem.model import IndexPoint, Item

#: A point's id as a number. The engine makes a new UUID for each hit, which is slow to hash.
Key = int

#: Items of one of two generations, some 1 KB each; owners whose speakers are known.
MOST_ITEMS, MOST_OWNERS = 8_192, 1_024


class ItemsAtHand:
    """Items by the id of their point, those longest unread leaving first.

    What is read moves to the young generation, which becomes the old one when it is full.
    """

    def __init__(self, most: int = MOST_ITEMS) -> None:
        self._most = most
        self._young: dict[Key, Item] = {}
        self._old: dict[Key, Item] = {}

    def get(self, key: Key) -> Item | None:
        """The item of a point, if it is at hand."""
        item = self._young.get(key)
        if item is None:
            item = self._old.get(key)
            if item is not None:
                self.put({key: item})
        return item

    def put(self, items: Mapping[Key, Item]) -> None:
        """Keep what was read."""
        self._young.update(items)
        if len(self._young) >= self._most:
            self._young, self._old = {}, self._young

    def drop(self, keys: Iterable[Key]) -> None:
        """Forget points that change or leave."""
        for key in keys:
            self._young.pop(key, None)
            self._old.pop(key, None)

    def drop_items(self, ids: Set[str]) -> None:
        """Forget what leaves, whoever's it is, with its passages."""
        for items in (self._young, self._old):
            self.drop([key for key, item in items.items() if item.id in ids])

    def clear(self) -> None:
        """Forget all."""
        self._young, self._old = {}, {}


class SpeakersAtHand:
    """Who speaks in each owner's points, as it was last counted.

    Points of speakers who are known change nothing but their order, which matters where some are
    cut: there it is counted anew.
    """

    def __init__(self, most: int = MOST_OWNERS) -> None:
        self._most = most
        self._known: dict[str, list[str]] = {}

    def get(self, owner: str) -> list[str] | None:
        """The speakers of an owner, if they are known."""
        return self._known.get(owner)

    def put(self, owner: str, speakers: Sequence[str]) -> None:
        """Keep what was counted, if none of them was cut."""
        if len(speakers) < layout.MOST_SPEAKERS:
            if len(self._known) >= self._most:
                self._known.clear()
            self._known[owner] = list(speakers)

    def note(self, owner: str, points: Sequence[IndexPoint]) -> None:
        """Points are put: forget the owner if one has a speaker who was not heard before."""
        known = self._known.get(owner)
        if known is not None and not known_all(known, points):
            del self._known[owner]

    def drop(self, owner: str) -> None:
        """Forget an owner whose points leave."""
        self._known.pop(owner, None)

    def clear(self) -> None:
        """Forget all."""
        self._known.clear()


def known_all(known: Sequence[str], points: Sequence[IndexPoint]) -> bool:
    """Whether all who speak in the points are known."""
    return all(key in known for point in points for key in layout.speaker_keys_of(point))
