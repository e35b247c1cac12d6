"""Who a bare name is: "Ana" is the sister Ana where nobody else of that name is spoken of."""

from dataclasses import replace

from lightmem.domain.attributes import chinese, english, spanish
from lightmem.domain.attributes.model import Claim

#: Who is named without a word about who that is.
UNRELATED = "?"
_RELATIONS = sorted(
    {*english.RELATIONS.values(), *spanish.RELATIONS.values(), *chinese.RELATIONS.values()}
)


def named_alone(claim: Claim) -> bool:
    """Whether a claim is about somebody of whom it says the name alone."""
    return claim.subject.split(">")[1] == UNRELATED


def kin_keys(claim: Claim) -> dict[str, str]:
    """The keys that the claim would have of each relation of that name, and their subjects."""
    owner, _, name = claim.subject.split(">")
    subjects = [f"{owner}>{relation}>{name}" for relation in _RELATIONS]
    return {with_subject(claim, subject).key: subject for subject in subjects}


def with_subject(claim: Claim, subject: str) -> Claim:
    """The claim about somebody else."""
    return replace(claim, subject=subject)
