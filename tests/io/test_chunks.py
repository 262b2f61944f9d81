from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.io.chunks import CHUNK_BYTES, automatic_chunks, covering_cells
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
    assert covering_cells(box, sides, shape) == len(cells)


def test_without_chunks_the_box_counts():
    assert covering_cells(ZRange((1, 2), (3, 5)), None, (9, 9)) == 6


@given(st.lists(st.integers(0, 10**7), max_size=4).map(tuple), st.sampled_from([1, 2, 8, 16]))
def test_automatic_chunks_are_at_most_as_large_as_wanted(shape, itemsize):
    sides = automatic_chunks(shape, itemsize)
    assert len(sides) == len(shape)
    assert all(1 <= side <= max(n, 1) for side, n in zip(sides, shape, strict=True))
    assert prod(sides) * itemsize <= CHUNK_BYTES


def test_trailing_dimensions_stay_whole():
    assert automatic_chunks((10**6, 1000), 8) == (CHUNK_BYTES // 8000, 1000)
    assert automatic_chunks((3, 4), 8) == (3, 4)
