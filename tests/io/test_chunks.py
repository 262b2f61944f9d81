from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.io.chunks import default_chunk_shape, touched_chunk_cells
from dask_tapestry.zspace import ZRange


@st.composite
def chunked_boxes(draw):
    """A shape, chunk sides and a box within it."""
    shape = tuple(draw(st.lists(st.integers(1, 9), max_size=3)))
    sides = tuple(draw(st.integers(1, 10)) for _ in shape)
    lo = tuple(draw(st.integers(0, n)) for n in shape)
    hi = tuple(draw(st.integers(a, n)) for a, n in zip(lo, shape, strict=True))
    return shape, sides, ZRange(lo, hi)


@given(chunked_boxes())
def test_the_chunks_that_meet_a_box_are_counted_whole(case):
    shape, sides, box = case
    cells = set()
    for point in box.points():
        origin = [p // s * s for p, s in zip(point, sides, strict=True)]
        spans = (range(o, min(o + s, n)) for o, s, n in zip(origin, sides, shape, strict=True))
        cells.update(product(*spans))
    assert touched_chunk_cells(box, sides, shape) == len(cells)


def test_without_chunks_the_box_counts():
    assert touched_chunk_cells(ZRange((1, 2), (3, 5)), None, (9, 9)) == 6


def test_a_tensor_is_stored_in_its_nominal_chunks():
    x = dt.ones((10, 9), chunks=((3, 5, 2), 4))
    assert default_chunk_shape(x.node) == (5, 4)
    assert default_chunk_shape((x + 1).T.node) == (4, 5)
    assert default_chunk_shape(dt.ones((0, 3)).node) == (1, 3)
    assert default_chunk_shape(dt.ones(()).node) == ()


def test_chunks_too_large_for_a_task_are_made_smaller():
    x = dt.ones((1000, 1000), chunks=-1)
    with pytest.warns(UserWarning, match=r"7\.63 MiB.*too much for the memory of a task"):
        assert default_chunk_shape(x.node, memory=4 * 10**6) == (125, 1000)
    assert default_chunk_shape(x.node, memory=10**9) == (1000, 1000)


def test_a_great_many_tiny_chunks_are_joined():
    x = dt.placeholder((3000, 3000), "f4", stored_chunks=(5, 5))
    assert default_chunk_shape(x.node) == (1395, 3000)
    few = dt.placeholder((500, 500), "f4", stored_chunks=(5, 5))
    assert default_chunk_shape(few.node) == (5, 5)
