"""`lightmem graph`: what a tenant's users share, as a tree."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Annotated

import typer
from rich.markup import escape
from rich.tree import Tree

from lightmem.cli import options
from lightmem.cli.connection import Connection, connected
from lightmem.cli.failures import failures_told
from lightmem.cli.output import console, print_json
from lightmem.client import AsyncClient
from lightmem.client.concepts import Concept, ConceptEdge, Neighbour
from lightmem.model import Relation

#: Concepts of a query whose surroundings are shown.
MOST_TREES = 5
DEPTH = 2

_SAYS = {
    Relation.IS_A: "is a",
    Relation.HAS_PROPERTY: "is",
    Relation.RELATED_TO: "goes with",
    Relation.IMPLIES: "leads to",
}


def graph(
    query: Annotated[str | None, typer.Argument(help="What to look around.")] = None,
    *,
    limit: Annotated[int, typer.Option(help="At most so many.", min=1, max=200)] = 20,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Show what users share: the strongest concepts, or those around what you look for."""
    with failures_told(as_json=as_json):
        found = asyncio.run(_found(Connection(url, key, data_dir), query, limit))
        if as_json:
            print_json([[each.model_dump(mode="json") for each in group] for group in found])
        else:
            _show(found)


async def _found(
    connection: Connection, query: str | None, limit: int
) -> list[tuple[Concept, ...]]:
    """Groups of concepts: each begins with one that was found, and has what is around it."""
    async with connected(connection) as client:
        page = await client.concepts(query, limit=limit)
        if query is None:
            return [(concept,) for concept in page.items]
        return [await _around(client, concept) for concept in page.items[:MOST_TREES]]


async def _around(client: AsyncClient, concept: Concept) -> tuple[Neighbour, ...]:
    return (await client.neighbourhood(concept.id, depth=DEPTH)).items


def _show(found: Iterable[tuple[Concept, ...]]) -> None:
    out, is_empty = console(), True
    for group in found:
        is_empty = False
        out.print(_tree(group))
    if is_empty:
        out.print("nothing is shared yet")


def _tree(group: tuple[Concept, ...]) -> Tree:
    """The first concept and what it leads to, then those that lead to it."""
    root, *others = group
    tree, seen = Tree(_node(root)), {root.id}
    _grow(tree, root, {each.id: each for each in group}, seen=seen)
    for other in others:
        if other.id not in seen:
            branch = tree.add(_node(other))
            for edge in other.edges:
                branch.add(_edge(edge))
    return tree


def _grow(tree: Tree, concept: Concept, known: Mapping[str, Concept], *, seen: set[str]) -> None:
    """Hang the edges of a concept into the tree; what hangs in it already is not walked again."""
    fresh = [edge for edge in concept.edges if edge.target_id not in seen]
    seen.update(edge.target_id for edge in fresh)
    for edge in fresh:
        branch = tree.add(_edge(edge))
        if edge.target_id in known:
            _grow(branch, known[edge.target_id], known, seen=seen)


def _node(concept: Concept) -> str:
    about = f"{concept.type}, {concept.support} users, {concept.weight:.2f}"
    return f"[bold]{escape(concept.name)}[/] [dim]({about})[/]"


def _edge(edge: ConceptEdge) -> str:
    about = f"{edge.support} users, {edge.weight:.2f}"
    return f"[cyan]{_SAYS[edge.relation]}[/] {escape(edge.target_name)} [dim]({about})[/]"
