import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.operators.views.ravel_index import (
    boxes_of_span,
    ravel,
    run_count,
    runs,
    span_box,
    strides,
    unravel,
)

from .test_view import box_of, numbers

SHAPES = st.lists(st.integers(1, 4), max_size=3)


@given(st.lists(st.integers(1, 4), max_size=3), st.data())
def test_running_numbers_go_there_and_back(shape, data):
    number = data.draw(st.integers(0, int(np.prod(shape, dtype=int)) - 1))
    point = unravel(number, shape)
    assert ravel(point, shape) == number == int(np.dot(point, strides(shape)))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_a_span_box_is_consecutive_and_holds_the_span(shape, data):
    size = int(np.prod(shape))
    first = data.draw(st.integers(0, size - 1))
    last = data.draw(st.integers(first, size - 1))
    lo, hi = span_box(first, last, shape)
    cells = numbers(shape)[tuple(map(slice, lo, hi))].astype(int).ravel()
    assert list(cells) == list(range(cells[0], cells[-1] + 1))
    assert cells[0] <= first <= last <= cells[-1]


@given(SHAPES, st.data())
def test_runs_are_the_cells_of_a_box_in_order(shape, data):
    box = box_of(data.draw, shape)
    if box.is_empty:
        return
    found = list(runs(box.lo, box.hi, shape))
    cells = [n for first, end in found for n in range(first, end)]
    assert cells == numbers(shape)[(*box.slices(), ...)].astype(int).ravel().tolist()
    assert len(found) == run_count(box.lo, box.hi, shape)


@given(SHAPES, st.data())
def test_the_boxes_of_a_span_are_its_numbers_in_order(shape, data):
    size = int(np.prod(shape, dtype=int))
    first = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(first + 1, size))
    boxes = list(boxes_of_span(first, end, shape))
    cells = [
        n
        for lo, hi in boxes
        for n in numbers(shape)[(*map(slice, lo, hi), ...)].astype(int).ravel()
    ]
    assert cells == list(range(first, end))
    assert len(boxes) <= max(1, 2 * len(shape) - 1)
