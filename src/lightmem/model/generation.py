"""What goes to a generative model and comes back; how a dependency is."""

from dataclasses import dataclass

from lightmem.model.turns import Role


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer and its price in tokens, as counted by the server."""

    text: str
    model: str
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Health:
    """A dependency's state: `ok`, `degraded` or `down`. `detail` names no host or secret."""

    name: str
    status: str
    detail: str = ""
