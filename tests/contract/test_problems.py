"""Every class of error has its place in the one table from class to problem+json."""

import json
from collections.abc import Iterator

import pytest

from lightmem.errors import FieldError, InvalidInput, LightMemError, LimitExceeded
from lightmem_gateway.problems import KINDS, MEDIA_TYPE, kind_of, problem, problem_response


def every_error() -> Iterator[type[LightMemError]]:
    """The tree of errors, root first."""
    waiting = [LightMemError]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.__subclasses__()


ERRORS = sorted(
    (one for one in every_error() if one.__module__.startswith("lightmem")),
    key=lambda one: one.__name__,
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda one: one.__name__)
def test_each_class_stands_in_the_table_itself(error: type[LightMemError]) -> None:
    assert error in KINDS


@pytest.mark.parametrize("error", ERRORS, ids=lambda one: one.__name__)
def test_each_class_answers_with_all_members_of_a_problem(error: type[LightMemError]) -> None:
    answer = problem_response(error("in short"), request_id="r1")

    document = json.loads(bytes(answer.body))
    assert answer.media_type == MEDIA_TYPE
    assert document["status"] == answer.status_code == KINDS[error].status
    assert document["code"] == error.code
    assert document["request_id"] == "r1"
    assert {"type", "title", "detail"} <= document.keys()


@pytest.mark.parametrize("error", ERRORS, ids=lambda one: one.__name__)
def test_what_went_wrong_here_is_told_in_fixed_words(error: type[LightMemError]) -> None:
    document = problem(error("SELECT secret FROM db-7.internal"), request_id="r1")

    leaks = "db-7.internal" in json.dumps(document)
    assert leaks is (kind_of(error).status < 500)


def test_an_error_that_the_table_lacks_answers_as_its_nearest_ancestor() -> None:
    class Narrower(InvalidInput):
        """A case of its own."""

    assert kind_of(Narrower) == KINDS[InvalidInput]


def test_refused_fields_are_listed_even_where_their_name_is_no_text() -> None:
    error = InvalidInput("no", errors=[FieldError("turns.0.\ud800", "unknown field")])

    answer = problem_response(error, request_id="r1")

    assert b'"field": "turns.0.\\ud800"' in bytes(answer.body)


def test_a_retry_is_due_when_the_error_says_so() -> None:
    answer = problem_response(LimitExceeded("too much", retry_after_s=17.2), request_id="r1")

    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "17"


def test_whoever_brings_no_key_is_told_how_to() -> None:
    [error] = [one for one in ERRORS if one.__name__ == "NotAuthenticated"]

    answer = problem_response(error("no key"), request_id="r1")

    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
