import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "?"])
def test_i0_is_numpys(dtype):
    cells = np.linspace(-10, 10, 21).astype(dtype)
    for found in (dt.i0(cells), np.i0(dt.asarray(cells))):
        assert found.dtype == np.i0(cells).dtype
        np.testing.assert_array_equal(found.compute(), np.i0(cells))


@pytest.mark.parametrize("dtype", ["m8[s]", "M8[D]", "U1"])
def test_i0_takes_what_is_a_float_to_numpy(dtype):
    cells = np.array([1, 2, 3]).astype(dtype)
    np.testing.assert_array_equal(dt.i0(dt.asarray(cells)).compute(), np.i0(cells))


def test_i0_takes_real_numbers():
    with pytest.raises(DTypeError, match="complex"):
        dt.i0(dt.ones(2, complex))


def test_a_python_function_becomes_lazy():
    longer = dt.frompyfunc(lambda a, b: max(a, b), 2, 1)
    found = longer(dt.arange(4), 2)
    assert isinstance(found, dt.Array)
    np.testing.assert_array_equal(found.compute(), [2, 2, 2, 3])


def test_its_results_are_objects_as_numpys():
    def half(a):
        return a / 2 if a % 2 else a // 2

    ours, theirs = (make(half, 1, 1) for make in (dt.frompyfunc, np.frompyfunc))
    found = ours(dt.arange(5, chunks=2))
    assert (found.dtype, found.compute().dtype) == (np.dtype(object), np.dtype(object))
    assert found.compute().tolist() == theirs(np.arange(5)).tolist()
    np.testing.assert_array_equal(found.astype("f8").compute(), np.arange(5) / 2)
