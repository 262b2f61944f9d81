import numpy as np

import dask_tapestry as dt


def test_unknown_cells_of_two_arrays_are_different():
    a, b = np.array([np.nan, 1.0]), np.array([np.nan, 2.0])
    for name in ("setxor1d", "intersect1d", "union1d", "setdiff1d"):
        ours, numpy_s = (getattr(lib, name)(a, b) for lib in (dt, np))
        np.testing.assert_array_equal(ours.compute(), numpy_s)


def test_indices_are_where_cells_come_first():
    a, b = np.array([3, 1, 2, 1]), np.array([2, 3, 3, 5])
    for one in zip(*(m.intersect1d(a, b, return_indices=True) for m in (dt, np)), strict=True):
        np.testing.assert_array_equal(one[0].compute(), one[1])
