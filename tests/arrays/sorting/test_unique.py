import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed

X = np.array([[3.0, np.nan, 3.0], [2.0, np.nan, 1.0]])


@pytest.mark.parametrize("name", ["all", "counts", "inverse"])
def test_the_array_api_s_tuples(name):
    ours, numpy_s = (getattr(lib, f"unique_{name}")(X[:, ::2]) for lib in (dt, np))
    assert type(ours).__name__ == type(numpy_s).__name__
    assert ours._fields == numpy_s._fields
    for field in ours._fields:
        assert np.array_equal(getattr(ours, field).compute(), getattr(numpy_s, field))


@pytest.mark.parametrize("equal_nan", [True, False])
@pytest.mark.parametrize("kind", ["f4", "c8", "m8[s]"])
def test_unknown_cells(equal_nan, kind):
    x = X.astype("f4" if kind == "m8[s]" else kind)
    if kind == "m8[s]":
        x = np.where(np.isnan(x), np.iinfo("i8").min, np.nan_to_num(x)).astype("i8").astype(kind)
    options = {"return_index": True, "return_counts": True, "equal_nan": equal_nan}
    for ours, numpy_s in zip(dt.unique(x, **options), np.unique(x, **options), strict=True):
        np.testing.assert_array_equal(ours.compute(), numpy_s)


def test_an_inverse_builds_the_array_again():
    x = np.random.default_rng(0).integers(0, 5, (4, 6, 3))
    for axis in (None, 0, 1, -1):
        values, inverse = dt.unique(x, return_inverse=True, axis=axis)
        rebuilt = np.take(values.compute(), inverse.compute(), axis=axis)
        assert np.array_equal(rebuilt.reshape(x.shape), x)


def test_axis_out_of_bounds():
    with pytest.raises(np.exceptions.AxisError):
        dt.unique(X, axis=2)


def test_places_of_complex_numbers_with_a_nan():
    nan = np.nan
    cells = np.array([complex(1, nan), complex(nan, 0), complex(nan, nan), 1, 2, 1])
    for equal_nan in (True, False):
        agreed(lambda np, a, e=equal_nan: np.unique(a(cells), return_inverse=True, equal_nan=e))
