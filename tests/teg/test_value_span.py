"""Spans of values hold their cells; operators that tell none have their dtype's."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import Span
from dask_tapestry.operators.sorting.picked_spans import picked_spans
from dask_tapestry.teg.value_span import value_span

X = np.random.default_rng(0).integers(-50, 50, (40, 30))
TABLE = np.array([5, 1, 9])
LOWEST, HIGHEST = np.iinfo("i8").min, np.iinfo("i8").max


@pytest.mark.parametrize(
    ("function", "span"),
    [
        (lambda x: x, Span(LOWEST, HIGHEST)),
        (lambda x: x.argmin(axis=1), Span(0, 29)),
        (lambda x: x.argmax(), Span(0, 1199)),
        (lambda x: dt.argsort(x, axis=0)[1:].T, Span(0, 39)),
        (lambda x: (x % 7).reshape(-1)[::-2], Span(0, 6)),
        (lambda x: dt.concatenate([x % 7, x % 9]), Span(0, 8)),
        (lambda x: dt.digitize(x, [0, 10]), Span(0, 2)),
        (lambda x: dt.searchsorted(dt.asarray([0, 10, 20]), x), Span(0, 3)),
        (lambda x: dt.asarray(TABLE)[x % 3], Span(LOWEST, HIGHEST)),
        (lambda x: (dt.asarray(TABLE) % 10)[x % 3], Span(0, 9)),
        (lambda x: dt.take_along_axis(x % 5, x % 30, 1), Span(0, 4)),
        (lambda x: (x % 7).max(axis=0), Span(0, 6)),
        (lambda x: (x % 7).sum(axis=0), Span(LOWEST, HIGHEST)),
        (lambda x: dt.clip(x, -2, 5), Span(-2, 5)),
        (lambda x: x > 3, Span(0, 1)),
        (lambda x: (x > 3).astype("i8") * 2, Span(0, 2)),
        (lambda x: x / 2, None),
        (lambda x: dt.arange(3, 90, 4)[5::2], Span(3, 87)),
        (lambda x: dt.arange(9, -3, -2, dtype="i1")[:-1], Span(-1, 9)),
        (lambda x: dt.arange(9, dtype="u2")[4:5] // 3, Span(0, 2)),
        (lambda x: dt.arange(9.0), None),
        (lambda x: dt.arange(70)[x % 60], Span(0, 69)),
        (lambda x: dt.indices(x.shape)[0][:, 2:] * 2, Span(0, 78)),
        (lambda x: dt.full(x.shape, 7) + dt.zeros(30, "u1"), Span(7, 7)),
        (lambda x: dt.full(x.shape, 7.5), None),
    ],
)
def test_a_span_holds_all_cells(function, span):
    made = function(dt.asarray(X))
    found = value_span(made.node)
    assert found == span
    if found is not None:
        cells = made.compute()
        assert found.least <= cells.min()
        assert cells.max() <= found.most


def test_long_chains_are_walked_without_recursion():
    x = dt.asarray(X) % 7
    for _ in range(5000):
        x = x[::-1]
    assert value_span(x.node) == Span(0, 6)


def test_buckets_have_no_span():
    x, mask = dt.asarray(X).node, dt.asarray(np.ones(np.shape(X)[0], bool)).node
    assert value_span(picked_spans(x, mask, 4)) is None
