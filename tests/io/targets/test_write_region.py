import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.zspace import ZRange


@st.composite
def regions(draw):
    """A region of an array of one dimension, the length of the array, and the slice."""
    extent = draw(st.integers(1, 30))
    start, stop = draw(st.integers(0, extent)), draw(st.integers(0, extent))
    item = slice(start, stop, draw(st.integers(1, 12)))
    return WriteRegion.of((item,), (extent,), (draw(st.integers(1, 9)),)), extent, item


@given(regions(), st.data())
def test_blocks_of_the_cover_write_each_cell_once_and_share_no_piece(drawn, data):
    region, extent, item = drawn
    cells = np.arange(100, 100 + len(range(*item.indices(extent))))
    array, expected, writers = np.zeros(extent, int), np.zeros(extent, int), {}
    expected[item] = cells
    step = region.sides[0] * data.draw(st.integers(1, 3))
    (cover,) = region.cover
    for number, lo in enumerate(range(0, cover, step)):
        part = region.cells(ZRange((lo,), (min(lo + step, cover),)))
        if part.is_empty:
            continue
        (selection,) = region.selection(part)
        array[selection] = cells[part.slices()]
        for cell in range(extent)[selection]:
            assert writers.setdefault(cell // region.sides[0], number) == number
    np.testing.assert_array_equal(array, expected)


@given(regions(), regions())
def test_windows_meet_where_they_touch_one_piece(first, second):
    (a, _, _), (b, _, _) = first, second
    b = WriteRegion(b.along, a.sides)
    pieces = [{c // a.sides[0] for c in range(p.start, p.stop, p.step)} for p in a.along + b.along]
    assert a.meets(b) == b.meets(a) == bool(pieces[0] & pieces[1])


@pytest.mark.parametrize(("start", "step", "meet"), [(1, 4, False), (0, 6, True), (3, 6, False)])
def test_long_windows_are_compared_without_counting(start, step, meet):
    extent = (10**15,)
    a, b = (
        WriteRegion.of((slice(at, None, n),), extent, (2,))
        for at, n in ((4, 8), (2 * start, 2 * step))
    )
    assert a.meets(b) == meet


def test_windows_of_very_many_kinds_are_said_to_meet():
    a, b = (WriteRegion.of((slice(n, None, 1001),), (10**9,), (1000,)) for n in (0, 1))
    assert a.meets(b)


def test_windows_meet_in_every_dimension():
    sides = (4, 4)
    a = WriteRegion.of((slice(0, 5), slice(0, 3)), (20, 20), sides)
    assert a.meets(WriteRegion.of((slice(7, 9), slice(2, 9)), (20, 20), sides))
    assert not a.meets(WriteRegion.of((slice(8, 9), slice(2, 9)), (20, 20), sides))
    assert not a.meets(WriteRegion.of((slice(7, 9), slice(4, 9)), (20, 20), sides))


def test_what_it_says_of_itself():
    region = WriteRegion.of((slice(3, 9, 2), slice(None)), (20, 5), (4, 5))
    assert (region.shape, region.origin, region.cover) == ((3, 5), (0, 0), (8, 5))
    assert region.hull == ((3, 8), (0, 5))
    assert not region.is_dense
    assert WriteRegion.of((slice(3, 9),), (20,), (4,)).is_dense
    assert str(region) == "[3:8:2, 0:5]"


def test_an_array_without_dimensions():
    region = WriteRegion.of((), (), ())
    assert (region.shape, region.cover, region.is_dense) == ((), (), True)
    assert region.selection(region.cells(ZRange((), ()))) == ()
    assert region.meets(region)


@pytest.mark.parametrize("step", [-1, -2, 0])
def test_steps_are_positive(step):
    with pytest.raises(dt.ShapeError, match="not positive"):
        WriteRegion.of((slice(None, None, step),), (5,), (1,))


def test_as_many_slices_as_dimensions():
    with pytest.raises(dt.ShapeError, match=r"region \[:\] does not fit"):
        WriteRegion.of((slice(None),), (5, 5), (1, 1))
