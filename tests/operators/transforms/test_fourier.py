import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.transforms.fourier import (
    Fourier,
    butterflies,
    transformed_dtype,
    whole_lanes,
)
from dask_tapestry.zspace import ZRange


@pytest.mark.parametrize("dtype", ["?", "i8", "f2", "f4", "f8", "g", "c8", "c16", "G"])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft"])
def test_dtypes_are_numpys(name, dtype):
    if name == "rfft" and dtype in ("c8", "c16", "G"):
        with pytest.raises(DTypeError, match="rfft is not defined for dtype complex"):
            transformed_dtype(name, np.dtype(dtype))
    else:
        found = transformed_dtype(name, np.dtype(dtype))
        assert found == getattr(np.fft, name)(np.ones((2, 6), dtype)).dtype


@pytest.mark.parametrize("dtype", ["U2", "M8[s]", [("a", "f8")]])
def test_what_is_no_number_has_no_transform(dtype):
    with pytest.raises(DTypeError, match="fft is not defined"):
        dt.fft.fft(dt.asarray(np.zeros(3, dtype)))


@pytest.mark.parametrize("chunks", [(1, 1), (2, 3), (4, 5)])
@pytest.mark.parametrize("axis", [0, 1])
def test_lanes_come_whole_and_one_value_comes_out(axis, chunks):
    x = np.random.default_rng(0).random((4, 5))
    made = whole_lanes(dt.asarray(x).rechunk(chunks).node, "fft", 6, axis, "ortho")
    expected = np.fft.fft(x, 6, axis, "ortho")
    np.testing.assert_array_equal(dt.Array(made).rechunk((2, 2)).compute(), expected)
    np.testing.assert_array_equal(made.operator.reference(x), expected)


def test_fewer_lanes_are_transformed_when_fewer_are_read():
    plan = dt.fft.rfft(dt.ones((100, 64)))[3:5, 7].plan()
    plan.verify()
    assert "full((2, 64), 1.0)" in str(plan.teg)


def test_cells_that_a_shorter_transform_leaves_out_are_not_read():
    x = dt.placeholder((100, 1000), "f8", (10, 10))
    assert dt.fft.fft(x, 20).plan().cost["bytes_read"] == 100 * 20 * 8
    assert dt.fft.irfft(x, 20).plan().cost["bytes_read"] == 100 * 20 * 8  # eleven: two chunks


def test_lengths_with_large_factors_take_longer():
    assert butterflies(4096) == 4096 * 12
    assert butterflies(4099) > 3 * butterflies(4096)
    assert butterflies(1) == 1


def test_what_is_no_complex_number_is_copied():
    box = ZRange((0, 0), (10, 8))
    operator = Fourier("fft", 1, 8, "backward")
    types = [dt.ones((10, 8), dtype).node.type for dtype in ("c16", "i4")]
    same, other = (operator.scratch_bytes((type_,), box) for type_ in types)
    assert other - same == 10 * 8 * 16
