import numpy as np
import pytest

from dask_tapestry.arrays.statistics.quantile_methods import (
    CONTINUOUS,
    DISCRETE,
    METHODS,
    check_method,
    neighbours,
    weight,
)


def test_there_are_thirteen():
    assert len(METHODS) == 13
    with pytest.raises(ValueError, match="method must be one of"):
        check_method("x")


@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_places_lie_among_the_cells(n):
    q = np.linspace(0, 1, 21)
    for place in DISCRETE.values():
        cells = place(n, q)
        assert np.array_equal(cells, np.floor(cells))
        assert cells.min() >= 0
        assert cells.max() <= n - 1
    for name, place in CONTINUOUS.items():
        before, after = neighbours(place(n, q), n)
        assert before.min() >= 0
        assert after.max() <= n - 1
        assert np.isfinite(weight(name, place(n, q), n)).all()


@pytest.mark.parametrize("method", METHODS)
def test_they_are_numpy_s(method):
    cells = np.arange(7.0)
    q = np.linspace(0, 1, 29)
    place = (DISCRETE.get(method) or CONTINUOUS[method])(7, q)
    if method in CONTINUOUS:
        before, after = neighbours(place, 7)
        place = before + (after - before) * weight(method, place, 7)
    np.testing.assert_allclose(place, np.quantile(cells, q, method=method), atol=1e-14)
