"""Hypothesis strategies for the values that travel between services."""

from datetime import UTC, datetime
from typing import TypeVar

from hypothesis import strategies as st

from lightmem import model as m

T = TypeVar("T")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
times = st.datetimes(
    min_value=datetime(1, 1, 2),  # noqa: DTZ001  (hypothesis wants naive bounds)
    max_value=datetime(9999, 12, 30),  # noqa: DTZ001
    timezones=st.just(UTC),
)
counts = st.integers(min_value=0, max_value=2**31 - 1)
scores = st.floats(allow_nan=False)
offsets = st.integers(min_value=-14 * 60, max_value=14 * 60)


def tuples_of(values: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[T, ...]]:
    return st.lists(values, max_size=3).map(tuple)


def maybe(values: st.SearchStrategy[T]) -> st.SearchStrategy[T | None]:
    return st.none() | values


ranges = st.builds(
    m.TimeRange, start=maybe(times), end=maybe(times), precision=st.sampled_from(m.Precision)
)
requests = st.builds(
    m.RecallRequest,
    query=texts,
    now=times,
    session_id=maybe(texts),
    top_k=counts,
    budget_tokens=counts,
    layers=tuples_of(st.sampled_from(m.Layer)),
    mode=st.sampled_from(m.RecallMode),
    filters=st.builds(
        m.RecallFilters,
        start=maybe(times),
        end=maybe(times),
        speakers=tuples_of(texts),
        kinds=tuples_of(st.sampled_from(m.ItemKind)),
        session_ids=tuples_of(texts),
    ),
    as_of=st.builds(m.AsOf, valid=maybe(times), known=maybe(times)),
    explain=st.booleans(),
    utc_offset_minutes=offsets,
)
queries = st.builds(m.PlannedQuery, text=texts, weight=scores, rule=texts, by_word=st.booleans())
plans = st.builds(
    m.Plan,
    queries=tuples_of(queries),
    time_range=maybe(ranges),
    entities=tuples_of(texts),
    layers=tuples_of(st.sampled_from(m.Layer)),
    source=st.sampled_from(["rules", "slm"]),
    degraded=tuples_of(texts),
    model_calls=counts,
)
items = st.builds(
    m.Item,
    id=texts,
    layer=st.sampled_from(m.Layer),
    kind=st.sampled_from(m.ItemKind),
    text=texts,
    score=scores,
    speaker=maybe(texts),
    occurred_at=maybe(times),
    valid_from=maybe(times),
    valid_to=maybe(times),
    source_turn_ids=tuples_of(texts),
    session_id=maybe(texts),
    seq=counts,
)
selections = st.builds(
    m.Selection,
    items=tuples_of(items),
    candidates=tuples_of(
        st.builds(
            m.Candidate,
            item=items,
            features=st.dictionaries(texts, scores, max_size=3),
            reason=texts,
        )
    ),
    degraded=tuples_of(texts),
    added=tuples_of(queries),
    timings_ms=st.dictionaries(texts, scores, max_size=3),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
turns = st.builds(
    m.Turn,
    id=texts,
    tenant_id=st.just("acme"),
    user_id=st.just("ana"),
    session_id=texts,
    seq=counts,
    role=st.sampled_from(m.Role),
    content=texts,
    occurred_at=times,
    recorded_at=times,
    client_id=maybe(texts),
    speaker=maybe(texts),
    metadata=st.dictionaries(texts, json_values, max_size=3),
    utc_offset_minutes=offsets,
)
extractions = st.builds(
    m.Extraction,
    statements=tuples_of(
        st.builds(
            m.Statement,
            text=texts,
            kind=st.sampled_from(m.MemoryKind),
            language=texts,
            entities=tuples_of(texts),
            sources=tuples_of(st.builds(m.Source, turn_id=texts, quote=texts)),
            valid_from=maybe(times),
            valid_to=maybe(times),
            valid_precision=maybe(st.sampled_from(m.Precision)),
        )
    ),
    model_calls=counts,
    prompt_tokens=counts,
    completion_tokens=counts,
    fallback_reason=maybe(texts),
    rejected=tuples_of(texts),
)
