"""The command says what is wrong on stderr and ends with the exit code that its help names."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lightmem import errors
from lightmem.cli.app import app
from lightmem.cli.chat import _streamed_error, _token
from lightmem.cli.failures import ExitCode, UsageError, exit_code
from lightmem.cli.ingest import Tally
from lightmem.cli.output import recall_footer
from lightmem.client import Recall, SaidTurn, TurnOutcome
from lightmem.model import Outcome

NOWHERE = ["--url", "http://127.0.0.1:1", "--key", "k"]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test reads the data folder or the environment of whoever runs it."""
    for name in ("LIGHTMEM_URL", "LIGHTMEM_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LIGHTMEM_DATA_DIR", str(tmp_path / "data"))
    return tmp_path


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InvalidTime("x"), ExitCode.INVALID_INPUT),
        (errors.IdempotencyConflict("x"), ExitCode.INVALID_INPUT),
        (errors.NotFound("x"), ExitCode.NOT_FOUND),
        (errors.NotAuthenticated("x"), ExitCode.NOT_FOUND),
        (errors.NotAllowed("x"), ExitCode.NOT_FOUND),
        (errors.LedgerUnavailable("x"), ExitCode.UNAVAILABLE),
        (errors.DeadlineExceeded("x"), ExitCode.UNAVAILABLE),
        (errors.LimitExceeded("x"), ExitCode.UNAVAILABLE),
        (errors.IncompatibleIndex("x"), ExitCode.FAILED),
        (UsageError("x"), ExitCode.USAGE),
    ],
)
def test_each_error_has_its_exit_code(error: errors.LightMemError, code: ExitCode) -> None:
    assert exit_code(error) is code


def test_the_help_names_the_commands_and_the_exit_codes() -> None:
    done = CliRunner().invoke(app, ["--help"])

    assert done.exit_code == 0
    for name in ("serve", "demo", "ingest", "remember", "recall", "chat", "keys", "reindex"):
        assert name in done.stdout
    assert "Exit codes" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["recall", "ana"],
        ["ingest", "no-such-file", "--format", "jsonl"],
        ["ingest", __file__, "--format", "word"],
        ["recall", "ana", "q", "--from", "yesterday", *NOWHERE],
        ["remember", "ana", "x", "--at", "2024-05-08T10:15:00", *NOWHERE],
        ["keys", "create", "--role", "user", *NOWHERE],
        ["keys", "create", "--role", "tenant", "--user", "ana", *NOWHERE],
        ["recall", "ana", "q", "--url", "http://127.0.0.1:1"],
    ],
)
def test_a_call_that_cannot_be_meant_is_wrong_usage(arguments: list[str]) -> None:
    done = CliRunner().invoke(app, arguments)

    assert done.exit_code == ExitCode.USAGE
    assert done.stdout == ""
    assert done.stderr


def test_a_setting_that_cannot_be_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIGHTMEM_PORT", "many")

    done = CliRunner().invoke(app, ["serve"])

    assert done.exit_code == ExitCode.USAGE
    assert "LIGHTMEM_PORT" in done.stderr


def test_a_server_that_is_not_there_is_unavailable() -> None:
    done = CliRunner().invoke(app, ["memories", "ana", *NOWHERE])

    assert done.exit_code == ExitCode.UNAVAILABLE
    assert "http://127.0.0.1:1" in done.stderr


def test_with_json_an_error_is_json_too() -> None:
    done = CliRunner().invoke(app, ["memories", "ana", "--json", *NOWHERE])

    assert json.loads(done.stderr)["code"] == "UNAVAILABLE"
    assert done.stdout == ""


def test_a_file_with_bad_lines_stores_nothing_and_names_them(own_folder: Path) -> None:
    file = own_folder / "turns.jsonl"
    file.write_text('{"content": "good"}\nnot json\n{"content": ""}\n', encoding="utf-8")

    done = CliRunner().invoke(app, ["ingest", str(file), "--format", "jsonl", *NOWHERE])

    assert done.exit_code == ExitCode.INVALID_INPUT
    assert "line 2" in done.stderr
    assert "line 3" in done.stderr
    assert "nothing was" in done.stderr


def test_a_file_that_is_not_text_is_refused(own_folder: Path) -> None:
    file = own_folder / "turns.jsonl"
    file.write_bytes(b'{"content": "\xff"}')

    done = CliRunner().invoke(app, ["ingest", str(file), "--format", "jsonl", *NOWHERE])

    assert done.exit_code == ExitCode.INVALID_INPUT
    assert "UTF-8" in done.stderr


def test_a_tally_tells_new_turns_from_those_already_there() -> None:
    turns = [SaidTurn("a", client_id="1"), SaidTurn("b", client_id="2"), SaidTurn("c")]
    outcomes = [
        TurnOutcome(turn_id="t1", outcome=Outcome.PENDING),
        TurnOutcome(turn_id="t2", outcome=Outcome.DUPLICATE),
        TurnOutcome(turn_id="t3", outcome=Outcome.REJECTED, reason="CLIENT_ID_CONFLICT"),
    ]
    tally = Tally()

    tally.count(turns, outcomes)

    assert (tally.turns, tally.stored, tally.duplicate) == (3, 1, 1)
    assert tally.rejected == ["None: CLIENT_ID_CONFLICT"]


def test_what_could_not_be_asked_is_told_below_a_recall() -> None:
    recall = Recall(
        items=(),
        context="",
        context_tokens=7,
        tokenizer="t",
        degraded=("index: unavailable",),
        timings_ms={"total": 12.4},
    )

    assert recall_footer(recall) == "7 tokens of context · 12 ms · degraded: index: unavailable"


def test_a_streamed_error_is_the_error_of_its_code() -> None:
    error = _streamed_error({"code": "RESPONDER_UNAVAILABLE", "detail": "gone"})

    assert isinstance(error, errors.ResponderUnavailable)
    assert error.message == "gone"


@pytest.mark.parametrize("data", [{"text": "Hi"}, "Hi"])
def test_a_piece_of_an_answer_is_its_text(data: object) -> None:
    assert _token(data) == "Hi"
