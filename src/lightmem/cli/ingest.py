"""`lightmem ingest`: a file of conversations into the memory, resumable at any point.

Every turn has a `client_id`, so what an earlier run stored is found again and not stored twice.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from lightmem.cli import options
from lightmem.cli.connection import Connection, connected
from lightmem.cli.failures import ExitCode, failures_told
from lightmem.cli.output import console, print_json
from lightmem.client import AsyncClient, SaidTurn, TurnOutcome
from lightmem.client.calls import Wait
from lightmem.errors import InvalidInput
from lightmem.ingest import Fault, Format, Parsed, SessionTurns, parse
from lightmem.model import Outcome

#: Turns sent in one call: large enough for batched encoding, small enough for a moving bar.
TURNS_PER_CALL = 50
#: Faults told on stderr before the rest is only counted.
FAULTS_TOLD = 20
POLL_S = 0.2
DEFAULT_USER = "default"


@dataclass(slots=True)
class Tally:
    """What became of the turns of a file."""

    turns: int = 0
    stored: int = 0
    duplicate: int = 0
    rejected: list[str] = field(default_factory=list)
    operations: list[str] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    memories: set[str] = field(default_factory=set)

    def count(self, turns: Sequence[SaidTurn], outcomes: Sequence[TurnOutcome]) -> None:
        """Add the outcomes of one call."""
        for turn, outcome in zip(turns, outcomes, strict=True):
            self.turns += 1
            if outcome.outcome is Outcome.DUPLICATE:
                self.duplicate += 1
            elif outcome.outcome is Outcome.REJECTED:
                self.rejected.append(f"{turn.client_id}: {outcome.reason}")
            else:
                self.stored += 1

    def body(self, faults: Sequence[Fault]) -> dict[str, object]:
        """The tally as JSON."""
        return {
            "turns": self.turns,
            "stored": self.stored,
            "duplicate": self.duplicate,
            "rejected": self.rejected,
            "faults": [str(fault) for fault in faults],
            "outcomes": dict(self.outcomes),
            "memories": len(self.memories),
        }


def ingest(
    file: Annotated[Path, typer.Argument(help="The file.", exists=True, dir_okay=False)],
    *,
    form: Annotated[Format, typer.Option("--format", help="How the file is written.")],
    user: Annotated[
        str | None,
        typer.Option(
            help="Whose memory; left out: the sample's id (locomo), the line's user_id (jsonl), "
            f"else '{DEFAULT_USER}'."
        ),
    ] = None,
    wait: Annotated[
        bool, typer.Option(help="Wait until memories were written from the turns.")
    ] = True,
    skip_bad: Annotated[
        bool, typer.Option(help="Store the good turns of a file that has bad ones.")
    ] = False,
    url: options.Url = None,
    key: options.Key = None,
    data_dir: options.DataDir = None,
    as_json: options.Json = False,
) -> None:
    """Store the conversations of a file. Doing it again adds nothing."""
    with failures_told(as_json=as_json):
        parsed = _read(file, form)
        _tell_faults(parsed.faults, skip_bad=skip_bad)
        connection = Connection(url, key, data_dir)
        tally = asyncio.run(_ingest(connection, parsed, user, wait=wait, quiet=as_json))
        _report(tally, parsed.faults, as_json=as_json)
    if tally.rejected or parsed.faults:
        raise typer.Exit(ExitCode.INVALID_INPUT)


async def send_sessions(
    client: AsyncClient,
    sessions: Sequence[SessionTurns],
    *,
    user: str | None,
    wait: Wait = "none",
    progress: Progress,
) -> Tally:
    """Store every session in order, a call at a time; doing it again takes up a broken run."""
    tally = Tally()
    bar = progress.add_task("storing", total=sum(len(session.turns) for session in sessions))
    for session in sessions:
        user_id, session_id = _whose(session, user)
        for turns in _calls(session.turns):
            accepted = await client.remember(user_id, session_id, turns, wait=wait)
            operation = await client.operation(accepted.operation_id)
            tally.count(turns, operation.outcomes)
            tally.operations.append(operation.id)
            progress.advance(bar, len(turns))
    return tally


async def await_writing(client: AsyncClient, tally: Tally, *, progress: Progress) -> None:
    """Wait until every turn has its outcome, and count what was learnt."""
    bar = progress.add_task("learning", total=tally.turns)
    for operation_id in tally.operations:
        await _await_operation(client, operation_id, tally, progress, bar)


async def _ingest(
    connection: Connection, parsed: Parsed, user: str | None, *, wait: bool, quiet: bool
) -> Tally:
    async with connected(connection) as client:
        with Progress(console=console(stderr=True), disable=quiet) as progress:
            tally = await send_sessions(
                client,
                parsed.sessions,
                user=user,
                wait="indexed" if wait else "none",
                progress=progress,
            )
            if wait:
                await await_writing(client, tally, progress=progress)
    return tally


async def _await_operation(
    client: AsyncClient, operation_id: str, tally: Tally, progress: Progress, bar: TaskID
) -> None:
    done = 0
    while True:
        operation = await client.operation(operation_id)
        ended = [o for o in operation.outcomes if o.outcome is not Outcome.PENDING]
        progress.advance(bar, len(ended) - done)
        done = len(ended)
        if operation.is_finished:
            break
        await asyncio.sleep(POLL_S)
    tally.outcomes.update(str(outcome.outcome) for outcome in operation.outcomes)
    for outcome in operation.outcomes:
        tally.memories.update(outcome.memory_ids)


def _whose(session: SessionTurns, user: str | None) -> tuple[str, str]:
    if user is None:
        return session.user_id or DEFAULT_USER, session.session_id
    if session.user_id is None or session.user_id == user:
        return user, session.session_id
    # Sessions of several people meet in one memory and keep apart by whose they were.
    return user, f"{session.user_id}/{session.session_id}"


def _calls(turns: Sequence[SaidTurn]) -> Iterator[Sequence[SaidTurn]]:
    for start in range(0, len(turns), TURNS_PER_CALL):
        yield turns[start : start + TURNS_PER_CALL]


def _read(file: Path, form: Format) -> Parsed:
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as exc:
        raise InvalidInput(f"{file} is not UTF-8: byte {exc.start} cannot be read") from exc
    except OSError as exc:
        raise InvalidInput(f"{file} cannot be read: {exc.strerror}") from exc
    return parse(text, form, name=file.stem)


def _tell_faults(faults: Sequence[Fault], *, skip_bad: bool) -> None:
    err = console(stderr=True)
    for fault in faults[:FAULTS_TOLD]:
        err.print(f"bad: {fault}", markup=False)
    if len(faults) > FAULTS_TOLD:
        err.print(f"… and {len(faults) - FAULTS_TOLD} more")
    if faults and not skip_bad:
        raise InvalidInput(
            f"{len(faults)} of the file cannot be stored, so nothing was; mend it, or store the "
            "rest with --skip-bad"
        )


def _report(tally: Tally, faults: Sequence[Fault], *, as_json: bool) -> None:
    if as_json:
        print_json(tally.body(faults))
        return
    out = console()
    out.print(f"{tally.turns} turns: {tally.stored} new, {tally.duplicate} already there")
    if tally.outcomes:
        out.print(f"{len(tally.memories)} memories were written from them")
    for reason in tally.rejected:
        out.print(f"rejected: {reason}", markup=False)
    if tally.outcomes[Outcome.QUARANTINED]:
        out.print(
            f"{tally.outcomes[Outcome.QUARANTINED]} turns are stored but could not be learnt from"
        )
