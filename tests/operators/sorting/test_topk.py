import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.sorting import topk
from dask_tapestry.operators.tuning import SHORTEST_TOPK_LANE, SHORTEST_TOPK_RUN

RANDOM = np.random.default_rng(4)


@pytest.mark.covering
@pytest.mark.parametrize("k", [1, 5, -5])
@pytest.mark.parametrize("kind", ["i2", "f4", "f8"])
@pytest.mark.parametrize("shape", [(2 * SHORTEST_TOPK_RUN + 77,), (2, 3 * SHORTEST_TOPK_RUN + 3)])
def test_long_lanes_are_searched_in_runs(k, kind, shape):
    x = RANDOM.integers(-100, 100, shape).astype(kind)
    value, places = dt.topk(x, k), dt.argtopk(x, k)
    assert "topk(" in str(value.teg)
    ordered, order = np.sort(x), np.argsort(x, kind="stable")
    part = (..., slice(None, -k - 1, -1)) if k > 0 else (..., slice(0, -k))
    np.testing.assert_array_equal(value.compute(), ordered[part])
    np.testing.assert_array_equal(places.compute(), order[part])


def test_another_axis(monkeypatch):
    monkeypatch.setattr(topk, "SHORTEST_TOPK_RUN", 16)
    monkeypatch.setattr(topk, "SHORTEST_TOPK_LANE", 32)
    x = RANDOM.normal(size=(100, 3))
    assert "topk(" in str(dt.topk(x, 1, axis=0).teg)
    np.testing.assert_array_equal(dt.topk(x, 1, axis=0).compute(), x.max(axis=0, keepdims=True))
    np.testing.assert_array_equal(dt.argtopk(x, -1, axis=0).compute()[0], x.argmin(axis=0))


@pytest.mark.parametrize("k", [1, 5, -5])
@pytest.mark.parametrize("kind", ["?", "i1", "u2", "f2", "f8"])
def test_lanes_of_one_run_are_partitioned_and_never_sorted(k, kind):
    x = RANDOM.integers(-100, 100, (20, SHORTEST_TOPK_LANE)).astype(kind)
    if kind[0] == "f":
        x[:10, ::7], x[5:15, ::11] = np.nan, -0.0
    value = dt.topk(x, k)
    names = {node.operator.name for node in value.teg.nodes}
    assert "topk" in names
    assert "sort" not in names
    part = (..., slice(None, -k - 1, -1)) if k > 0 else (..., slice(0, -k))
    np.testing.assert_array_equal(value.compute(), np.sort(x)[part])


@pytest.mark.parametrize("kind", ["M8[s]", "c8", "U4"])
def test_short_lanes_of_others_than_numbers_are_sorted(kind):
    x = RANDOM.integers(0, 100, (3, SHORTEST_TOPK_LANE)).astype(kind)
    assert "topk(" not in str(dt.topk(x, 3).teg)
    np.testing.assert_array_equal(dt.topk(x, 3).compute(), np.sort(x)[:, :-4:-1])


def test_only_the_top_of_runs_is_held():
    x = dt.placeholder((10**9,), "f8", (10**7,))
    plan = dt.plan(dt.topk(x, 10), resources=dt.Resources(4, 2, "8 GiB"))
    assert plan.cost["memory_bytes"] < x.nbytes / 1000


def test_more_than_there_are():
    assert dt.topk([3, 1], 5).compute().tolist() == [3, 1]
    assert dt.topk([3, 1], 0).shape == (0,)
