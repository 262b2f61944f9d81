import gc
import weakref

import numpy as np

import dask_tapestry as dt
from dask_tapestry.io.slot import Slot
from dask_tapestry.plan import cache
from dask_tapestry.plan.cache import plan_of

BATCHES = [np.arange(10.0) + number for number in range(3)]


def planned(*arrays):
    return plan_of([x.node for x in arrays])


def scaled(x, by=2.0):
    return dt.asarray(x) * by + 1


def test_what_differs_in_its_arrays_alone_is_planned_once():
    first, second = (planned(scaled(batch)) for batch in BATCHES[:2])
    assert first.graph is second.graph
    assert first.steps is second.steps
    assert planned(scaled(BATCHES[0], by=3.0)).graph is not first.graph
    assert planned(scaled(BATCHES[0].astype("f4"))).graph is not first.graph
    assert planned(scaled(BATCHES[0][:-1])).graph is not first.graph


def test_each_plan_computes_its_own_arrays():
    for batch in BATCHES:
        np.testing.assert_array_equal(scaled(batch).compute(), batch * 2 + 1)
        np.testing.assert_array_equal(scaled(batch).persist().compute(), batch * 2 + 1)


def test_which_array_stands_where_makes_a_difference():
    x, y = (dt.asarray(batch) for batch in BATCHES[:2])
    pairs = [(x, x), (x, y), (y, x), (y, y)]
    for a, b in pairs:
        total = (a * 2 - b).sum()
        assert total.compute() == (a.compute() * 2 - b.compute()).sum()
    shared, twice = planned(x * 2 + x * 2), planned(x * 2 + y * 2)
    assert shared.graph is not twice.graph


def test_roots_are_told_apart():
    x, y = (dt.asarray(batch) for batch in BATCHES[:2])
    for roots in ((x + 1, y + 1), (y + 1, x + 1), (x + 1, x + 2), (x + 2, x + 1)):
        expected = [np.asarray(root) for root in roots]
        for found, one in zip(dt.compute(*roots), expected, strict=True):
            np.testing.assert_array_equal(found, one)


def test_persisted_blocks_of_alike_graphs_have_keys_of_their_own():
    first, second = (scaled(batch).persist() for batch in BATCHES[:2])
    assert not set(first.__dask_graph__()) & set(second.__dask_graph__())
    keys = [set(scaled(batch).__dask_graph__()) for batch in BATCHES[:2]]
    assert not keys[0] & keys[1]


def test_persisted_arrays_are_planned_once_for_each_layout():
    first, second = (dt.asarray(batch).rechunk(5).persist() for batch in BATCHES[:2])
    coarse = dt.asarray(BATCHES[0]).rechunk(10).persist()

    def doubled(x):
        return x * 2

    assert planned(doubled(first)).graph is planned(doubled(second)).graph
    assert planned(doubled(first)).graph is not planned(doubled(coarse)).graph
    for x, batch in ((first, BATCHES[0]), (second, BATCHES[1]), (coarse, BATCHES[0])):
        np.testing.assert_array_equal(doubled(x).compute(), batch * 2)
        np.testing.assert_array_equal((x[2:] + doubled(x)[2:]).persist().compute(), batch[2:] * 3)


def test_names_are_the_same_when_planned_again():
    x = scaled(BATCHES[0])
    keys = set(x.__dask_graph__())
    cache._known.clear()
    assert set(x.__dask_graph__()) == keys


def test_another_line_has_a_plan_of_its_own():
    """So that errors name the right one."""
    x = dt.asarray(BATCHES[0])
    first = planned(x + 7)
    other = dt.asarray(BATCHES[1])
    second = planned(other + 7)
    assert first.graph is not second.graph
    assert first.graph.roots[0].line != second.graph.roots[0].line


def test_other_settings_and_resources_give_other_plans():
    x = dt.asarray(np.arange(10_000.0)) + 1
    plan = planned(x)
    with dt.config(block_bytes=4096):
        assert planned(x).graph is not plan.graph
    with dt.config(resources=dt.Resources(workers=3, threads=2)):
        assert planned(x).resources.workers == 3
    assert planned(x).graph is plan.graph


def test_kept_plans_hold_no_arrays():
    batch = np.arange(7.0)
    x = dt.asarray(batch) * 5
    assert all(isinstance(n, Slot) for n in (s.operator for s in planned(x).sources))
    gone = weakref.ref(batch)
    del batch, x
    gc.collect()
    assert gone() is None


def test_plans_that_read_stores_are_not_kept(tmp_path):
    dt.to_zarr(dt.arange(10), tmp_path / "x.zarr")
    stored = dt.from_zarr(tmp_path / "x.zarr") + 1
    assert planned(stored).graph is not planned(stored).graph


def test_few_are_kept():
    x = dt.asarray(np.arange(3.0))
    first = planned(x + 1)
    for number in range(cache.KEPT):
        planned(x * number)
    assert planned(x + 1).graph is not first.graph
    assert len(cache._known) == cache.KEPT
