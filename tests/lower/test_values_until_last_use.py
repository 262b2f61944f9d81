import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import PlanError
from dask_tapestry.lower.values_until_last_use import ValuesUntilLastUse
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.zspace import ZRange

X = np.arange(12.0).reshape(3, 4)


def held_of(blocks, outer=None):
    """The values of a running total times its input, which both read."""
    x = dt.placeholder(X.shape, "f8")
    program = group_of((dt.cumsum(x, axis=0) * x).node, {x.node}).program
    return ValuesUntilLastUse(program, program.schedule(program.type.box), blocks, outer)


def test_a_value_goes_with_its_last_reader():
    held = held_of({(0, ZRange((0, 0), (3, 4))): X})
    first, last = held.schedule.works
    held.compute(first, None)
    assert {value for value, _ in held.blocks} == {0, 1}
    held.compute(last, None)
    assert {value for value, _ in held.blocks} == {held.last}
    np.testing.assert_array_equal(held.output(), X.cumsum(0) * X)
    assert not held.blocks


def test_what_is_not_here_is_asked_for_outside():
    asked = []

    def outer(source, need):
        asked.append((source, need))
        return X[need.index(ZRange((0, 0), (3, 4)))]

    held = held_of({}, outer)
    need = ZRange((1, 0), (3, 2))
    np.testing.assert_array_equal(held.cells(0, need), X[1:, :2])
    assert asked == [(0, need)]


def test_cells_that_nobody_holds_are_an_error():
    held = held_of({})
    with pytest.raises(PlanError, match="value 0 are read, which are not held"):
        held.cells(0, ZRange((0, 0), (1, 1)))
