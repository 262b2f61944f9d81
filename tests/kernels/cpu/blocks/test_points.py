import numpy as np
import pytest
from scipy import ndimage

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import points
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.parameters.splines import Spline

X = np.random.default_rng(0).normal(size=(7, 9)) * 20
PLACES = np.random.default_rng(1).uniform(-9, 14, (2, 5, 6))
MATRIX, OFFSET = ((0.8, -0.5), (0.4, 0.9)), (1.7, -2.0)
MODES = ["constant", "grid-constant", "nearest", "wrap", "grid-wrap", "mirror", "reflect"]


def at(x, places, out=None, origin=(0, 0), order=3, mode="mirror", dtype="f8"):
    how = {"spline": Spline((7, 9), 0, order, mode, 1.5), "origin": origin}
    with compile_service.mode("off"):
        return KERNELS["points"](out, x, *places, **how, dtype=np.dtype(dtype))


def turned(x, numbers=(range(12), range(8)), out=None, origin=(0, 0), order=3, mode="mirror"):
    how = {"matrix": MATRIX, "offset": OFFSET, "numbers": numbers, "axes": (0, 1), "outs": (0, 1)}
    how |= {"spline": Spline((7, 9), 0, order, mode, 1.5), "origin": origin}
    how["shape"] = tuple(len(line) for line in numbers)
    with compile_service.mode("off"):
        return KERNELS["affinepoints"](out, x, **how, dtype=np.dtype("f8"))


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", MODES)
def test_values_are_scipys(mode, order):
    how = {"order": order, "mode": mode, "cval": 1.5, "prefilter": False}
    expected = ndimage.map_coordinates(X, PLACES, **how)
    np.testing.assert_array_equal(at(X, PLACES, order=order, mode=mode), expected)
    expected = ndimage.affine_transform(X, MATRIX, OFFSET, (12, 8), **how)
    found = turned(X, order=order, mode=mode)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_boxes_of_cells_that_are_there(monkeypatch):
    whole = turned(X, order=1)
    monkeypatch.setattr(points, "TILE_CELLS", 4)
    found = turned(X[1:], (range(3, 6), range(0, 4, 2)), origin=(1, 0), order=1, mode="mirror")
    np.testing.assert_array_equal(found, whole[3:6, :4:2])
    found = at(X[2:], np.abs(PLACES) % 3 + 2, origin=(2, 0), order=1)
    np.testing.assert_array_equal(found, at(X, np.abs(PLACES) % 3 + 2, order=1))


def test_axes_beside_the_plane():
    x = np.random.default_rng(0).normal(size=(7, 3, 9))
    how = {"matrix": MATRIX, "offset": OFFSET, "numbers": (range(5), range(6)), "shape": (5, 3, 6)}
    how |= {"axes": (0, 2), "outs": (0, 2), "origin": (0, 0), "dtype": np.dtype("f8")}
    found = KERNELS["affinepoints"](None, x, spline=Spline((7, 9), 0, 1, "wrap", 0.0), **how)
    one = turned(x[:, 1], (range(5), range(6)), order=1, mode="wrap")
    np.testing.assert_array_equal(found[:, 1], one)


def test_what_is_all_beyond_the_ends():
    far = PLACES + 100
    assert (at(X[:0], far, mode="constant", dtype="i2") == 2).all()
    np.testing.assert_allclose(at(X[:0], far, mode="grid-constant"), 1.5)
    assert (at(X, far * np.nan) == 1.5).all()


def test_memory_that_is_given_is_filled():
    out = np.empty((5, 6), "u1")
    assert at(X, PLACES, out, dtype="u1") is out
    assert turned(X, (range(0), range(4))).shape == (0, 4)
    assert at(X, PLACES[:, :0]).shape == (0, 6)
