"""Bodies of the routes of dreams."""

from typing import Annotated

from pydantic import Field, StringConstraints

from lightmem.model import DreamPolicy
from lightmem_gateway.bodies import Body

#: Steps named in one call.
MOST_STEPS = 1_000


class DreamBody(Body):
    """A dream that is asked for."""

    policy: DreamPolicy = DreamPolicy.REVIEW
    max_removed_fraction: Annotated[
        float,
        Field(
            strict=True,
            ge=0,
            le=1,
            description="Of the active memories, at most so many may go; MERGE does not count.",
        ),
    ] = 0.3


class ApplyBody(Body):
    """Which of the accepted steps are to be done; all of them where none is named."""

    step_ids: (
        Annotated[
            list[Annotated[str, StringConstraints(min_length=1)]],
            Field(min_length=1, max_length=MOST_STEPS),
        ]
        | None
    ) = None
