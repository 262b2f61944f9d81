from types import SimpleNamespace

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster, get_worker, wait

import dask_tapestry as dt
from dask_tapestry.lower.worker_placement import (
    beside_blocks,
    device_resources,
    members,
    placement,
    workers_of,
)
from dask_tapestry.planner.machine.worker_group import WorkerGroup

CELLS = np.arange(12.0).reshape(3, 4)
THERE = {"tcp://10.0.0.1:8786": {"name": 0}, "tcp://10.0.0.2:8786": {"name": "bob"}}


def client(workers, count=None):
    """What is asked of a client."""
    found = {"workers": workers, "n_workers": len(workers) if count is None else count}
    return SimpleNamespace(scheduler_info=lambda n_workers: found)


def placed(*workers):
    return dt.from_array(CELLS, workers=workers).node


@pytest.mark.parametrize("name", ["bob", "tcp://10.0.0.2:8786", "10.0.0.2:8786", "10.0.0.2"])
def test_a_worker_is_known_by_name_and_address(name):
    notes = placement(placed(name, "bob"), client(THERE))
    assert notes == {"workers": ["tcp://10.0.0.2:8786"], "allow_other_workers": False}


def test_a_number_is_a_name():
    assert placement(placed("0"), client(THERE))["workers"] == ["tcp://10.0.0.1:8786"]


def test_a_worker_that_is_not_there_is_refused():
    with pytest.raises(dt.PlanError, match=r"placed on alice, but the workers are 0 at .*, bob at"):
        placement(placed("alice"), client(THERE))
    with pytest.raises(dt.PlanError, match="placed on alice, but"):
        placement(placed("bob", "alice"), client(THERE))
    with dt.config(relax_placement=True):
        assert placement(placed("bob", "alice"), client(THERE))["workers"] == [*THERE][1:]
        notes = placement(placed("alice"), client(THERE))
    assert notes == {"workers": ["alice"], "allow_other_workers": True}


def test_workers_that_are_not_known_are_waited_for():
    for unknown in (None, client({}), client(THERE, count=3)):
        assert not workers_of(unknown)
        assert placement(placed("alice"), unknown)["workers"] == ["alice"]


def test_a_host_is_all_its_workers():
    alike = {"tcp://10.0.0.1:1": {"name": 0}, "tcp://10.0.0.1:2": {"name": 1}}
    assert placement(placed("10.0.0.1", "1"), client(alike))["workers"] == [*alike]


def test_what_is_placed_nowhere_asks_for_nothing():
    assert placement(dt.ones(3).node, object()) is None


@pytest.mark.cluster
def test_a_source_or_sink_on_a_worker_that_is_not_there_is_refused_at_once(tmp_path):
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 1}
    with Client(**options, dashboard_address=":0") as here:
        (worker,) = here.scheduler_info(n_workers=-1)["workers"].values()
        x = dt.from_array(CELLS, workers=str(worker["name"]))
        np.testing.assert_array_equal((x + 1).compute(), CELLS + 1)
        with pytest.raises(dt.PlanError, match="placed on alice"):
            dt.from_array(CELLS, workers="alice").sum().compute()
        with pytest.raises(dt.PlanError, match="store is placed on alice"):
            dt.to_zarr(x, tmp_path / "x", workers="alice")
        assert not (tmp_path / "x").exists()
        with dt.config(relax_placement=True):
            dt.to_zarr(x, tmp_path / "x", workers="alice")
        np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), CELLS)


BIG = WorkerGroup(2, 8, "64 GiB", "big")
PLAIN = WorkerGroup(2, 2, "4 GiB")
KINDS = {
    "tcp://a": {"name": "big-0", "nthreads": 8, "memory_limit": 64 * 2**30},
    "tcp://b": {"name": "other", "nthreads": 2, "memory_limit": 4 * 2**30 - 1000},
    "tcp://c": {"name": 7, "nthreads": 2, "memory_limit": 4 * 2**30},
}


def test_members_of_a_group():
    assert members(BIG, KINDS) == ["tcp://a"]
    assert members(PLAIN, KINDS) == ["tcp://b", "tcp://c"]
    given = {**KINDS, "tcp://d": {"name": 9, "resources": {"big": 1}}}
    assert members(BIG, given) == ["tcp://d"]
    unnamed = {"tcp://e": {"name": 1, "nthreads": 8, "memory_limit": 64 * 2**30}}
    assert members(BIG, unnamed) == ["tcp://e"]
    assert members(BIG, {"tcp://c": KINDS["tcp://c"]}) == []


def test_a_step_is_kept_at_its_place():
    node, both = dt.ones(3).node, (BIG, PLAIN)
    assert placement(node, client(KINDS), both) is None
    notes = placement(node, client(KINDS), both, "big")
    assert notes == {"workers": ["tcp://a"], "allow_other_workers": False}
    assert placement(node, None, both, "big") is None
    assert placement(placed("big"), client(KINDS), both)["workers"] == ["tcp://a"]
    with pytest.raises(dt.PlanError, match="wait for workers"):
        placement(node, client({}), both, "big")
    with pytest.raises(dt.PlanError, match="placed on big, but the workers are 7 at tcp://c"):
        placement(node, client({"tcp://c": KINDS["tcp://c"]}), both, "big")


@pytest.mark.cluster
def test_what_needs_memory_runs_where_it_is():
    def who(x):
        return np.array(float(get_worker().name))

    whole = dt.block_operator(
        index={"i": "atomic"}, inputs={"x": "i"}, outputs={"z": ""}, dtype="f8"
    )(who)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
    ):
        for name, other in (("0", "1"), ("1", "0")):
            groups = [(1, 1, "1 GiB", name), (1, 1, "64 MiB", other)]
            with dt.config(resources=dt.Resources(groups=groups)):
                large = whole(dt.random.default_rng(0).random(10**7))
                plan = large.plan()
                assert f"1 block on {name}" in plan.explain()
                assert plan.compute() == float(name)
        missing = dt.Resources(groups=[(1, 1, "1 GiB", "gone"), (1, 1, "64 MiB", "0")])
        with dt.config(resources=missing), pytest.raises(dt.PlanError, match="placed on gone"):
            whole(dt.random.default_rng(0).random(10**7)).compute()


def test_slices_of_few_blocks_name_every_host():
    def of(*hosts):
        return client({f"{n}": {"host": host} for n, host in enumerate(hosts)})

    two = of("b", "a", "b")
    asked = {"workers": ["a", "b"], "allow_other_workers": True}
    assert beside_blocks(two, 4) == asked
    assert beside_blocks(two, 5) == {}
    assert beside_blocks(None, 4) == beside_blocks(of(), 4) == {}
    assert beside_blocks(of("::1", "a"), 4) == {}
    assert beside_blocks(two, 3) == asked
    assert beside_blocks(two, 2) == {}, "a worker would have none"
    with dask.annotate(workers=["a"]):
        assert beside_blocks(two, 4) == {}


def test_few_blocks_are_sliced_where_they_are():
    """Dask would give slices of fewer than five blocks to workers by turns."""
    cells = np.arange(4e6).reshape(2000, 2000)
    told = {"n_workers": 2, "threads_per_worker": 1, "processes": False}
    with (
        dask.config.set({"distributed.scheduler.work-stealing": False}),
        LocalCluster(**told, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        x = (dt.arange(4e6).reshape(2000, 2000) + 0).rechunk((1000, 1000)).persist()
        wait(x)
        before = client.who_has(x)
        y = (x.T + 1).rechunk((100, 2000)).persist()
        wait(y)
        after = client.who_has(x)
        assert len({tuple(on) for on in before.values()}) == 2  # else nothing would travel
        assert len(before) == 4
        assert {k: sorted(on) for k, on in after.items()} == {
            k: sorted(on) for k, on in before.items()
        }
        np.testing.assert_array_equal(y.compute(), cells.T + 1)


def test_tasks_of_devices_ask_for_the_resource_that_workers_say():
    there = {a: {**w, "resources": {"GPU": 1}} for a, w in THERE.items()}
    assert device_resources(client(there), {}) == {"resources": {"GPU": 0.5}}
    assert device_resources(client(there), {"resources": {"GPU": 2, "disk": 1}}) == {
        "resources": {"GPU": 2, "disk": 1}
    }
    assert device_resources(client(THERE), {}) == {}
    assert device_resources(None, {}) == {}
