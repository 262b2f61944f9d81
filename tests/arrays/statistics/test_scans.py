import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(12.0).reshape(3, 4)


def test_a_slice_reads_no_more_than_it_needs():
    stored = dt.placeholder((1000, 10**6), "f4", stored_chunks=(100, 1000))
    cost = dt.cumsum(stored, axis=1)[:3, :2500].plan().cost
    assert cost["bytes_read"] == 100 * 3000 * 4


def test_out_takes_the_result_and_its_dtype():
    out = dt.zeros((3, 4), "f4")
    assert dt.cumsum(X, axis=0, out=out) is out
    assert np.array_equal(out.compute(), np.cumsum(X, axis=0).astype("f4"))
    total = dt.zeros((12,), "i8")
    assert dt.asarray(X).cumprod(out=total) is total
    assert total.dtype == "i8"


def test_arrays_without_dimensions():
    assert dt.cumsum(3.0).shape == dt.cumsum(3.0, axis=-1).shape == (1,)
    with pytest.raises(TypeError, match="scalar"):
        np.add.accumulate(dt.asarray(2))


def test_axes_are_numpys():
    with pytest.raises(dt.AxisError):
        dt.cumsum(X, axis=2)
    with pytest.raises(dt.ShapeError, match="multiple axes"):
        np.add.accumulate(dt.asarray(X), axis=None)


def test_ufuncs_accumulate_or_refuse():
    x = dt.asarray(X)
    assert isinstance(np.multiply.accumulate(x, axis=1, dtype="f4"), dt.Array)
    assert np.multiply.accumulate(x, 1, "f4").dtype == "f4"
    assert np.array_equal(np.maximum.accumulate(x, -1).compute(), X)
    with pytest.raises(TypeError):
        np.subtract.accumulate(x)


@pytest.mark.parametrize("function", [dt.nancumsum, dt.nancumprod])
def test_dtypes_without_nan_are_left_alone(function):
    x = np.arange(1, 5, dtype="i2")
    assert function(x).dtype == "i8"
    assert "isnan" not in str(function(x).teg)
