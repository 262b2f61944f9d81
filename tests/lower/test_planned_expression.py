"""Dask's collection protocol: what Dask asks of an array, and what comes back."""

import gc
import time
from itertools import chain
from shutil import which

import dask
import dask.array as da
import dask.bag as db
import numpy as np
import pytest
from dask.base import compute_as_if_collection, is_dask_collection, tokenize
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.lower.client_arrays import ClientArrays
from dask_tapestry.lower.planned_expression import TapestryExpr, TapestrySequence
from dask_tapestry.planner.build import build_plan

from .sources import Recorded, add_one, sent, total

CELLS = np.arange(24.0).reshape(4, 6)


@pytest.fixture
def recorded(tmp_path):
    return Recorded(CELLS, tmp_path / "reads")


def test_an_array_is_a_collection():
    assert is_dask_collection(dt.ones(3))


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_compute_returns_a_numpy_array(scheduler):
    result = (dt.asarray(CELLS) + 1).compute(scheduler=scheduler)
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, CELLS + 1)


def test_a_result_without_dimensions_is_a_numpy_scalar():
    result = dt.asarray(CELLS).sum().compute()
    assert isinstance(result, np.float64)
    assert result == CELLS.sum()


def test_the_result_may_be_written_to():
    result = dt.asarray(CELLS).compute()
    result[0, 0] = 99
    assert CELLS[0, 0] == 0


def test_shared_work_is_done_once(recorded):
    x = dt.from_array(recorded)
    results = dask.compute(x.sum(), (x * 2).max(), x[1:].min())
    assert results == (CELLS.sum(), 46.0, 6.0)
    assert recorded.reads == ["0:4 0:6"]


def test_shared_work_is_done_once_with_other_collections_between(recorded):
    x = dt.from_array(recorded)
    results = dask.compute(x.sum(), da.ones(3, chunks=2).sum(), x.max())
    assert results == (CELLS.sum(), 3.0, 23.0)
    assert len(recorded.reads) == 1


def test_the_namespace_computes_like_dask(recorded):
    x = dt.from_array(recorded)
    assert dt.compute(x.sum(), x.max()) == (CELLS.sum(), 23.0)
    assert len(recorded.reads) == 1


def test_results_come_in_the_order_asked_for():
    x = dt.asarray(CELLS)
    bag = db.from_sequence([1, 2, 3], npartitions=2).sum()
    results = dask.compute(
        x.sum(),
        bag,
        da.ones(5, chunks=2).sum(),
        x.max(),
        dask.delayed(add_one)(3),
        x.min(),
        scheduler="sync",
    )
    assert results == (CELLS.sum(), 6, 5.0, 23.0, 4, 0.0)


def test_the_same_value_twice_and_a_dask_array_between():
    x = dt.asarray(CELLS)
    a, b, c = dask.compute(x.sum(), da.arange(4, chunks=2), x.sum())
    assert a == c == CELLS.sum()
    np.testing.assert_array_equal(b, np.arange(4))


def test_nested_containers_keep_their_form():
    x = dt.asarray(CELLS)
    asked = [x.sum(), {"largest": x.max(), "pair": (x.min(), 7)}], x.argmax()
    assert dask.compute(*asked) == (
        [CELLS.sum(), {"largest": 23.0, "pair": (0.0, 7)}],
        23,
    )


def test_compute_of_what_is_no_collection():
    assert dask.compute(1, dt.ones(2).sum(), "text") == (1, 2.0, "text")


def test_without_traversing_containers_stay():
    x = dt.ones(2)
    (found,) = dask.compute([x], traverse=False)
    assert found[0] is x


def test_persist_gives_an_array_of_the_same_value():
    x = (dt.asarray(CELLS) + 1).rechunk((2, 3))
    held = x.persist()
    assert (held.shape, held.dtype, held.chunks) == (x.shape, x.dtype, x.chunks)
    np.testing.assert_array_equal(held.compute(), CELLS + 1)


def test_what_is_persisted_is_not_computed_again(recorded):
    held = (dt.from_array(recorded) + 1).persist()
    assert len(recorded.reads) == 1
    assert held.sum().compute() == CELLS.sum() + 24
    assert (held * 2).max().compute() == 48
    assert len(recorded.reads) == 1


def test_persisting_several_shares_work(recorded):
    x = dt.from_array(recorded)
    first, middle, last = dask.persist(x + 1, da.ones(2, chunks=1), x.sum())
    assert len(recorded.reads) == 1
    np.testing.assert_array_equal(first.compute(), CELLS + 1)
    assert isinstance(middle, da.Array)
    assert last.compute() == CELLS.sum()


def test_persist_keeps_dimension_names():
    assert dt.ones((2, 3)).rename("a", "b").persist().dims == ("a", "b")


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (1,)])
def test_persist_of_small_shapes(shape):
    held = dt.full(shape, 7).persist()
    np.testing.assert_array_equal(held.compute(), np.full(shape, 7))


def test_a_persisted_array_can_be_persisted_and_joined_with_others():
    x = dt.asarray(CELLS).rechunk((2, 2)).persist()
    again = (x + x.sum()).persist()
    np.testing.assert_array_equal(again.compute(), CELLS + CELLS.sum())


def test_a_persisted_graph_shows_its_blocks():
    held = dt.asarray(CELLS).rechunk((2, 6)).persist()
    graph = dict(held.__dask_graph__())
    assert set(graph) == {(held.name, 0, 0), (held.name, 1, 0)}


def test_persisted_blocks_own_their_cells():
    held = dt.asarray(CELLS).rechunk((2, 6)).persist()
    for block in dict(held.__dask_graph__()).values():
        value = getattr(block, "value", block)
        assert value.base is None
        assert not np.shares_memory(value, CELLS)


def test_equal_grids_under_equal_keys_and_others_under_others():
    x = dt.asarray(CELLS) + 1
    assert x.rechunk((2, 3)).name == x.rechunk((2, 3)).name
    assert x.rechunk((2, 3)).name != x.rechunk((2, 2)).name


def test_two_grids_of_one_value_persist_apart():
    x = dt.arange(100)
    few, many = dask.persist(x.rechunk(50), x.rechunk(7))
    assert few.numblocks == (2,)
    assert many.numblocks == (15,)
    np.testing.assert_array_equal(few.compute(), np.arange(100))
    np.testing.assert_array_equal(many.compute(), np.arange(100))


def test_the_grid_upstream_is_in_the_key_downstream():
    x = dt.arange(100)
    assert x.rechunk(50).sum().name != x.rechunk(7).sum().name


def test_another_plan_gives_other_keys():
    x = dt.broadcast_to(dt.arange(1000), (4000, 1000)) + 1
    small = dt.Resources(workers=1, threads=1, memory="1 GiB")
    large = dt.Resources(workers=8, threads=8, memory="8 GiB")
    one, other = (build_plan([x.node], r) for r in (small, large))
    assert one.chunks() != other.chunks()
    assert {s.name for s in one.steps.values()}.isdisjoint(s.name for s in other.steps.values())


def test_tokens_follow_values():
    x = dt.arange(6)
    assert tokenize(x + 1) == tokenize(dt.arange(6) + 1)
    assert tokenize(x + 1) != tokenize(x + 2)
    assert tokenize(dt.asarray(CELLS)) != tokenize(dt.asarray(CELLS))


def test_optimize_gives_the_same_values():
    x = dt.asarray(CELLS)
    first, second = dask.optimize(x + 1, x.sum())
    np.testing.assert_array_equal(first.compute(), CELLS + 1)
    assert second.compute() == CELLS.sum()


def test_delayed_takes_arrays():
    x = dt.asarray(CELLS).rechunk((2, 2))
    assert dask.delayed(np.sum)(x).compute() == CELLS.sum()
    assert dask.delayed(total)([x, x + 1]).compute() == 2 * CELLS.sum() + 24


def test_to_delayed_gives_the_planned_blocks():
    x = dt.asarray(CELLS).rechunk((2, 4))
    blocks = x.to_delayed()
    assert blocks.shape == (2, 2)
    np.testing.assert_array_equal(blocks[1, 1].compute(), CELLS[2:, 4:])
    rows = [np.hstack(row) for row in dask.compute(*blocks.tolist())]
    np.testing.assert_array_equal(np.vstack(rows), CELLS)


def test_to_delayed_without_dimensions():
    (block,) = dt.asarray(CELLS).sum().to_delayed().ravel()
    assert block.compute() == CELLS.sum()


def test_to_dask_array_and_back():
    x = (dt.asarray(CELLS) * 2).rechunk((2, 4))
    d = x.to_dask_array()
    assert isinstance(d, da.Array)
    assert d.chunks == x.chunks
    np.testing.assert_array_equal((d + 1).compute(), CELLS * 2 + 1)
    np.testing.assert_array_equal((dt.from_dask_array(d) + 1).compute(), CELLS * 2 + 1)


@pytest.mark.skipif(which("dot") is None, reason="no graphviz binary")
def test_visualize_writes_a_picture(tmp_path):
    dt.ones(3).visualize(str(tmp_path / "graph.svg"))
    assert "svg" in (tmp_path / "graph.svg").read_text("utf-8")


def test_all_roots_of_one_compute_are_in_one_expression():
    x = dt.asarray(CELLS)
    joint = dask.base.collections_to_expr([x.sum(), x.max()]).optimize()
    assert isinstance(joint, TapestrySequence)
    assert all(isinstance(part, TapestryExpr) for part in joint.operands)
    first, second = (part.operand("dsk") for part in joint.operands)
    assert first is second


def test_a_broken_plan_is_refused_before_the_first_task(recorded):
    x = dt.from_array(recorded)
    with dt.config(memory_limit=100), pytest.raises(dt.MemoryLimitError):
        x.compute()
    assert not recorded.reads


def test_annotations_reach_other_collections_too():
    with dask.annotate(priority=3):
        d = da.ones(4, chunks=2) + 1
    joint = dask.base.collections_to_expr([d, dt.ones(3)], optimize_graph=False)
    found = joint.optimize().__dask_annotations__()
    assert set(found["priority"].values()) == {3}


def test_what_a_scheduler_is_handed_can_be_printed():
    assert "Tapestry" in repr(sent(dt.ones(3), dt.ones(4)))


def test_graph_and_keys_are_computed_as_those_of_a_collection():
    x = dt.arange(6, chunks=4) + 1
    first, second = compute_as_if_collection(dt.Array, x.dask, x.__dask_keys__(), scheduler="sync")
    np.testing.assert_array_equal(np.concatenate([first, second]), np.arange(1, 7))


@pytest.mark.cluster
@pytest.mark.parametrize("then", ["another client", "no client", "they are cancelled"])
def test_blocks_that_a_cluster_kept_and_has_no_more_are_refused(then):
    """At once, by an error that says what to do, not by one of a missing key."""
    from distributed import Client, LocalCluster

    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    with LocalCluster(**options, dashboard_address=":0") as cluster:
        with Client(cluster) as first:
            x = (dt.arange(100, chunks=10) + 1).persist()
            assert int(x.sum()) == 5050
            if then == "they are cancelled":
                first.cancel(x.to_dask_array())
                _refused(x)
                return
        if then == "another client":
            with Client(cluster):
                _refused(x)
                assert int(dt.arange(100).sum()) == 4950
    if then == "no client":
        _refused(x)


def _refused(x):
    with pytest.raises(dt.ComputeError, match=r"are gone.* Persist the array again"):
        x.sum().compute()
    with pytest.raises(dt.ComputeError, match="are gone"):
        (x + 1).persist()
    with pytest.raises(dt.ComputeError, match="are gone"):
        dt.plan(x * 3).compute()


PERSISTED = {
    "once more": lambda x: dask.persist((x + 1) * 2),
    "as one of several": lambda x: dt.persist((x + 1) * 2, (x + 1) * 2),
    "by its method": lambda x: [((x + 1) * 2).persist()],
}


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("way", PERSISTED)
def test_what_is_kept_is_not_computed_and_its_arrays_not_sent_again(way, caplog, monkeypatch):
    sends, send_ahead = [], ClientArrays.send_ahead

    def watched(self, *to):
        sends.extend(self.offers)
        send_ahead(self, *to)

    monkeypatch.setattr(ClientArrays, "send_ahead", watched)
    cells = np.arange(1e6).reshape(1000, 1000)  # smaller ones travel with the graph
    x, options = dt.asarray(cells), {"processes": False, "dashboard_address": ":0"}
    with Client(n_workers=2, threads_per_worker=1, **options) as client:
        results = [PERSISTED[way](x) for _ in range(8)]
        for one in chain(*results):
            np.testing.assert_array_equal(one.compute(), (cells + 1) * 2)
        assert len(sends) <= 4  # the first ones are planned again, by the rates of this cluster
        del results, one
        sends.clear()
        limit = time.monotonic() + 20
        while client.futures and time.monotonic() < limit:  # it lets go of them by and by
            gc.collect()
            time.sleep(0.01)
        (once_more,) = dask.persist((x + 1) * 2)
        np.testing.assert_array_equal(once_more.compute(), (cells + 1) * 2)
        assert len(sends) == 1
    assert "run_spec" not in caplog.text
