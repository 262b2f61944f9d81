import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.io.window import Window
from dask_tapestry.zspace import ZRange


@st.composite
def windows(draw):
    """A window of an array of one dimension, the length of the array, and the slice."""
    extent = draw(st.integers(1, 30))
    start, stop = draw(st.integers(0, extent)), draw(st.integers(0, extent))
    item = slice(start, stop, draw(st.integers(1, 12)))
    return Window.of((item,), (extent,), (draw(st.integers(1, 9)),)), extent, item


@given(windows(), st.data())
def test_blocks_of_the_cover_write_each_cell_once_and_share_no_piece(drawn, data):
    window, extent, item = drawn
    cells = np.arange(100, 100 + len(range(*item.indices(extent))))
    array, expected, writers = np.zeros(extent, int), np.zeros(extent, int), {}
    expected[item] = cells
    step = window.sides[0] * data.draw(st.integers(1, 3))
    (cover,) = window.cover
    for number, lo in enumerate(range(0, cover, step)):
        part = window.cells(ZRange((lo,), (min(lo + step, cover),)))
        if part.is_empty:
            continue
        (selection,) = window.selection(part)
        array[selection] = cells[part.slices()]
        for cell in range(extent)[selection]:
            assert writers.setdefault(cell // window.sides[0], number) == number
    np.testing.assert_array_equal(array, expected)


@given(windows(), windows())
def test_windows_meet_where_they_touch_one_piece(first, second):
    (a, _, _), (b, _, _) = first, second
    b = Window(b.along, a.sides)
    pieces = [{c // a.sides[0] for c in range(p.start, p.stop, p.step)} for p in a.along + b.along]
    assert a.meets(b) == b.meets(a) == bool(pieces[0] & pieces[1])


@pytest.mark.parametrize(("start", "step", "meet"), [(1, 4, False), (0, 6, True), (3, 6, False)])
def test_long_windows_are_compared_without_counting(start, step, meet):
    extent = (10**15,)
    a, b = (
        Window.of((slice(at, None, n),), extent, (2,)) for at, n in ((4, 8), (2 * start, 2 * step))
    )
    assert a.meets(b) == meet


def test_windows_of_very_many_kinds_are_said_to_meet():
    a, b = (Window.of((slice(n, None, 1001),), (10**9,), (1000,)) for n in (0, 1))
    assert a.meets(b)


def test_windows_meet_in_every_dimension():
    sides = (4, 4)
    a = Window.of((slice(0, 5), slice(0, 3)), (20, 20), sides)
    assert a.meets(Window.of((slice(7, 9), slice(2, 9)), (20, 20), sides))
    assert not a.meets(Window.of((slice(8, 9), slice(2, 9)), (20, 20), sides))
    assert not a.meets(Window.of((slice(7, 9), slice(4, 9)), (20, 20), sides))


def test_what_it_says_of_itself():
    window = Window.of((slice(3, 9, 2), slice(None)), (20, 5), (4, 5))
    assert (window.shape, window.origin, window.cover) == ((3, 5), (0, 0), (8, 5))
    assert window.hull == ((3, 8), (0, 5))
    assert not window.is_dense
    assert Window.of((slice(3, 9),), (20,), (4,)).is_dense
    assert str(window) == "[3:8:2, 0:5]"


def test_an_array_without_dimensions():
    window = Window.of((), (), ())
    assert (window.shape, window.cover, window.is_dense) == ((), (), True)
    assert window.selection(window.cells(ZRange((), ()))) == ()
    assert window.meets(window)


@pytest.mark.parametrize("step", [-1, -2, 0])
def test_steps_are_positive(step):
    with pytest.raises(dt.ShapeError, match="not positive"):
        Window.of((slice(None, None, step),), (5,), (1,))


def test_as_many_slices_as_dimensions():
    with pytest.raises(dt.ShapeError, match=r"region \[:\] does not fit"):
        Window.of((slice(None),), (5, 5), (1, 1))
