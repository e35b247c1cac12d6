"""How answers other than the good one are documented."""

from typing import Any

from pydantic import BaseModel, Field

from lightmem_gateway.problems import MEDIA_TYPE


class FieldProblem(BaseModel):
    """One field that was refused."""

    field: str = Field(description="Its path in the JSON text, such as `turns.0.content`.")
    message: str


class Problem(BaseModel):
    """An error, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    code: str = Field(description="Stable, for programs.")
    request_id: str
    errors: list[FieldProblem] | None = None


#: What any guarded route may answer.
_ALWAYS = (401, 422, 503)
_DESCRIPTIONS = {
    400: "The body is not well-formed JSON.",
    401: "No valid key came with the request.",
    403: "The key's role does not reach this.",
    404: "There is no such thing, or it is not the caller's.",
    409: "The request does not fit the state of things.",
    410: "The answer kept under this idempotency key was about a user who has been erased.",
    413: "The body, or a turn in it, is too large.",
    415: "The body is no JSON.",
    422: "The request is not valid; `errors` names the fields.",
    503: "What this needs does not answer.",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problem answers of a route, for its documentation."""
    return {
        status: {
            "description": _DESCRIPTIONS[status],
            "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in sorted({*_ALWAYS, *statuses})
    }
