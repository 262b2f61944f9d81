import numpy as np
import pytest
from scipy import ndimage

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import resample
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.parameters.splines import SplineAxis

X = np.random.default_rng(0).normal(size=(7, 9)) * 20
ZOOM, SHIFT, SHAPE = (0.41, 0.7), (-1.3, 2.1), (25, 13)


def resampled(x, out=None, box=((0, 0), SHAPE), origin=(0, 0), dtype="f8", **told):
    lines = [SplineAxis(n, 0, s, z) for n, s, z in zip(X.shape, SHIFT, ZOOM, strict=True)]
    how = {"order": 3, "mode": "mirror", "cval": 1.5} | told
    how |= {"lines": lines, "box": box, "origin": origin, "dtype": np.dtype(dtype)}
    with compile_service.mode("off"):
        return KERNELS["resample"](out, x, **how)


def expected(x, order=3, mode="mirror"):
    offset = [s * z for s, z in zip(SHIFT, ZOOM, strict=True)]
    return ndimage.affine_transform(
        x, ZOOM, offset, SHAPE, order=order, mode=mode, cval=1.5, prefilter=False, output="f8"
    )


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", ["constant", "grid-constant", "nearest", "wrap", "grid-wrap"])
def test_values_are_scipys(mode, order):
    found = resampled(X, mode=mode, order=order)
    np.testing.assert_allclose(found, expected(X, order, mode), rtol=1e-12, atol=1e-12)


def test_boxes_of_cells_that_are_there(monkeypatch):
    whole = resampled(X)
    monkeypatch.setattr(resample, "TILE_CELLS", 4)
    found = resampled(X[1:], box=((9, 2), (12, 13)), origin=(1, 0))
    np.testing.assert_array_equal(found, whole[9:12, 2:])


def test_what_is_all_beyond_the_ends():
    empty = X[:0, :0]
    found = resampled(empty, mode="constant", box=((24, 0), SHAPE), dtype="i2")
    assert found.tolist() == [[2] * 13]
    found = resampled(empty, mode="grid-constant", box=((24, 0), SHAPE))
    np.testing.assert_allclose(found, 1.5)


def test_memory_that_is_given_is_filled():
    out = np.empty(SHAPE, "u1")
    assert resampled(X, out, dtype="u1") is out
    assert resampled(X, box=((3, 3), (3, 4))).shape == (0, 1)
