import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import raised
from tests.covering import beyond

X = np.array([[3.0, 1, 2], [0, 5, 4]])


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("quantile", (X, 2), {}),
        ("quantile", (X, [0.1, -0.1]), {}),
        ("percentile", (X, 101), {}),
        ("quantile", (X, np.zeros((1, 1, 1))), {}),
        ("quantile", (X, 0.5), {"method": "x"}),
        ("quantile", (X, 0.5), {"axis": 2}),
        ("quantile", (X * 1j, 0.5), {}),
        ("quantile", ([], 0.5), {}),
        ("quantile", ([True, False], 0.5), {}),
        ("quantile", (X, 0.5), {"weights": X}),
        ("quantile", (X, 0.5), {"weights": [1, 2, 3], "method": "inverted_cdf"}),
        ("quantile", (X, 0.5), {"weights": [1, 2], "method": "inverted_cdf", "axis": 1}),
    ],
)
def test_errors_are_numpy_s(name, args, options):
    expected = raised(getattr(np, name), *args, **options)
    assert expected is not None
    with pytest.raises(expected):
        getattr(dt, name)(*args, **options)


def test_quantiles_are_not_read():
    with pytest.raises(TypeError, match="known now"):
        dt.quantile(X, dt.placeholder((), "f8"))


@pytest.mark.parametrize("skip", ["", "nan"])
def test_weights(skip):
    weights = np.array([[1, 0, 4], [2, 2, 1]])
    options = {"weights": weights, "method": "inverted_cdf", "axis": 1}
    for q in (0, 0.5, [0.2, 1.0]):
        ours, numpy_s = (getattr(lib, f"{skip}quantile")(X, q, **options) for lib in (dt, np))
        assert np.array_equal(ours.compute(), numpy_s)


@pytest.mark.parametrize(
    ("function", "most"),  # a median needs one consumer's cells alone
    [
        beyond(dt.median, 0.1),  # as in `test_rank_digits.py`
        (dt.nanmedian, 1.4),
        beyond(lambda x: dt.nanquantile(x, 0.3), 1.4),
    ],
)
def test_long_lanes_are_not_taken_whole(function, most):
    x = dt.placeholder((10**9,), "f8", (10**7,))
    machines = dt.Resources(workers=4, threads=2, memory="24 GiB")
    plan = function(x).plan(resources=machines)
    plan.verify()
    steps = plan.explain(all=True)  # runs are merged, or digits counted
    assert "merged" in steps or "int64[65536]" in steps
    assert plan.cost["bytes_moved"] < most * x.nbytes
