import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.elementwise.foreign_ufuncs import call_opaque

X = np.arange(6.0).reshape(2, 3)


def test_functions_of_python_objects(shardings):
    name = np.frompyfunc(lambda a: f"{a:.0f}", 1, 1)
    halves = np.frompyfunc(divmod, 2, 2)(dt.arange(7), 2)
    with shardings.tiny(16):
        assert name(dt.asarray(X)).compute().tolist() == [["0", "1", "2"], ["3", "4", "5"]]
        made = dt.compute(*halves)
    np.testing.assert_array_equal(made, np.divmod(np.arange(7), 2))


def test_of_numba(shardings):
    numba = pytest.importorskip("numba")
    late = numba.vectorize(lambda a, b: a * b + 1)
    early = numba.vectorize(["f4(f4)", "f8(f8)"])(lambda a: a + 0.5)
    x = dt.asarray(X)
    with shardings.tiny(16):
        np.testing.assert_array_equal(late(x, 2).compute(), X * 2 + 1)
        np.testing.assert_array_equal(late(X, x[0]).compute(), X * X[0] + 1)
        made = early(x.astype("f4")).compute()
    assert made.dtype == np.float32
    np.testing.assert_array_equal(made, X + 0.5)


def test_of_scipy():
    special = pytest.importorskip("scipy.special")
    np.testing.assert_array_equal(special.expit(dt.asarray(X)).compute(), special.expit(X))


def test_one_with_the_name_of_numpys_is_not_taken_for_it():
    def add(a, b):
        return a * 10 + b

    mine = np.frompyfunc(add, 2, 1)
    np.testing.assert_array_equal(mine(dt.asarray(X), 1).compute(), X * 10 + 1)


def test_what_is_no_plain_call_is_left_to_numpy():
    mine = np.frompyfunc(abs, 1, 1)
    assert call_opaque(mine, [dt.ones(2)], {"where": True}) is NotImplemented
    with pytest.raises(TypeError):
        mine(dt.ones(2), out=dt.ones(2))
