"""What takes long is waited for: of a call that is answered with 202 callers see the result."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from lightmem.client.answers import Operation
from lightmem.client.calls import operation
from lightmem.client.sending import AsyncSends, Sends
from lightmem.errors import FieldError, InvalidInput, LightMemError
from lightmem.model import OperationStatus

#: How often it is asked for the end of what takes long.
POLL_S = 0.25


async def async_result(client: AsyncSends, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer, or the result of the operation that it names, once that has ended."""
    if "operation_id" not in answer:
        return answer
    while True:
        found = await client.send(operation(answer["operation_id"]))
        if found.is_finished:
            return result_of(found)
        await asyncio.sleep(POLL_S)


def result(client: Sends, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer, or the result of the operation that it names, once that has ended."""
    if "operation_id" not in answer:
        return answer
    while not (found := client.send(operation(answer["operation_id"]))).is_finished:
        time.sleep(POLL_S)
    return result_of(found)


def result_of(ended: Operation) -> Mapping[str, Any]:
    """The result of an operation that has ended.

    Raises:
        InvalidInput: it failed over fields of what it was given.
        LightMemError: it failed otherwise.
    """
    told = ended.result or {}
    if ended.status is not OperationStatus.FAILED:
        return told
    errors = [FieldError(one["field"], one["message"]) for one in told.get("errors", ())]
    if errors:
        raise InvalidInput(f"{errors[0].field}: {errors[0].message}", errors=errors)
    raise LightMemError(
        f"operation {ended.id!r} failed: {told.get('reason', 'no reason is given')}"
    )
