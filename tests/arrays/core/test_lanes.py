import warnings

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core import lanes
from dask_tapestry.arrays.core.lanes import LaneArray, align_weights

X = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("axis", [None, 1, -1, (0, 2), (2, 0), ()])
def test_axes_become_one_in_front(axis):
    made = LaneArray(dt.asarray(X), axis)
    assert np.array_equal(made.array.max(axis=0).compute(), X.max(axis=axis))
    kept = made.restored(made.array.max(axis=0), keepdims=True)
    assert np.array_equal(kept.compute(), X.max(axis=axis, keepdims=True))


@pytest.mark.parametrize("long", [1, 10**9])
def test_cells_of_long_lanes_are_picked_all_the_same(long, monkeypatch):
    monkeypatch.setattr(lanes, "LONG_LANE_BYTES", long)
    made = LaneArray(dt.asarray(X), 1)
    places = np.array([[[0, 1, 2, -1], [2, 2, 0, 1]], [[1, 1, 0, 2], [0, 2, -1, 1]]])
    picked = made.pick(dt.asarray(places))
    expected = np.take_along_axis(np.moveaxis(X, 1, 0), np.maximum(places, 0), 0)
    assert np.array_equal(picked.compute(), expected)
    assert ("takealong" in str(picked.teg)) is (long > 1)


def test_weights_are_fitted():
    weights = np.arange(8).reshape(4, 2)
    fitted = align_weights(dt.asarray(weights), X.shape, (2, 0)).compute()
    assert np.array_equal(fitted, np.broadcast_to(weights.T[:, None], X.shape))
    with pytest.raises(TypeError, match="Axis"):
        align_weights(dt.asarray(weights), X.shape, None)
    with pytest.raises(ValueError, match="consistent"):
        align_weights(dt.asarray(weights.T), X.shape, (2, 0))


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", ["f4", "f8", "m8[s]", "c16"])
@pytest.mark.parametrize("nothing", [False, True])
def test_cells_of_a_very_long_lane_are_counted_all_the_same(dtype, nothing, sync, monkeypatch):
    x = (np.random.default_rng(0).normal(size=(40, 50)) * 1e4).astype("i8").astype(dtype)
    x[slice(None) if nothing else slice(0, 40, 7)] = np.array("NaT" if dtype[0] == "m" else np.nan)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        monkeypatch.setattr(lanes, "COUNTED_LANE_BYTES", 2**40)
        ordered = [one.compute() for one in _of_a_lane(x)]
        monkeypatch.setattr(lanes, "COUNTED_LANE_BYTES", 0)
        counted = _of_a_lane(x)
        assert ("bincount" in str(counted[0].teg)) is (dtype != "c16")
        for one, other in zip(counted, ordered, strict=True):
            np.testing.assert_array_equal(one.compute(), other)
    np.testing.assert_array_equal(ordered[0], np.sort(x, axis=None)[[0, 3, 5]])


def _of_a_lane(x):
    a, q = dt.asarray(x), [0.1, 0.5]
    cells = LaneArray(a, None).pick(dt.asarray(np.array([0, 3, 5])))
    return [cells, dt.nanmedian(a), *([dt.nanquantile(a, q)] if x.dtype.kind != "c" else [])]
