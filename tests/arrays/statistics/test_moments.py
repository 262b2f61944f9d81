import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.folding import check

X = np.arange(1.0, 13).reshape(3, 4)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    ("axis", "shape"), [(None, (3, 4)), (0, (3,)), (-1, (4,)), ((1, 0), (4, 3)), ((0, 1), (3, 4))]
)
def test_weights_are_aligned(axis, shape, keepdims):
    weights = np.random.default_rng(1).random(shape)
    options = {"axis": axis, "weights": weights, "keepdims": keepdims}
    check(lambda: dt.average(X, **options), lambda: np.average(X, **options))
    check(
        lambda: dt.average(X, **options, returned=True)[1],
        lambda: np.average(X, **options, returned=True)[1],
    )


@pytest.mark.parametrize("axis", [None, 1])
def test_without_weights_it_is_the_mean(axis):
    for cells in (X, X.astype("i4"), X.astype("f4")):
        both = [f.average(cells, axis, returned=True) for f in (dt, np)]
        for ours, theirs in zip(*both, strict=True):
            check(lambda ours=ours: ours, lambda theirs=theirs: theirs)


def test_weights_that_do_not_fit():
    with pytest.raises(TypeError, match="Axis must be specified"):
        dt.average(X, weights=[1, 2])
    with pytest.raises(ValueError, match="consistent"):
        dt.average(X, axis=0, weights=[1, 2])


@pytest.mark.parametrize("axis", [0, -1, (0,)])
def test_a_weighted_average_of_no_dimension_has_no_axis(axis):
    with pytest.raises(np.exceptions.AxisError):
        np.average(np.float64(3), axis=axis, weights=2.0)
    with pytest.raises(dt.AxisError):
        dt.average(3.0, axis=axis, weights=2.0)
    assert dt.average(3.0, weights=2.0).compute() == 3


@pytest.mark.parametrize("kinds", [("u1", "u1"), ("i1", "u2"), ("i4", "?"), ("f4", "i8")])
def test_weighted_cells_have_the_dtype_of_the_average(kinds):
    x, weights = np.array([120, 100], kinds[0]), np.array([3, 90], kinds[1])
    ours, theirs = dt.average(x, weights=weights).compute(), np.average(x, weights=weights)
    assert (ours, ours.dtype) == (theirs, theirs.dtype)


def test_moments():
    off = X - X.mean(0)
    np.testing.assert_allclose(dt.moment(X, 3, axis=0).compute(), (off**3).mean(0), atol=1e-12)
    np.testing.assert_allclose(dt.moment(X, 2, ddof=1).compute(), X.var(ddof=1))
    assert dt.moment(X, 2, axis=0, keepdims=True).shape == (1, 4)
    assert dt.asarray(X).moment(2).dtype == np.float64
    assert dt.moment(X.astype("i4"), 0, axis=0).compute().tolist() == [1] * 4
    assert dt.moment(X, 1).compute() == 0
    with pytest.raises(ValueError, match="non-negative"):
        dt.moment(X, -1)
    with pytest.raises(TypeError):
        dt.moment(X, 1.5)


ZERO_WEIGHTS = (
    ([1.0, -1.0, 0.0], 1),
    ([0, 0, 0], 1),
    ([[1, 1, 1], [2, -1, -1]], 1),
    ([[1, 0, 0], [2, 0, 1]], 0),
    ([[1, 0, 0], [2, 0, -3]], None),
    ([[1, 0, 0], [2, 0, -3]], (0, 1)),
)


@pytest.mark.parametrize(("weights", "axis"), ZERO_WEIGHTS)
def test_known_weights_that_sum_to_zero_are_refused(weights, axis):
    cells = np.arange(6.0).reshape(2, 3)
    for xp, given in ((np, weights), (dt, weights), (dt, dt.asarray(weights))):
        with pytest.raises(ZeroDivisionError, match="Weights sum to zero, can't be normalized"):
            xp.average(cells, axis, given)


def test_computed_weights_that_sum_to_zero_warn():
    weights = dt.asarray([1.0, 2.0, 3.0]) * 0
    with pytest.warns(RuntimeWarning, match="divide"):
        assert np.isnan(dt.average(dt.arange(3.0), weights=weights).compute())
