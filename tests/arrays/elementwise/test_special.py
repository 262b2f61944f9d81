import math

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError

CELLS = np.linspace(-8, 8, 1001)


@pytest.mark.parametrize("name", ["erf", "erfc"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "f2"])
def test_they_are_the_c_librarys(name, dtype):
    x = CELLS.astype(dtype)
    ours = getattr(dt.special, name)(x).compute()
    theirs = np.array([getattr(math, name)(cell) for cell in x.astype("f8")])
    assert ours.dtype == (dtype if dtype[0] == "f" else "f8")
    bound = 4 * np.finfo(ours.dtype).eps * np.abs(theirs) + np.finfo(ours.dtype).smallest_subnormal
    assert np.all(np.abs(ours - theirs) <= bound)


def test_scipys_ufunc_comes_to_ours():
    special = pytest.importorskip("scipy.special")
    y = special.erf(dt.asarray(CELLS))
    assert isinstance(y, dt.Array)
    assert np.array_equal(y.compute(), dt.special.erf(CELLS).compute())
    z = special.expit(dt.asarray(CELLS))  # which we have not: SciPy's own loop, block by block
    assert isinstance(z, dt.Array)
    assert np.array_equal(z.compute(), special.expit(CELLS))


def test_special_values():
    x = np.array([np.inf, -np.inf, np.nan, -0.0])
    assert str(dt.special.erf(x).compute()) == "[ 1. -1. nan -0.]"
    assert str(dt.special.erfc(x).compute()) == "[ 0.  2. nan  1.]"


def test_what_is_no_real_number_is_refused():
    with pytest.raises(DTypeError, match="complex128"):
        dt.special.erf(np.ones(2, complex))
    with pytest.raises(DTypeError, match="datetime"):
        dt.special.erf(np.zeros(2, "M8[s]"))
