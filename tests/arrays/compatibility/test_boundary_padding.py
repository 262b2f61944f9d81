import dask.array.overlap as theirs
import numpy as np
import pytest
from dask.array import from_array

import dask_tapestry as dt
from dask_tapestry import overlap as ours

X = np.arange(24).reshape(4, 6)
pytestmark = pytest.mark.usefixtures("sync")


@pytest.mark.parametrize("name", ["periodic", "reflect", "nearest", "constant"])
@pytest.mark.parametrize("axis", [0, 1])
def test_an_end_is_continued_as_dask_does(name, axis):
    value = (9,) if name == "constant" else ()
    made = getattr(ours, name)(dt.from_array(X, chunks=(2, 3)), axis, 2, *value)
    expected = getattr(theirs, name)(from_array(X, chunks=(2, 3)), axis, 2, *value)
    assert (made.shape, made.chunks) == (expected.shape, expected.chunks)
    np.testing.assert_array_equal(made, expected.compute())


def test_axes_without_a_boundary_end_where_they_do():
    made = ours.boundaries(dt.from_array(X, chunks=3), {0: (1, 0), 1: 2}, {0: 7})
    np.testing.assert_array_equal(made, np.pad(X, ((1, 0), (0, 0)), constant_values=7))
    assert made.chunks == ((1, 3, 1), (3, 3))
    assert ours.boundaries(dt.ones((0, 2)), 0, "nearest").shape == (0, 2)


def test_blocks_see_neighbours_alone():
    made = ours.overlap_internal(dt.arange(6, chunks=3), {0: (2, 1)})
    assert made.chunks == ((4, 5),)
    np.testing.assert_array_equal(made, [0, 1, 2, 3, 1, 2, 3, 4, 5])


@pytest.mark.parametrize("chunks", [(10,), (10, 10, 1), (20, 20, 1), (2, 20, 2, 20), (1, 1, 9)])
def test_no_block_is_short(chunks):
    assert ours.ensure_minimum_chunksize(10, chunks) == theirs.ensure_minimum_chunksize(10, chunks)


def test_a_depth_beyond_the_array_is_refused():
    with pytest.raises(dt.ShapeError, match="larger than an array of 9 cells"):
        ours.ensure_minimum_chunksize(10, (5, 2, 2))
