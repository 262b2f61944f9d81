import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.generators.coordinates import coordinates


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_an_index_holds_coordinates(axis):
    shape = (3, 4, 2)
    value = dt.Array(coordinates(shape, axis)).compute()
    np.testing.assert_array_equal(value, np.indices(shape)[axis])


def test_a_sliced_index_still_tells_where_its_cells_lie():
    x = dt.Array(coordinates((6, 5), 0))
    np.testing.assert_array_equal(x[4:0:-2, 1:].T.compute(), np.indices((6, 5))[0][4:0:-2, 1:].T)


def test_slices_reach_the_index_itself():
    plan = dt.Array(coordinates((10**9, 3), 0))[7:10].plan()
    assert str(plan.teg).splitlines()[0] == "%0 = coordinates((3, 3), axis=0) : int64[3, 3]"


@pytest.mark.parametrize("chunks", [(1, 1), (2, 3), (-1, 2)])
def test_blocks_of_an_index_know_their_place(chunks):
    x = dt.Array(coordinates((4, 5), 1))
    np.testing.assert_array_equal((x.rechunk(chunks) + 0).compute(), np.indices((4, 5))[1])


def test_an_axis_must_exist():
    with pytest.raises(dt.AxisError):
        coordinates((2, 3), 2)
