"""How the command ends when something is wrong: one line on stderr and an exit code."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

import typer

from lightmem.errors import (
    Conflict,
    DeadlineExceeded,
    InvalidInput,
    LightMemError,
    LimitExceeded,
    NotAllowed,
    NotAuthenticated,
    NotFound,
    Unavailable,
)


class ExitCode(IntEnum):
    """What the shell is told."""

    OK = 0
    FAILED = 1
    USAGE = 2
    INVALID_INPUT = 3
    NOT_FOUND = 4
    UNAVAILABLE = 5


EXIT_CODES_HELP = (
    "Exit codes: 0 done; 1 failed in another way; 2 wrong usage; 3 the input was refused; "
    "4 not found, or the key does not reach it; 5 something does not answer, try again."
)

_BY_CLASS: tuple[tuple[type[LightMemError], ExitCode], ...] = (
    (InvalidInput, ExitCode.INVALID_INPUT),
    (Conflict, ExitCode.INVALID_INPUT),
    (NotFound, ExitCode.NOT_FOUND),
    (NotAuthenticated, ExitCode.NOT_FOUND),
    (NotAllowed, ExitCode.NOT_FOUND),
    (LimitExceeded, ExitCode.UNAVAILABLE),
    (DeadlineExceeded, ExitCode.UNAVAILABLE),
    (Unavailable, ExitCode.UNAVAILABLE),
)


class UsageError(LightMemError):
    """The command was called in a way that cannot be meant."""

    code = "USAGE"


def exit_code(error: LightMemError) -> ExitCode:
    """The exit code that an error ends the command with."""
    if isinstance(error, UsageError):
        return ExitCode.USAGE
    for kind, code in _BY_CLASS:
        if isinstance(error, kind):
            return code
    return ExitCode.FAILED


@contextmanager
def failures_told(*, as_json: bool) -> Iterator[None]:
    """Tell an error on stderr and end with its exit code; Ctrl-C is 130, as shells expect."""
    try:
        yield
    except LightMemError as exc:
        tell(exc, as_json=as_json)
        raise typer.Exit(exit_code(exc)) from exc
    except KeyboardInterrupt as exc:
        print("interrupted", file=sys.stderr)
        raise typer.Exit(130) from exc


def tell(error: LightMemError, *, as_json: bool) -> None:
    """Write an error to stderr, as text or as one line of JSON."""
    if as_json:
        print(json.dumps({"code": error.code, "detail": error.message}), file=sys.stderr)
        return
    print(f"lightmem: {error.message}", file=sys.stderr)
    if request_id := error.details.get("request_id"):
        print(f"  code {error.code}, request {request_id}", file=sys.stderr)
