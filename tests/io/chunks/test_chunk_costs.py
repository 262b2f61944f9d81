from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.io.chunks.chunk_costs import ReadBuffers, touched_chunk_cells
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


def test_a_helper_has_a_chunk_where_these_are_in_hand_one_by_one():
    assert ReadBuffers(16, 1).helper_bytes == ReadBuffers(16, 1, in_place=True).helper_bytes == 32
    assert ReadBuffers(16, 10).helper_bytes == 0, "they are counted"
