"""Spans of formulas hold what NumPy computes of cells within those of the parameters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import CellBuilder, Span, span_of_expression
from dask_tapestry.cells.value_span import RULES, span_of_dtype

ONE = ("cast", "positive", "negative", "absolute", "sign")
DTYPES = ("i1", "u1", "i2", "i8", "u8")


def built(function, dtype, count, to=None):
    builder = CellBuilder((np.dtype(dtype),) * count)
    made = builder.call(function, tuple(range(count)), np.dtype(to or dtype))
    return builder.finish(made)


@given(st.data())
def test_a_span_holds_all_cells(data):
    function = data.draw(st.sampled_from(sorted({*RULES} - {"where"})))
    dtype = np.dtype(data.draw(st.sampled_from(DTYPES)))
    own = span_of_dtype(dtype)
    near = st.integers(max(own.least, -9), min(own.most, 9))
    numbers = near | st.integers(*own)
    count = 1 if function in ONE else 2
    ends = [sorted(data.draw(st.tuples(numbers, numbers))) for _ in range(count)]
    cells = [data.draw(st.lists(st.integers(*e), min_size=1, max_size=5)) for e in ends]
    to = data.draw(st.sampled_from(DTYPES)) if function == "cast" else dtype
    if function == "negative" and dtype.kind == "u":
        return
    found = span_of_expression(built(function, dtype, count, to), [Span(*e) for e in ends])
    with np.errstate(all="ignore"):
        grids = np.meshgrid(*[np.array(c, dtype) for c in cells])
        made = grids[0].astype(to) if function == "cast" else getattr(np, function)(*grids)
    assert found.least <= int(made.min())
    assert int(made.max()) <= found.most


@pytest.mark.parametrize(
    ("function", "spans", "expected"),
    [
        ("remainder", [Span(-5, 50), Span(7, 7)], Span(0, 6)),
        ("remainder", [Span(0, 3), Span(7, 7)], Span(0, 3)),
        ("floor_divide", [Span(-5, 50), Span(2, 10)], Span(-3, 25)),
        ("multiply", [Span(-5, 2), Span(-3, 4)], Span(-20, 15)),
        ("bitwise_and", [Span(-5, 50), Span(15, 15)], Span(0, 15)),
        ("right_shift", [Span(0, 255), Span(4, 4)], Span(0, 15)),
        ("absolute", [Span(-5, 2)], Span(0, 5)),
        ("add", [Span(0, 1), Span(2, 3)], Span(2, 4)),
        ("hypot", [Span(0, 1), Span(2, 3)], span_of_dtype(np.dtype("i8"))),
    ],
)
def test_spans_are_narrow(function, spans, expected):
    assert span_of_expression(built(function, "i8", len(spans)), spans) == expected


def test_what_may_overflow_has_the_span_of_its_dtype():
    assert span_of_expression(built("add", "u1", 2), [Span(0, 200), Span(0, 100)]) == Span(0, 255)


def test_what_a_condition_chooses_lies_in_either():
    builder = CellBuilder((np.dtype(bool), np.dtype("i8"), np.dtype("i8")))
    made = builder.finish(builder.call("where", (0, 1, 2), np.dtype("i8")))
    assert span_of_expression(made, [None, Span(-3, 1), Span(4, 9)]) == Span(-3, 9)


def test_numbers_that_are_no_integers_have_none():
    assert span_of_expression(built("add", "f8", 2), [None, None]) is None
