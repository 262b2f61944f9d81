import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.layouts.placement import Placement, hold, place

CELLS = np.arange(12.0).reshape(3, 4)


def layers_of(plan):
    """The layers of a plan's Dask graph by what they are named after, without their digest."""
    return {name.rpartition("-")[0]: layer for name, layer in plan.graph().layers.items()}


def test_a_placed_value_is_the_value():
    x = dt.from_array(CELLS, workers="alice")
    np.testing.assert_array_equal((x + 1).compute(), CELLS + 1)


def test_without_workers_nothing_is_placed():
    x = dt.asarray(CELLS).node
    assert place(x, ()) is x


def test_the_step_that_reads_is_kept_on_the_workers():
    layers = layers_of((dt.from_array(CELLS, workers=["alice", "bob"]) + 1).plan())
    notes = layers["from_array"].annotations
    assert notes == {"workers": ["alice", "bob"], "allow_other_workers": False}
    assert not layers["add"].annotations


def test_the_constraint_may_be_relaxed():
    x = dt.from_array(CELLS, workers="alice") + 1
    with dt.config(relax_placement=True):
        assert layers_of(x.plan())["from_array"].annotations["allow_other_workers"] is True


def test_a_placed_value_is_sliced_where_it_lies():
    graph = dt.from_array(CELLS, workers="alice")[1:2].plan().teg
    (placed,) = [node for node in graph.nodes if isinstance(node.operator, Placement)]
    assert placed.type.shape == (1, 4)


def test_a_sink_is_kept_on_its_workers(tmp_path):
    sink = dt.to_zarr(dt.ones(1049), tmp_path / "x.zarr", compute=False, workers="alice")
    assert layers_of(dt.plan(sink))["ones-store"].annotations["workers"] == ["alice"]


@pytest.mark.cluster
def test_placed_work_runs_where_it_should():
    from distributed import Client, wait

    cluster = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
    with Client(**cluster, dashboard_address=":0") as c:
        names = sorted(w["name"] for w in c.scheduler_info(n_workers=-1)["workers"].values())
        address = next(
            a for a, w in c.scheduler_info(n_workers=-1)["workers"].items() if w["name"] == names[1]
        )
        x = dt.from_array(CELLS, chunks=(1, 4), workers=address).persist()
        wait(x)
        holders = {worker for workers in c.who_has(x).values() for worker in workers}
        assert holders == {address}


def test_a_value_that_is_held_already_is_held_once():
    x = (dt.asarray(np.ones(3)) + 1).node
    held = hold(x)
    assert held.operator == Placement(())
    assert hold(held) is held
