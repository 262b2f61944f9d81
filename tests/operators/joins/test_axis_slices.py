import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.joins.axis_slices import (
    concat_nonempty,
    equal_step_runs,
    pick,
    slice_axis,
)


@given(st.lists(st.integers(0, 9), max_size=20))
def test_runs_are_the_places(places):
    found = equal_step_runs(places)
    assert [a + s * i for a, s, n in found for i in range(n)] == places
    assert len(found) <= max(1, len(places))


@given(st.lists(st.integers(0, 5), max_size=12), st.integers(0, 1))
def test_cells_are_picked_in_order(places, axis):
    x = np.arange(36).reshape(6, 6)
    picked = dt.Array(pick(dt.asarray(x).node, places, axis)).compute()
    np.testing.assert_array_equal(picked, np.take(x, np.asarray(places, int), axis))


def test_a_progression_is_one_slice():
    x = dt.arange(100)
    assert str(dt.Array(pick(x.node, range(90, 5, -3), 0)).teg).count("slice") == 1


def test_part_and_joined():
    x = dt.arange(12).reshape(3, 4).node
    assert slice_axis(x, 1, 1, None, 2).type.shape == (3, 2)
    assert concat_nonempty([slice_axis(x, 0, 0, 0), x, slice_axis(x, 0, 3, 3)], 0) is x
