import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed

CELLS = np.array([1.5, -0.0, np.nan, np.inf, -np.inf, 0.25])
COMPLEX = np.stack([CELLS, CELLS[::-1]], 1).view(complex).ravel()


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "c16", "c8", "i4", "b"])
def test_numbers_in_place_of_what_is_none(kind):
    known = np.nan_to_num(CELLS, posinf=3, neginf=-2)
    x = (COMPLEX if kind[0] == "c" else CELLS if kind[0] == "f" else known).astype(kind)
    agreed(lambda np, a: np.nan_to_num(a(x)))
    agreed(lambda np, a: np.nan_to_num(a(x), nan=7, posinf=1.5, neginf=-2))
    if kind == "f8":
        agreed(lambda np, a: np.nan_to_num(a(x), nan=a(np.arange(6.0)), posinf=np.nan))


def test_in_place():
    x = dt.asarray(CELLS)
    dt.nan_to_num(x)
    assert np.isnan(x.compute()).any()
    assert dt.nan_to_num(x, copy=False) is x
    assert np.array_equal(x.compute(), np.nan_to_num(CELLS))


@pytest.mark.parametrize("deg", [True, False])
def test_angles(deg):
    for kind in ("c16", "c8", "f8", "f4", "i1"):
        x = np.array([1, 1j, -1, -1j, 1 - 1j, 0]) if kind[0] == "c" else np.array([1, -1, 0, 3])
        found, expected = dt.angle(x.astype(kind), deg), np.angle(x.astype(kind), deg)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        tolerance = {"f2": 1e-3, "f4": 1e-6, "f8": 1e-15}[expected.dtype.str[1:]]
        np.testing.assert_allclose(found.compute(), expected, rtol=tolerance)


@pytest.mark.parametrize("kind", ["f8", "f4", "f2", "i4", "c8"])
def test_sinc(kind):
    x = np.array([0, 1, 2.5, -3]).astype(kind)
    found, expected = dt.sinc(dt.asarray(x)), np.sinc(x)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.compute(), expected, atol=1e-3 if kind == "f2" else 1e-6)


def test_towards_zero():
    agreed(lambda np, a: np.fix(a(CELLS)))
    agreed(lambda np, a: np.fix(a([1, 2])))
    agreed(lambda np, a: np.fix(a([1.5, 2]), np.zeros(2)))
