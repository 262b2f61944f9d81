import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import raised

X = np.array([[3.0, 1, 2], [0, 5, 4]])


@pytest.mark.parametrize(
    ("x", "options"),
    [(X, {"axis": 2}), (np.array(["2020", "2021"], "M8[Y]"), {}), (np.array(["a"]), {})],
)
def test_errors_are_numpy_s(x, options):
    expected = raised(np.median, x, **options)
    assert expected is not None
    with pytest.raises(expected):
        dt.median(x, **options)


def test_out_takes_the_value():
    out = dt.zeros(2)
    assert dt.median(X, axis=1, out=out) is out
    assert out.compute().tolist() == [2, 4]


@pytest.mark.parametrize("function", [dt.median, dt.nanmedian])
def test_a_stack_is_read_once(function):
    x = dt.placeholder((50, 10**6, 10), "f4", (50, 10**4, 10))
    plan = function(x, axis=0).plan(resources=dt.Resources(4, 2, "8 GiB"))
    assert plan.cost["bytes_read"] == x.nbytes


@pytest.mark.parametrize("kind", ["f4", "c16", "m8[s]"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_slices_of_nan_are_told(kind, axis):
    x = np.full((3, 4), "NaT" if kind[0] == "m" else np.nan, kind)
    with pytest.warns(RuntimeWarning, match="All-NaN slice encountered"):
        found = dt.nanmedian(x, axis).compute()
    assert np.isnan(found).all()
    x[0], x[:, 0] = 1, 1
    np.testing.assert_array_equal(dt.nanmedian(x, axis).compute(), np.nanmedian(x, axis))
