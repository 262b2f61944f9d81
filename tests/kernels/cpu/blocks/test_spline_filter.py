import numpy as np
import pytest
from scipy import ndimage

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import spline_filter
from dask_tapestry_kernels.cpu.jit import compile_service

ENDS = {"mirror": "mirror", "reflect": "reflect", "wrap": "grid-wrap"}


def filtered(x, order=3, axis=0, ends="mirror", dtype="f8", out=None):
    how = {"order": order, "axis": axis, "ends": ends, "dtype": np.dtype(dtype)}
    with compile_service.mode("off"):
        return KERNELS["splinefilter"](out, x, **how)


@pytest.mark.covering
@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("shape", [(30, 4), (2, 900), (1, 3), (2, 3, 5)])
def test_coefficients_are_scipys(shape, order, ends):
    x = np.random.default_rng(0).normal(size=shape)
    for axis in range(x.ndim):
        expected = ndimage.spline_filter1d(x, order, axis, mode=ENDS[ends])
        np.testing.assert_array_equal(filtered(x, order, axis, ends), expected)


def test_lanes_are_filtered_by_themselves(monkeypatch):
    x = np.random.default_rng(0).normal(size=(3, 8, 5))
    whole = filtered(x, axis=1)
    monkeypatch.setattr(spline_filter, "TILE_CELLS", 1)
    np.testing.assert_array_equal(filtered(x, axis=1), whole)
    np.testing.assert_array_equal(filtered(x[1:2, :, 3:], axis=1), whole[1:2, :, 3:])


def test_memory_that_is_given_is_filled_even_that_of_the_cells():
    x = np.random.default_rng(0).normal(size=(9, 8))
    whole, out = filtered(x), np.empty((9, 8), "i2")
    assert filtered(x * 9, dtype="i2", out=out) is out
    np.testing.assert_array_equal(out, np.trunc(filtered(x * 9)))
    filtered(x, out=x)
    np.testing.assert_array_equal(x, whole)


def test_no_cells():
    assert filtered(np.ones((0, 3))).shape == (0, 3)


def test_the_gain_of_a_pole():
    assert spline_filter.gain((-0.5,)) == 1.5 * 3
