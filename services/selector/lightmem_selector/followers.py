"""What took the place of what was found, fetched where it was not found itself."""

from collections.abc import Mapping

from lightmem.model import Item, RecallFilters, RecallRequest
from lightmem.ports import MemoryIndex
from lightmem_selector.succession import missing_successors

#: How many that took each other's place are followed: a value that replaced one, a dream that
#: joined it with others, and once more.
MOST_FOLLOWERS = 4


async def followers_of(
    index: MemoryIndex,
    tenant_id: str,
    user_id: str,
    request: RecallRequest,
    found: Mapping[str, Item],
) -> dict[str, Item]:
    """What took the place of what was found, through all that came between.

    What a filter may have left out is not fetched.
    """
    followers: dict[str, Item] = {}
    if request.filters != RecallFilters():
        return followers
    asked: set[str] = set()
    for _ in range(MOST_FOLLOWERS):
        missing = missing_successors({**found, **followers}, request.as_of)
        fresh = [each for each in missing if each not in asked]
        if not fresh:
            break
        asked.update(fresh)
        fetched = await index.get(tenant_id, user_id, fresh)
        followers |= {item.id: item for item in fetched}
    return followers
