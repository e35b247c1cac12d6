"""What can go wrong, in the words of the domain.

    LightMemError
    ├── InvalidInput            the caller must change the request
    │   ├── InvalidTime         a time without an offset, or no time at all
    │   └── TurnTooLarge        more code points in a turn than are accepted
    ├── NotAuthenticated        no key, or none that we know
    ├── NotAllowed              the key's role is too small
    ├── NotFound                no such thing, or not the caller's: the same answer for both
    ├── Conflict                the request does not fit the state of things
    │   ├── IdempotencyConflict the key was used with another body
    │   ├── VersionConflict     the thing changed since it was read
    │   ├── Forgotten           it says a value that its user had forgotten
    │   ├── ForgottenMeanwhile  words were held against older tombstones than there are now
    │   ├── AttributeTaken      another memory says what holds of the same
    │   └── WrongState          the call does not fit the thing's state
    ├── Erased                  it was about a user who has been erased
    ├── LimitExceeded           too much in this window of time
    ├── InvalidModelOutput      a language model answered outside its schema
    ├── IncompatibleIndex       the index was filled by another encoder
    ├── OtherSecret             this process has another secret than the installation
    ├── DeadlineExceeded        no answer within the caller's deadline
    └── Unavailable             a dependency does not answer; safe to retry
        ├── LedgerUnavailable, IndexUnavailable, GraphUnavailable, ShortTermUnavailable
        ├── QueueUnavailable, ModelUnavailable, ResponderUnavailable
        └── ControllerUnavailable, SelectorUnavailable, WriterUnavailable

`code` is stable and travels; `details` carry ids and field names, never a user's words.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field that was refused and why. `field` is a dotted path such as `turns.0.content`."""

    field: str
    message: str


class LightMemError(Exception):
    """Base of every error that LightMem raises on purpose."""

    code = "INTERNAL"

    def __init__(self, message: str, **details: str | int | float | None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details


class InvalidInput(LightMemError):
    """The caller must change the request; `errors` says which fields and how."""

    code = "INVALID_INPUT"

    def __init__(
        self,
        message: str,
        *,
        errors: Sequence[FieldError] = (),
        **details: str | int | float | None,
    ) -> None:
        super().__init__(message, **details)
        self.errors = tuple(errors)

    @classmethod
    def of(cls, field: str, message: str) -> "InvalidInput":
        """One refused field."""
        return cls(f"{field}: {message}", errors=(FieldError(field, message),))


class InvalidTime(InvalidInput):
    """A time without an offset, or no time at all."""

    code = "INVALID_TIME"


class TurnTooLarge(InvalidInput):
    """More code points in one turn than are accepted."""

    code = "TURN_TOO_LARGE"


class NotAuthenticated(LightMemError):
    """No key came with the request, or none that we know."""

    code = "NOT_AUTHENTICATED"


class NotAllowed(LightMemError):
    """The key is good, its role is too small."""

    code = "NOT_ALLOWED"


class NotFound(LightMemError):
    """No such thing, or it is not the caller's: both give the same answer."""

    code = "NOT_FOUND"


class Conflict(LightMemError):
    """The request does not fit the state of things."""

    code = "CONFLICT"


class IdempotencyConflict(Conflict):
    """The idempotency key was used before with another body."""

    code = "IDEMPOTENCY_CONFLICT"


class VersionConflict(Conflict):
    """The thing changed since it was read."""

    code = "VERSION_CONFLICT"


class Forgotten(Conflict):
    """It says a value that its user had forgotten; lift the tombstone first."""

    code = "FORGOTTEN"


class ForgottenMeanwhile(Conflict):
    """Words were held against older tombstones than there are now: hold them again."""

    code = "FORGOTTEN_MEANWHILE"


class AttributeTaken(Conflict):
    """Another memory of the user says what holds of the same: correct or forget that one."""

    code = "ATTRIBUTE_TAKEN"


class WrongState(Conflict):
    """The call does not fit the thing's state."""

    code = "WRONG_STATE"


class Erased(LightMemError):
    """What was asked for was about a user who has been erased since."""

    code = "ERASED"


class LimitExceeded(LightMemError):
    """Too much in this window of time; `details["retry_after_s"]` says when to try again."""

    code = "LIMIT_EXCEEDED"


class InvalidModelOutput(LightMemError):
    """A language model answered outside the schema it was given."""

    code = "INVALID_MODEL_OUTPUT"


class IncompatibleIndex(LightMemError):
    """The index was filled by another encoder; the message names the command that re-embeds."""

    code = "INCOMPATIBLE_INDEX"


class OtherSecret(LightMemError):
    """This process has another secret than the installation; the message says how to give it."""

    code = "OTHER_SECRET"


class DeadlineExceeded(LightMemError):
    """No answer within the caller's deadline."""

    code = "DEADLINE_EXCEEDED"


class Unavailable(LightMemError):
    """A dependency does not answer; the call changed nothing and is safe to retry."""

    code = "UNAVAILABLE"


class LedgerUnavailable(Unavailable):
    """The system of record does not answer."""

    code = "LEDGER_UNAVAILABLE"


class IndexUnavailable(Unavailable):
    """The index of turns and memories does not answer."""

    code = "INDEX_UNAVAILABLE"


class GraphUnavailable(Unavailable):
    """The long-term graph does not answer."""

    code = "GRAPH_UNAVAILABLE"


class ShortTermUnavailable(Unavailable):
    """The short-term buffer does not answer."""

    code = "SHORT_TERM_UNAVAILABLE"


class QueueUnavailable(Unavailable):
    """The job queue does not answer."""

    code = "QUEUE_UNAVAILABLE"


class ModelUnavailable(Unavailable):
    """The small language model does not answer, or none is configured."""

    code = "MODEL_UNAVAILABLE"


class ResponderUnavailable(Unavailable):
    """The model that answers the user does not answer, or none is configured."""

    code = "RESPONDER_UNAVAILABLE"


class ControllerUnavailable(Unavailable):
    """The Controller service does not answer."""

    code = "CONTROLLER_UNAVAILABLE"


class SelectorUnavailable(Unavailable):
    """The Selector service does not answer."""

    code = "SELECTOR_UNAVAILABLE"


class WriterUnavailable(Unavailable):
    """The Writer service does not answer."""

    code = "WRITER_UNAVAILABLE"
