"""Calls of this library's filters beside SciPy's, over dtypes, shapes and modes."""

import warnings

import numpy as np
from scipy import ndimage

import dask_tapestry as dt

MODES = "reflect constant nearest mirror wrap grid-mirror grid-constant grid-wrap".split()
REAL = "? i1 u1 i2 u4 i8 u8 f4 f8".split()
SHAPES = ((7,), (1,), (0,), (3, 4), (5, 1), (0, 3), (4, 40), (2, 3, 5))


def image(shape, dtype, seed=0):
    """Cells of both signs, where the dtype has them."""
    random = np.random.default_rng(seed)
    if dtype == "?":
        return random.random(shape) < 0.4
    if dtype[0] in "iu":
        return random.integers(-99 * (dtype[0] == "i"), 99, shape).astype(dtype)
    cells = random.normal(size=shape)
    return (cells + 1j * random.normal(size=shape) if dtype[0] == "c" else cells).astype(dtype)


def check(name, x, *arguments, bound=16, chunks=None, **options):
    """The same dtype, integers cell by cell, floats within `bound` roundings of the largest."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = getattr(ndimage, name)(x, *arguments, **options)
    own = dt.asarray(x) if chunks is None else dt.asarray(x).rechunk(chunks)
    found = getattr(dt.ndimage, name)(own, *arguments, **options).compute()
    assert found.dtype == expected.dtype
    if expected.dtype.kind in "biu" or not expected.size:
        np.testing.assert_array_equal(found, expected)
        return
    eps = np.finfo(expected.dtype).eps * bound
    scale = np.abs(expected[np.isfinite(expected)]).max(initial=1)
    np.testing.assert_allclose(found, expected, rtol=eps, atol=eps * scale)
