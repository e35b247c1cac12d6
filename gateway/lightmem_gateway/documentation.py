"""The API's documentation as one page of HTML, made from its OpenAPI document.

It needs no script and fetches nothing, so it shows the same on a machine without a network.
"""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_METHODS = ("get", "post", "put", "patch", "delete")

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h2 { margin-top: 2.5rem; text-transform: capitalize; border-bottom: 1px solid var(--line) }
details { border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: 0 .8rem }
summary { cursor: pointer; padding: .5rem 0 }
code, pre { font: .9em/1.5 ui-monospace, monospace }
pre { background: var(--soft); border-radius: 6px; padding: .8rem; overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem }
tr { border-bottom: 1px solid var(--line) }
.verb { display: inline-block; min-width: 4.5rem; font-weight: 700 }
.words { opacity: .75; margin-left: .6rem }
"""

#: Objects within objects that an example shows.
_DEPTH = 5


def page_of(document: Mapping[str, Any]) -> str:
    """The page that documents an API."""
    info = document["info"]
    sections = "".join(_sections(document))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])}: API</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(info['title'])} <small>{escape(info['version'])}</small></h1>"
        f"<p>{escape(info.get('description', ''))}</p>"
        '<p>As a document for programs: <a href="openapi.json">openapi.json</a>.</p>'
        f"{sections}</body></html>"
    )


def _sections(document: Mapping[str, Any]) -> Iterator[str]:
    by_tag: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if operation := methods.get(method):
                entry = _operation(document, method, path, operation)
                by_tag.setdefault(operation.get("tags", ["other"])[0], []).append(entry)
    for tag, entries in by_tag.items():
        yield f"<section><h2>{escape(tag)}</h2>{''.join(entries)}</section>"


def _operation(
    document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]
) -> str:
    description = operation.get("description", "")
    first = description.split("\n")[0]
    return (
        f'<details><summary><code><span class="verb">{method.upper()}</span>{escape(path)}</code>'
        f'<span class="words">{escape(first)}</span></summary>'
        f"<p>{escape(description)}</p>"
        f"{_parameters(operation)}{_body(document, operation)}{_answers(document, operation)}"
        "</details>"
    )


def _parameters(operation: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code></td><td>{one['in']}</td>"
        f"<td>{escape(one.get('description', ''))}</td></tr>"
        for one in operation.get("parameters", ())
    )
    return f"<table><tr><th>Name</th><th>In</th><th></th></tr>{rows}</table>" if rows else ""


def _body(document: Mapping[str, Any], operation: Mapping[str, Any]) -> str:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    return f"<h4>Body</h4>{_example(document, content['schema'])}" if content else ""


def _answers(document: Mapping[str, Any], operation: Mapping[str, Any]) -> str:
    rows = []
    for status, answer in operation["responses"].items():
        content = answer.get("content", {}).get("application/json", {})
        example = _example(document, content["schema"]) if content.get("schema") else ""
        rows.append(
            f"<tr><td><code>{status}</code></td>"
            f"<td>{escape(answer.get('description', ''))}{example}</td></tr>"
        )
    return f"<table><tr><th>Answer</th><th></th></tr>{''.join(rows)}</table>"


def _example(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    value = json.dumps(_sample(document, schema, _DEPTH), indent=2, ensure_ascii=False)
    return f"<pre>{escape(value)}</pre>"


def _sample(document: Mapping[str, Any], schema: Mapping[str, Any], depth: int) -> Any:
    """A value of the schema's shape, with words for the types in it."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[-1]
        return _sample(document, document["components"]["schemas"][name], depth)
    if choices := schema.get("anyOf"):
        return _sample(document, choices[0], depth)
    if "enum" in schema:
        return "|".join(str(value) for value in schema["enum"])
    match schema.get("type") if depth else "…":
        case "object":
            members = schema.get("properties", {})
            return {name: _sample(document, one, depth - 1) for name, one in members.items()}
        case "array":
            return [_sample(document, schema.get("items", {}), depth - 1)]
        case kind:
            return schema.get("default", schema.get("format", kind or "any"))
