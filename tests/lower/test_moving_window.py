import numpy as np
import pytest

from dask_tapestry.lower.moving_window import MovingWindow, ShownValue, shown_values
from dask_tapestry.steps.program import Instruction
from dask_tapestry.steps.window import Window
from dask_tapestry.zspace import Cuts, ZRange
from tests.planner.graphs import stored

DATA = np.arange(100.0 * 6).reshape(100, 6)


class Reads:
    """Reads of `DATA`, which are noted."""

    def __init__(self, axis):
        self.axis, self.boxes = axis, []

    def __call__(self, window, box, place, pace):
        self.boxes.append((box.lo[self.axis], box.hi[self.axis]))
        return DATA[box.slices()] if self.axis == 0 else DATA.T[box.slices()]


def window(axis, length, side=10):
    shape = DATA.shape if axis == 0 else DATA.T.shape
    source = stored(shape, "f8", shape).node
    instruction = Instruction(source.operator, (), (), source.type)
    return Window(instruction, source.type.box, axis, Cuts.regular(shape[axis], side), length)


def test_chunks_of_unequal_lengths_are_read_once():
    reads, own = Reads(0), window(0, 60)
    moving = MovingWindow(own._replace(cuts=Cuts.of_lengths([7, 31, 2, 50, 10])), reads)
    for start in range(0, 96, 3):
        need = own.box.replace(0, start, start + 5)
        ShownValue([moving]).move([need])
    assert reads.boxes == [(0, 7), (7, 38), (38, 90), (90, 100)]


@pytest.mark.parametrize("axis", [0, 1])
def test_each_chunk_is_read_once(axis):
    reads = Reads(axis)
    moving = MovingWindow(window(axis, 14), reads)
    whole = moving.window.box
    data = DATA if axis == 0 else DATA.T
    for start in (0, 3, 6, 9, 17, 20, 86, 96):
        need = whole.replace(axis, start, start + 4)
        ShownValue([moving]).move([need])
        np.testing.assert_array_equal(moving.cells(need), data[need.slices()])
    assert reads.boxes == [(0, 10), (10, 20), (20, 30), (86, 90), (96, 100)]


def test_what_the_window_is_too_small_for_is_read_by_itself():
    reads = Reads(0)
    moving = MovingWindow(window(0, 10), reads)
    for start, stop in ((0, 8), (5, 18), (4, 6)):
        need = moving.window.box.replace(0, start, stop)
        ShownValue([moving]).move([need])
        np.testing.assert_array_equal(moving.cells(need), DATA[start:stop])
    assert reads.boxes == [(0, 10), (5, 18)]


def test_nothing_is_read_for_no_cells():
    reads = Reads(0)
    moving = MovingWindow(window(0, 10), reads)
    ShownValue([moving]).move([ZRange((4, 0), (4, 6))])
    ShownValue([moving]).move([])
    assert reads.boxes == []


def test_rows_that_steps_skip_need_not_be_read():
    asked = []

    def read(window, box, place, pace):
        asked.append((box.lo[0], pace))
        place[...] = np.nan
        place[::pace] = DATA[box.slices()][::pace]
        return place

    moving = MovingWindow(window(0, 30, side=1), read, pace=7)
    for start in (0, 14, 28):
        need = moving.window.box.replace(0, start, start + 15)
        ShownValue([moving]).move([need])
        np.testing.assert_array_equal(moving.cells(need)[::7], DATA[start : start + 15 : 7])
    assert asked == [(0, 7), (21, 7), (35, 7)]


def test_each_box_of_a_value_moves_in_a_window_of_its_own():
    reads, whole = Reads(0), window(0, 14)
    near, far = (whole._replace(box=whole.box.replace(0, *rows)) for rows in ((0, 60), (90, 95)))
    value = ShownValue([MovingWindow(one, reads) for one in (near, far)])
    for start in range(0, 56, 4):
        needs = [near.box.replace(0, start, start + 4)]
        needs += [far.box] if start == 8 else []
        value.move(needs)
        for need in needs:
            np.testing.assert_array_equal(value.cells(need), DATA[need.slices()])
    assert sorted(reads.boxes) == [*((n, n + 10) for n in range(0, 60, 10)), (90, 95)]
    between = whole.box.replace(0, 70, 75)  # no window shows it
    np.testing.assert_array_equal(value.cells(between), DATA[70:75])


def test_windows_are_told_by_the_number_of_their_value():
    own, reads = window(0, 10), Reads(0)
    windows = [MovingWindow(own._replace(number=number), reads) for number in (1, 0, 1)]
    first, second = shown_values(windows)
    first.move([own.box.replace(0, 0, 4)])
    second.move([own.box.replace(0, 0, 7)])
    assert [one.box.shape[0] for one in windows] == [10, 10, 0]
