"""The SDK sends what the API takes, raises what it says, and repeats only what is safe."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from lightmem import errors
from lightmem.client import AsyncClient, Client, Limits, Retries, SaidTurn
from lightmem.client.calls import health
from lightmem.client.problems import error_classes, error_of
from lightmem.model import ItemKind

QUICK = Retries(times=3, first_s=0.0, longest_s=0.0)
REMEMBERED = {"operation_id": "o1", "turn_ids": ["t1"], "status": "pending"}

Answer = httpx.Response | Exception


class ScriptedServer:
    """Gives its answers in order, the last one for ever, and keeps the requests."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self) -> Client:
        return Client("http://test", "k", retries=QUICK, transport=httpx.MockTransport(self))

    def async_client(self) -> AsyncClient:
        return AsyncClient("http://test", "k", retries=QUICK, transport=httpx.MockTransport(self))


def ok(body: object) -> httpx.Response:
    return httpx.Response(200, json=body)


def problem(status: int, code: str, **more: object) -> httpx.Response:
    body = {"title": "No", "status": status, "detail": "no: 'x'", "code": code, **more}
    return httpx.Response(status, json=body, headers={"X-Request-ID": "r1"})


def busy() -> httpx.Response:
    return httpx.Response(503, json={"code": "LEDGER_UNAVAILABLE"}, headers={"Retry-After": "0"})


def test_remember_sends_the_turns_with_an_idempotency_key_and_the_credential() -> None:
    server = ScriptedServer(httpx.Response(202, json=REMEMBERED))
    at = datetime(2024, 5, 8, 10, 15, tzinfo=UTC)

    with server.client() as client:
        answer = client.remember("ana/1", "s1", [SaidTurn("Hi", speaker="Ana", occurred_at=at)])

    [request] = server.requests
    assert request.url.raw_path == b"/v1/users/ana%2F1/turns"
    assert request.headers["Authorization"] == "Bearer k"
    assert request.headers["Idempotency-Key"]
    assert json.loads(request.content) == {
        "session_id": "s1",
        "turns": [
            {
                "role": "user",
                "content": "Hi",
                "speaker": "Ana",
                "occurred_at": "2024-05-08T10:15:00+00:00",
            }
        ],
        "wait": "none",
    }
    assert answer.turn_ids == ("t1",)


def test_without_a_key_the_open_routes_are_asked_without_a_credential() -> None:
    server = ScriptedServer(httpx.Response(200, json={"status": "ok"}))

    with Client("http://test", "", transport=httpx.MockTransport(server)) as client:
        client.send(health())

    assert "Authorization" not in server.requests[0].headers


def test_recall_sends_only_what_was_given() -> None:
    server = ScriptedServer(ok({"items": [], "context": "", "context_tokens": 0, "tokenizer": "t"}))
    limits = Limits(start=datetime(2024, 1, 1, tzinfo=UTC), kinds=[ItemKind.TURN])

    with server.client() as client:
        client.recall("ana", "where?", limits=limits)

    assert json.loads(server.requests[0].content) == {
        "query": "where?",
        "top_k": 5,
        "budget_tokens": 1150,
        "mode": "fast",
        "filters": {"from": "2024-01-01T00:00:00+00:00", "kinds": ["turn"]},
        "explain": False,
    }


def test_a_write_is_sent_again_under_the_same_key_when_the_line_breaks() -> None:
    broken = httpx.RemoteProtocolError("gone")
    server = ScriptedServer(httpx.ConnectError("no"), broken, httpx.Response(202, json=REMEMBERED))

    with server.client() as client:
        client.remember("ana", "s1", ["Hi"])

    keys = {request.headers["Idempotency-Key"] for request in server.requests}
    assert len(server.requests) == 3
    assert len(keys) == 1


def test_a_503_that_says_when_to_come_back_is_asked_again() -> None:
    server = ScriptedServer(busy(), httpx.Response(202, json=REMEMBERED))

    with server.client() as client:
        answer = client.remember("ana", "s1", ["Hi"])

    assert answer.operation_id == "o1"


def test_what_stays_down_ends_in_the_error_of_its_code() -> None:
    server = ScriptedServer(busy())

    with server.client() as client, pytest.raises(errors.LedgerUnavailable):
        client.operation("o1")

    assert len(server.requests) == QUICK.times + 1


def test_a_chat_that_may_have_arrived_is_not_sent_twice() -> None:
    server = ScriptedServer(httpx.RemoteProtocolError("gone"))

    with server.client() as client, pytest.raises(errors.Unavailable):
        client.chat("ana", "s1", "Hi")

    assert len(server.requests) == 1


def test_a_server_that_does_not_answer_in_time_is_a_deadline() -> None:
    server = ScriptedServer(httpx.ReadTimeout("slow"))

    with server.client() as client, pytest.raises(errors.DeadlineExceeded):
        client.recall("ana", "q")


@pytest.mark.parametrize("code", sorted(error_classes()))
def test_every_code_comes_back_as_its_class(code: str) -> None:
    error = error_of(problem(400, code))

    assert type(error) is error_classes()[code]
    assert error.code == code
    assert error.message == "no: 'x'"
    assert error.details["request_id"] == "r1"


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, errors.NotAuthenticated),
        (403, errors.NotAllowed),
        (404, errors.NotFound),
        (409, errors.Conflict),
        (413, errors.InvalidInput),
        (429, errors.LimitExceeded),
        (503, errors.Unavailable),
        (500, errors.LightMemError),
    ],
)
def test_an_unknown_code_comes_back_by_its_status_and_keeps_the_code(
    status: int, kind: type[errors.LightMemError]
) -> None:
    error = error_of(problem(status, "NEWER_THAN_US"))

    assert type(error) is kind
    assert error.code == "NEWER_THAN_US"


def test_an_answer_of_something_else_on_the_way_is_an_error_too() -> None:
    error = error_of(httpx.Response(502, text="<html>bad gateway</html>"))

    assert isinstance(error, errors.Unavailable)


def test_refused_fields_are_named() -> None:
    refused = problem(422, "INVALID_INPUT", errors=[{"field": "top_k", "message": "too big"}])

    error = error_of(refused)

    assert isinstance(error, errors.InvalidInput)
    assert error.errors == (errors.FieldError("top_k", "too big"),)


def test_an_answer_that_breaks_the_promise_is_an_error_and_not_a_guess() -> None:
    server = ScriptedServer(ok({"items": "none"}))

    with server.client() as client, pytest.raises(errors.LightMemError, match="promises"):
        client.recall("ana", "q")


STREAM = (
    'event: recall\ndata: {"items": []}\n\n: still there\n\n'
    'event: token\ndata: "Hel"\n\nevent: token\ndata: "lo"\n\n'
    'event: done\ndata: {"answer": "Hello"}\n\n'
)


def test_a_streamed_answer_comes_in_events() -> None:
    server = ScriptedServer(httpx.Response(200, text=STREAM))

    with server.client() as client:
        events = list(client.stream_chat("ana", "s1", "Hi"))

    assert [(event.event, event.data) for event in events] == [
        ("recall", {"items": []}),
        ("token", "Hel"),
        ("token", "lo"),
        ("done", {"answer": "Hello"}),
    ]


def test_a_refused_stream_raises_before_any_event() -> None:
    server = ScriptedServer(problem(503, "RESPONDER_UNAVAILABLE"))

    with server.client() as client, pytest.raises(errors.ResponderUnavailable):
        list(client.stream_chat("ana", "s1", "Hi"))


async def test_the_asyncio_client_does_the_same() -> None:
    server = ScriptedServer(httpx.ConnectError("no"), busy(), httpx.Response(202, json=REMEMBERED))

    async with server.async_client() as client:
        answer = await client.remember("ana", "s1", ["Hi"])

    assert answer.turn_ids == ("t1",)
    assert len({request.headers["Idempotency-Key"] for request in server.requests}) == 1


async def test_the_asyncio_client_streams_the_same_events() -> None:
    server = ScriptedServer(httpx.Response(200, text=STREAM))

    async with server.async_client() as client:
        events = [event.event async for event in client.stream_chat("ana", "s1", "Hi")]

    assert events == ["recall", "token", "token", "done"]


async def test_one_asyncio_client_serves_many_calls_at_once() -> None:
    server = ScriptedServer(httpx.Response(202, json=REMEMBERED))

    async with server.async_client() as client:
        answers = await asyncio.gather(
            *(client.remember("ana", f"s{n}", ["Hi"]) for n in range(20))
        )

    assert len(answers) == 20
    assert len({request.headers["Idempotency-Key"] for request in server.requests}) == 20


def test_importing_the_sdk_loads_no_part_of_the_system() -> None:
    heavy = ["onnxruntime", "fastapi", "sqlalchemy", "qdrant_edge", "numpy", "lightmem.bootstrap"]
    code = (
        "import sys, lightmem, lightmem.client; "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


# --- what goes on after its answer ------------------------------------------------------------

FORGOT = {"forgotten": ["m1"], "tombstones": ["x1"], "redacted_turns": 2}
RECEIPT = {"user_id": "ana", "erased_at": "2024-05-08T10:15:00Z", "stores": [], "digest": "d"}
NONE_YET = {"added": 0}
IMPORTED = {
    "is_same_user": True,
    **dict.fromkeys(("sessions", "turns", "memories", "memory_versions", "tombstones"), NONE_YET),
}


def goes_on() -> httpx.Response:
    return httpx.Response(202, json={"operation_id": "o1", "status": "running"})


def operation(status: str, result: object = None) -> httpx.Response:
    outcome = {"id": "o1", "kind": "forget", "status": status, "outcomes": [], "result": result}
    times = {"created_at": "2024-05-08T10:15:00Z", "finished_at": None}
    return ok({**outcome, **times, "model_calls": 0, "tokens": {"prompt": 0, "completion": 0}})


CALLS: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "forget": (lambda client: client.forget("ana", ["m1"]), FORGOT),
    "forget_memory": (lambda client: client.forget_memory("m1"), FORGOT),
    "erase_user": (lambda client: client.erase_user("ana"), RECEIPT),
    "import_user": (lambda client: client.import_user("ana", b"{}\n"), IMPORTED),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("is_async", [False, True], ids=["threads", "asyncio"])
def test_what_goes_on_is_asked_after_until_it_has_ended(
    monkeypatch: pytest.MonkeyPatch, name: str, is_async: bool
) -> None:
    monkeypatch.setattr("lightmem.client.waiting.POLL_S", 0.0)
    call, result = CALLS[name]
    waiting = [operation("pending"), operation("running"), operation("succeeded", result)]
    server = ScriptedServer(goes_on(), *waiting)

    async def asked() -> Any:
        async with server.async_client() as client:
            return await call(client)

    if is_async:
        answer = asyncio.run(asked())
    else:
        with server.client() as client:
            answer = call(client)

    assert answer == type(answer).model_validate(result)
    paths = [request.url.path for request in server.requests[1:]]
    assert paths == ["/v1/operations/o1"] * 3


@pytest.mark.parametrize("name", CALLS)
def test_what_went_on_and_failed_is_raised(name: str) -> None:
    call, _ = CALLS[name]
    failed = {"errors": [{"field": "lines.3", "message": "no line has this session"}]}
    server = ScriptedServer(goes_on(), operation("failed", failed))

    with server.client() as client, pytest.raises(errors.LightMemError) as raised:
        call(client)

    assert raised.value.message == "lines.3: no line has this session"


def test_what_failed_over_no_field_says_why() -> None:
    server = ScriptedServer(goes_on(), operation("failed", {"reason": "NOT_FOUND"}))

    with server.client() as client, pytest.raises(errors.LightMemError, match="NOT_FOUND"):
        client.forget("ana", ["m1"])
