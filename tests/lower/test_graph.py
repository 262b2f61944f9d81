"""Graphs: symbolic on the client, small when sent, and only what is needed written out."""

import pickle
from math import prod

import dask.array as da
import numpy as np
import pytest
import zarr
from dask.core import flatten
from dask.highlevelgraph import HighLevelGraph

import dask_tapestry as dt
from dask_tapestry.lower.dask_private import DataNode
from dask_tapestry.lower.graph import Lowering, nested_keys
from dask_tapestry.lower.layers import SymbolicLayer
from dask_tapestry.planner.build import build_plan

from .sources import sent


def tasks_of(*collections):
    """Tasks that a scheduler runs for the results of `collections`."""
    return sent(*collections).__dask_graph__()


def kind_of(key):
    """Last word of the name of a task."""
    return key[0].split("-")[-2]


def names(graph):
    """How many tasks there are of each step."""
    found = {}
    for key in graph:
        name = kind_of(key)
        found[name] = found.get(name, 0) + 1
    return found


def test_layers_stay_symbolic_until_they_are_asked():
    graph = (dt.ones((8, 8)).rechunk(2) + 1).sum(axis=0).dask
    assert all(isinstance(layer, SymbolicLayer) for layer in graph.layers.values())
    assert not any(layer.is_materialized() for layer in graph.layers.values())


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(
    "build",
    [
        lambda x: x + 1,
        lambda x: x.sum(axis=0),
        lambda x: (x - x.mean()) / x.std(),
        lambda x: x[1:] - x[:-1],
    ],
    ids=["elementwise", "reduce", "normalize", "difference"],
)
def test_what_is_sent_does_not_grow_with_the_number_of_blocks(build):
    few, many = (build(dt.ones((10**5, 10)).rechunk((n, 10))) for n in (20, 10))
    sizes = [len(pickle.dumps(sent(x))) for x in (few, many)]
    assert max(sizes) < 10_000
    assert abs(sizes[0] - sizes[1]) < 200
    assert len(tasks_of(many)) > 10_000


def test_only_the_blocks_that_are_read_are_written_out():
    x = dt.arange(1000).rechunk(10).persist()
    assert names(tasks_of(x[0] + x[-1]))["add"] == 1
    written = tasks_of(x[0] + x[-1])
    read = {key[1] for key in written if key[0] == x.name}
    assert read == {0, 99}


def test_a_slice_of_a_fixed_layout_takes_the_blocks_it_meets():
    x = dt.arange(1000).rechunk(10)
    assert names(tasks_of(x[0] + x[-1])).get("arange", 0) <= 2
    assert names(tasks_of(x))["arange"] == 100


def test_slices_reach_an_array_of_dask(tmp_path):
    d = da.arange(1000, chunks=10)
    x = dt.from_dask_array(d)
    written = tasks_of(x[15:25] + 1)
    assert {key[1] for key in written if key[0] == d.name} == {1, 2}
    np.testing.assert_array_equal((x[15:25] + 1).compute(), np.arange(16, 26))


def test_the_graph_of_another_collection_is_taken_over():
    d = da.ones((4, 4), chunks=2) + 1
    x = dt.from_dask_array(d) * 3
    assert d.name in x.dask.layers
    np.testing.assert_array_equal(x.compute(), np.full((4, 4), 6.0))


def test_a_result_ends_in_one_task_and_blocks_in_many():
    plan = build_plan([dt.arange(10).rechunk(4).node])
    whole, blocks = (Lowering(plan, None).lower(final=final) for final in (True, False))
    assert len(whole.keys[0]) == 1
    assert [key[1] for key in blocks.keys[0]] == [0, 1, 2]


def test_each_compute_has_a_result_of_its_own():
    plan = build_plan([dt.arange(3).node])
    first, second = (Lowering(plan, None).lower(final=True).keys for _ in range(2))
    assert first != second


def test_dependencies_name_layers():
    graph = (dt.ones((8, 8)).rechunk(2).sum(axis=0) + 1).rechunk(3).dask
    assert isinstance(graph, HighLevelGraph)
    graph.validate()
    assert graph.dependencies.keys() == graph.layers.keys()


def test_layers_come_after_what_they_read():
    graph = (dt.ones((8, 8)).rechunk(2).sum(axis=0) + 1).rechunk(3).dask
    seen = set()
    for name in graph.layers:
        assert graph.dependencies[name] <= seen
        seen.add(name)


def test_a_write_is_prepared_then_written_then_finished():
    sink = dt.to_zarr(dt.ones(6), zarr.storage.MemoryStore(), chunks=2, compute=False)
    tasks = tasks_of(sink)
    kinds = names(tasks)
    assert kinds["prepare"] == kinds["finish"] == 1
    finish = next(task for key, task in tasks.items() if "finish" in key[0])
    assert len(finish.dependencies) == kinds["store"]
    assert {kind_of(key) for key in finish.dependencies} == {"store"}
    for key, task in tasks.items():
        if kind_of(key) == "store":
            assert {d[0].split("-")[1] for d in task.dependencies} == {"prepare"}


def test_a_persisted_value_is_not_lowered_again():
    x = (dt.arange(100).rechunk(10) * 2).persist()
    tasks = tasks_of(x.sum())
    assert set(names(tasks)) <= {"multiply", "sum", "gather"}
    assert all(kind_of(key) != "multiply" or type(task) is DataNode for key, task in tasks.items())
    assert not any(len(task.dependencies) for key, task in tasks_of(x).items() if key[0] == x.name)


@pytest.mark.parametrize(
    ("shape", "keys"),
    [
        ((), [("n",)]),
        ((2,), [("n", 0), ("n", 1)]),
        ((2, 1), [[("n", 0, 0)], [("n", 1, 0)]]),
    ],
)
def test_keys_nest_as_dask_nests_them(shape, keys):
    assert nested_keys("n", shape) == keys


def test_tasks_of_two_computes_never_meet(tmp_path):
    """A scheduler that knows a key from before does not look at its new task."""
    x = (dt.asarray(np.arange(100.0)) + 1).rechunk(25)
    y = x - x.mean()
    sink = dt.to_zarr(y, tmp_path / "x", chunks=30, compute=False)
    graphs = [tasks_of(y.sum()), tasks_of(y.sum()), tasks_of(y.max(), y), tasks_of(sink)]
    keys = [key for graph in graphs for key in graph]
    assert len(keys) == len(set(keys))


def test_a_value_and_its_way_round_through_dask_are_both_right():
    x = dt.asarray(np.array([3.0, 4, 5])) * 2
    again = dt.from_dask_array(x.to_dask_array())
    for scheduler in ("sync", "threads"):
        one, other = dt.compute(x, again + 1, scheduler=scheduler)
        np.testing.assert_array_equal(one, [6, 8, 10])
        np.testing.assert_array_equal(other, [7, 9, 11])


def test_results_share_no_memory():
    x = dt.asarray(np.arange(6.0))
    first, second = dt.compute(x[:1], x[:1][::-1])
    assert not np.shares_memory(first, second)
    held = (x + 1).persist()
    held.compute()[:] = -1
    np.testing.assert_array_equal(held.compute(), np.arange(1.0, 7))


def test_blocks_of_nothing_are_joined():
    empty = dt.rechunk(dt.zeros((0, 6)), (-1, 2)).persist()
    assert empty.compute().shape == (0, 6)


def test_what_is_only_blocks_can_be_persisted():
    d = dt.from_dask_array(da.from_array(np.arange(4.0), chunks=2))
    kept, more = dt.persist(d, d + 1)
    np.testing.assert_array_equal(kept.compute(), np.arange(4.0))
    np.testing.assert_array_equal(more.compute(), np.arange(1.0, 5))


@pytest.mark.parametrize("shape", [(4, 0), (0, 4), (0, 0), (4, 5, 0)])
def test_of_no_cells_there_is_a_task_for_each_chunk(shape):
    x = dt.from_array(np.zeros(shape), (2,) * len(shape)) + 1
    for value in (x, x[..., :0], x.T, dt.ones(shape, chunks=2)):
        keys = list(flatten(value.__dask_keys__()))
        assert len(keys) == prod(value.numblocks)
        assert set(keys) <= set(value.__dask_graph__())
        assert value.to_dask_array().compute(scheduler="sync").shape == value.shape
