import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.folding import check
from tests.comparisons import same_bits

X = np.random.default_rng(0).normal(size=(5, 4))
POINTS = [0.0, 1.0, 1.5, 4.0, 4.25]


@pytest.mark.few(7)  # as unlike as so many can be
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


TIMES = np.array([0, 2, 5, 9, "NaT", 20, 21, 29], "M8[s]")
UNEVEN = np.array([0, 1, 2, 5, 6, 7, 8, 9])


@pytest.mark.parametrize("spacing", [(), (3,), (np.timedelta64(2, "s"),), (UNEVEN,)])
@pytest.mark.parametrize("cells", [TIMES, TIMES - TIMES[0]])
def test_derivatives_of_times(cells, spacing):
    assert same_bits(
        dt.gradient(dt.asarray(cells, chunks=3), *spacing).compute(), np.gradient(cells, *spacing)
    )


@pytest.mark.parametrize("edge_order", [1, 2])
def test_coordinates_that_are_durations_are_counts(edge_order):
    points, cells = UNEVEN.astype("m8[ms]"), np.arange(8.0) ** 2
    np.testing.assert_allclose(
        dt.gradient(cells, points, edge_order=edge_order).compute(),
        np.gradient(cells, points, edge_order=edge_order),
    )


def test_what_numpy_does_not_divide_is_refused():
    for cells, spacing in ((np.arange(8.0), TIMES), (np.arange(8.0), np.timedelta64(2, "s"))):
        for xp in (np, dt):
            with pytest.raises(TypeError):
                xp.gradient(cells, spacing)
