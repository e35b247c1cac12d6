"""The committed description of the API is the one that the code gives."""

import json
from pathlib import Path

from lightmem_gateway.app import describe
from lightmem_gateway.documentation import page_of

COMMITTED = Path(__file__).resolve().parents[3] / "docs" / "openapi.json"


def test_the_committed_document_agrees_with_the_code() -> None:
    assert json.loads(COMMITTED.read_text(encoding="utf-8")) == describe()


def test_every_reference_leads_somewhere() -> None:
    document = describe()
    text = json.dumps(document)

    named = {part.split('"')[0] for part in text.split('"#/components/schemas/')[1:]}

    assert named <= document["components"]["schemas"].keys()


def test_the_page_shows_every_route_and_its_body() -> None:
    document = describe()

    page = page_of(document)

    assert all(path in page for path in document["paths"])
    assert "budget_tokens" in page
