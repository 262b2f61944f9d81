"""Lazy arrays among a user function's further arguments come whole, and are computed once."""

from itertools import count

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.user_functions.lazy_arguments import Numbered, arguments_of, with_arrays

CELLS = np.arange(48.0).reshape(6, 8)
KNOWN = np.arange(5.0)


class Counted:
    """Cells that count how often they are computed.

    Functions of equal values are one, whose plan is found again: each of these has a number.
    """

    numbers = count()

    def __init__(self):
        self.calls, self.number = 0, next(self.numbers)

    def array(self):
        return dt.map_blocks(self.cells, dt.asarray(KNOWN).rechunk(5), dtype="f8")

    def cells(self, block):
        self.calls += block.size > 1  # not a trial
        return block + 1


def scaled(block, factor=None, deep=()):
    assert isinstance(factor, np.ndarray)
    assert all(isinstance(one, np.ndarray) for one in deep)
    return block * factor.sum() + sum(one.max() for one in deep)


def lane(cells, factor=None, deep=()):
    return scaled(cells, factor, deep)[:2]


def looped(cells, factor=None, deep=()):
    return scaled(cells, factor, deep)


CALLS = {
    "apply_along_axis": (
        lambda x, factor, deep: dt.apply_along_axis(lane, 0, x, factor, deep=deep),
        lambda x, factor, deep: np.apply_along_axis(lane, 0, x, factor, deep=deep),
    ),
    "apply_along_axis with a dtype": (
        lambda x, factor, deep: dt.apply_along_axis(
            lane, 1, x, factor=factor, deep=deep, dtype="f8", shape=(2,)
        ),
        lambda x, factor, deep: np.apply_along_axis(lane, 1, x, factor=factor, deep=deep),
    ),
    "apply_gufunc": (
        lambda x, factor, deep: dt.apply_gufunc(
            looped, "(i)->(i)", x, factor=factor, deep=deep, output_dtypes="f8"
        ),
        scaled,
    ),
    "map_blocks": (
        lambda x, factor, deep: dt.map_blocks(scaled, x, factor, deep=deep, dtype="f8"),
        scaled,
    ),
    "blockwise": (
        lambda x, factor, deep: dt.blockwise(
            scaled, "ij", x, "ij", factor=factor, deep=deep, dtype="f8"
        ),
        scaled,
    ),
}


@pytest.mark.parametrize("cut", [(6, 8), (2, 3), (5, 1)])
@pytest.mark.parametrize("name", CALLS)
def test_arrays_come_whole_and_are_computed_once(name, cut):
    ours, theirs = CALLS[name]
    counted = Counted()
    x, factor = dt.asarray(CELLS).rechunk(cut), counted.array()
    found = ours(x, factor, [factor, dt.ones(3)]).compute()
    np.testing.assert_array_equal(found, theirs(CELLS, KNOWN + 1, [KNOWN + 1, np.ones(3)]))
    assert counted.calls == 1


def test_dask_arrays_too():
    factor = da.from_array(KNOWN, chunks=2)
    found = dt.apply_along_axis(lane, 0, dt.asarray(CELLS), factor).compute()
    np.testing.assert_array_equal(found, lane(CELLS, KNOWN))


def test_what_is_nested_is_found_and_filled():
    x = dt.ones(3)
    found = arguments_of([1, {"a": (x, 2)}], {"b": [x]})
    assert found.args == (1, {"a": (Numbered(0), 2)})
    assert found.options == (("b", [Numbered(1)]),)
    assert with_arrays(found.args, ["p", "q"]) == (1, {"a": ("p", 2)})


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_an_array_within_a_function_is_warned_of_once(scheduler):
    def computing(block):
        return block + np.asarray(dt.asarray(KNOWN).sum())

    x = dt.asarray(CELLS).rechunk((2, 4))
    with pytest.warns(UserWarning, match="computed inside a function") as said:
        dt.map_blocks(computing, x, dtype="f8").compute(scheduler=scheduler)
    assert len(said) == 1


@pytest.mark.parametrize("rows", [0, 3])
def test_arrays_without_cells_keep_their_shape_where_a_slice_is_read(rows):
    def shapes(cells, other):
        return np.array([len(cells), *other.shape, 7.0])

    x, other = dt.asarray(np.ones((22, 2)))[22 - rows :], np.ones((0, 2))
    made = dt.apply_along_axis(shapes, 0, x, dt.asarray(other), dtype="f8", shape=(4,))
    assert ((made[:-1] + 1).compute() == [[rows + 1] * 2, [1, 1], [3, 3]]).all()
