import numpy as np
import pytest

import dask_tapestry as dt
from tests.array.folding import check

X = np.random.default_rng(0).normal(size=(5, 4))
POINTS = [0.0, 1.0, 1.5, 4.0, 4.25]


@pytest.mark.parametrize(
    ("spacing", "options"),
    [
        ((), {}),
        ((), {"edge_order": 2}),
        ((2,), {}),
        ((2, 0.5), {}),
        ((POINTS, 3), {}),
        ((POINTS, 3), {"edge_order": 2}),
        ((np.arange(5), [0, 2, 4, 6]), {}),
        ((POINTS,), {"axis": 0}),
        ((), {"axis": (1, 0)}),
        ((), {"axis": -1}),
        (([1, 2],), {"axis": 0}),
        ((1, 2, 3), {}),
        (([[1]],), {"axis": 0}),
        ((), {"edge_order": 3}),
    ],
)
def test_gradients_are_numpys(spacing, options):
    for x in (X, X.astype("f4"), (X * 9).astype("i4"), X + 1j * X[::-1]):
        for place in range(2 if options.get("axis", (0, 0)) in ((0, 0), (1, 0)) else 1):

            def one(module, x=x, place=place):
                found = module.gradient(x, *spacing, **options)
                return found[place] if isinstance(found, tuple) else found

            check(lambda one=one: one(dt), lambda one=one: one(np), 1e-6)


def test_lazy_coordinates_are_taken_as_uneven():
    uneven = dt.gradient(X, dt.asarray(POINTS), axis=0)
    np.testing.assert_allclose(uneven.compute(), np.gradient(X, POINTS, axis=0))
    for order in (1, 2):
        wide = dt.gradient(X, dt.asarray(2.0), axis=0, edge_order=order)
        np.testing.assert_allclose(wide.compute(), np.gradient(X, 2, axis=0, edge_order=order))
    even = dt.gradient(X, dt.arange(5), axis=0)
    np.testing.assert_allclose(even.compute(), np.gradient(X, axis=0))


def test_too_few_samples():
    with pytest.raises(ValueError, match="too small"):
        dt.gradient(np.ones(1))
    assert dt.gradient(np.array([1.0, 3.0])).compute().tolist() == [2, 2]
    with pytest.raises(TypeError):
        dt.gradient(np.array(["a", "b"]))
