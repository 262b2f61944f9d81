import dask
import numpy as np
import pytest
from dask.array import Array as DaskArray
from dask.array import from_array
from dask.delayed import Delayed, delayed
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.lower.shared_keys import TakenKeys, renamed, renamed_key


def written(value, name="x", inner=None):
    """A Dask array whose keys somebody wrote by hand."""
    block = (np.full, 2, value)
    graph = {(name, 0): inner or block, (name, 1): (np.add, (name, 0), 1)}
    return DaskArray(graph | ({inner: block} if inner else {}), name, ((2, 2),), dtype="f8")


@pytest.mark.parametrize("made", [dt.from_array, dt.from_dask_array])
@pytest.mark.parametrize("names", [("x", "x"), ("p", "q")])
def test_two_graphs_with_one_key_keep_their_values(made, names):
    inner = "shared" if names[0] != names[1] else None
    x, y = (made(written(n, name, inner)) for n, name in zip((1.0, 10.0), names, strict=True))
    for both in (x + y, (x + y).persist(), (x + y).to_dask_array()):
        np.testing.assert_array_equal(both.compute(), [11, 11, 13, 13])
    for compute in (dt.compute, dask.compute):
        np.testing.assert_array_equal(compute(x, y), [[1, 1, 2, 2], [10, 10, 11, 11]])


@pytest.mark.parametrize("name", [("x", 0), ("cells-" + 32 * "a", 1), 7])
def test_delayed_values_have_keys_of_any_form(name):
    """The layer of a delayed value is named by its key."""
    one = Delayed(name, {name: (np.ones, 3)})
    x, y = (dt.from_delayed(value, (3,), float) for value in (one, delayed(np.arange)(3.0)))
    np.testing.assert_array_equal((x + y).compute(), [1, 2, 3])


def test_one_value_is_computed_once():
    calls = []

    def counted(block):
        calls.append(block.shape)
        return block

    d = from_array(np.arange(4.0), chunks=2, name="x").map_blocks(counted, dtype=float, name="y")
    calls.clear()
    x, y = dt.from_dask_array(d), dt.from_dask_array(d + 1)
    np.testing.assert_array_equal((x + y).compute(), 2 * np.arange(4.0) + 1)
    assert len(calls) == 2
    again = dt.from_dask_array(d.persist())
    np.testing.assert_array_equal((x + again).compute(), 2 * np.arange(4.0))


def test_what_a_cluster_holds_is_the_value_of_its_key():
    d = from_array(np.arange(4.0), chunks=2, name="held-by-a-cluster")
    with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0"):
        held = d.persist()
        x, y = dt.from_dask_array(d), dt.from_dask_array(held)
        for both in (x + y, y + x):
            np.testing.assert_array_equal(both.compute(), 2 * np.arange(4.0))
        x, y = (dt.from_dask_array(written(n)) for n in (1.0, 10.0))
        np.testing.assert_array_equal((x + y).compute(), [11, 11, 13, 13])


def test_names_with_a_token_are_not_looked_at():
    taken, name = TakenKeys(), "x-" + 32 * "0"
    assert taken.take({name: {name: 1}})
    assert taken.take({name: {name: 2}})
    assert taken.take({"x": {"x": 1}})
    assert not taken.take({"y": {"x": 2, "y": 1}})
    assert taken.take({"y": {"y": 2}})  # nothing was taken


def test_keys_of_any_form_are_renamed():
    graph = renamed({1: 5, ("x", 0): (max, [1, "y"]), "y": 7}, "seed")
    assert list(graph) == [renamed_key(key, "seed") for key in (1, ("x", 0), "y")]
    assert dask.get(graph, renamed_key(("x", 0), "seed")) in (5, 7)
    assert renamed_key("y", "seed") != renamed_key("y", "other")
