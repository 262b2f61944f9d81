import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from benchmarks.suites.equality import assert_eq


def test_equal_arrays_pass():
    assert assert_eq(dt.arange(4) + 1, np.arange(1, 5))


def test_other_values_dtypes_and_shapes_fail():
    for other in (np.arange(4), np.arange(1.0, 5), np.arange(1, 5)[None]):
        with pytest.raises(AssertionError):
            assert_eq(dt.arange(4) + 1, other)


def test_dasks_arrays_fail():
    with pytest.raises(AssertionError, match=r"dask\.array"):
        assert_eq(da.ones(3), np.ones(3))
