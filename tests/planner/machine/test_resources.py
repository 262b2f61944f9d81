import pickle
from dataclasses import fields, replace
from math import inf, nan

import pytest
from dask.system import CPU_COUNT
from distributed import LocalCluster, SpecCluster

import dask_tapestry as dt
from dask_tapestry.errors import ArgumentError, ArgumentTypeError
from dask_tapestry.memory.process_memory import machine_memory
from dask_tapestry.planner.machine import resources as module
from dask_tapestry.planner.machine.resources import Resources, current, this_machine


def test_amounts_may_be_written_as_text():
    r = Resources(workers=4, threads=2, memory="8 GiB", bandwidth="2 GB/s")
    assert (r.memory, r.bandwidth, r.slots) == (8 * 2**30, 2 * 10**9, 8)
    assert r == Resources(4, 2, 8 * 2**30, 2 * 10**9)
    assert str(r) == "4 workers, 2 threads, 8.00 GiB each"


def test_workers_share_this_machine_unless_said():
    assert Resources(workers=2).memory == machine_memory() // 2
    assert Resources().threads == CPU_COUNT


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"threads": 0}, {"gpus": -1}])
def test_numbers_must_make_sense(wrong):
    with pytest.raises(ValueError, match="at least"):
        Resources(**wrong)


@pytest.mark.parametrize("wrong", [{"memory": "8 gigs"}, {"bandwidth": "fast"}, {"memory": -5}])
def test_amounts_must_be_amounts(wrong):
    (name,) = wrong
    with pytest.raises(ArgumentError, match=f"^{name} must be a number of bytes.*, or text such"):
        Resources(**wrong)


def test_a_memory_limit_in_force_counts():
    r = Resources(memory="8 GiB")
    with dt.config(memory_limit="1 GiB"):
        assert r.memory_bytes == 2**30
    with dt.config(memory_limit="100 GiB"):
        assert r.memory_bytes == 8 * 2**30
    assert r.memory_bytes == 8 * 2**30


def test_they_are_values():
    r = Resources(workers=3, memory="1 GiB")
    assert pickle.loads(pickle.dumps(r)) == r
    assert len({r, Resources(workers=3, memory="1 GiB")}) == 1


def test_what_is_declared_is_in_force():
    declared = Resources(workers=7, threads=3, memory="2 GiB")
    with dt.config(resources=declared):
        assert current() is declared
        assert dt.plan(dt.ones(3)).resources is declared
    with dt.config(resources={"workers": 5, "memory": "1 GiB"}):
        assert current().workers == 5


def test_what_is_given_to_a_plan_goes_first():
    given = Resources(workers=9, memory="1 GiB")
    with dt.config(resources=Resources(workers=7)):
        assert dt.plan(dt.ones(3), resources=given).resources is given


def test_otherwise_it_is_this_machine(monkeypatch):
    monkeypatch.setattr(module, "live_client", lambda: None)
    assert current() == this_machine()
    assert str(current()).startswith("this machine, ")


class FakeClient:
    """A client of a cluster on this machine, whose workers are known."""

    cluster = object.__new__(LocalCluster)

    def __init__(self, *workers):
        self.workers = workers

    def scheduler_info(self, n_workers=5):
        names = range(len(self.workers) if n_workers == -1 else n_workers)
        return {"workers": {n: self.workers[n] for n in names}}


def test_a_live_client_counts(monkeypatch):
    worker = {"nthreads": 4, "memory_limit": 2**30}
    small = {"nthreads": 2, "memory_limit": 2**29}
    client = FakeClient(*[worker] * 6, small, small)
    monkeypatch.setattr(module, "live_client", lambda: client)
    assert current() == Resources(groups=[(2, 2, 2**29), (6, 4, 2**30)])
    monkeypatch.setattr(module, "live_client", lambda: FakeClient(*[worker] * 6))
    assert current() == Resources(workers=6, threads=4, memory=2**30)


def test_workers_without_threads_compute_nothing(monkeypatch):
    client = FakeClient({"nthreads": 0, "memory_limit": 2**20}, {"nthreads": 2, "memory_limit": 0})
    monkeypatch.setattr(module, "live_client", lambda: client)
    assert current() == Resources(workers=1, threads=2, memory=machine_memory())


def test_groups_add_up():
    r = Resources(groups=[(2, 2, "1 GiB"), (3, 8, "16 GiB"), (1, 2, 2**30)])
    assert (r.workers, r.slots, r.threads) == (6, 30, 8)
    assert (r.memory, r.total_bytes) == (2**30, 51 * 2**30)
    assert str(r) == "3 workers, 8 threads, 16.00 GiB each; 3 workers, 2 threads, 1.00 GiB each"


def test_one_group_is_none():
    assert Resources(groups=[(1, 4, "2 GiB"), (2, 4, "2 GiB")]) == Resources(3, 4, "2 GiB")


def test_a_task_fits_any_worker():
    large, small = (1, 32, "64 GiB"), (1, 1, "1 GiB")
    assert Resources(groups=[large, small]).task_bytes == Resources(1, 1, "1 GiB").task_bytes
    with dt.config(memory_limit="2 GiB"):
        assert Resources(groups=[large, small]).task_bytes == Resources(1, 32, "2 GiB").task_bytes


@pytest.mark.parametrize("wrong", [(0, 1, 5), (1, 0, 5), (1, 1, 0)])
def test_groups_have_workers(wrong):
    with pytest.raises(ArgumentError, match=r"of a group must be .* at least 1"):
        Resources(groups=[wrong])


def test_storage_and_messages_have_rates():
    r = Resources(store_bandwidth="10 GB/s", latency="250 ms")
    assert (r.store_bandwidth, r.latency) == (10**10, 0.25)
    assert (Resources().store_bandwidth, Resources().latency) == (None, None)
    r = Resources(worker_bandwidth="200 MB/s", store_latency="20 ms")
    assert (r.worker_bandwidth, r.store_latency) == (2 * 10**8, 0.02)
    assert (Resources().worker_bandwidth, Resources().store_latency) == (None, None)


def test_limits_are_by_name():
    assert Resources(limits={"license": 4, "disk": 0.5}).limits == {"disk": 0.5, "license": 4}
    assert Resources(limits={"license": 4}) != Resources(limits={"license": 5})


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"limits": {"license": 0}}, "limit of 'license' must be a positive number, not 0"),
        ({"limits": {"license": "4"}}, "limit of 'license' must be"),
        ({"latency": -1}, "latency must be"),
        ({"bandwidth": 0}, "bandwidth must be"),
        ({"store_bandwidth": "0 GB/s"}, "store_bandwidth must be"),
        ({"worker_bandwidth": 0}, "worker_bandwidth must be a number of bytes a second"),
        ({"store_latency": -1}, "store_latency must be a number of seconds"),
        ({"store_latency": float("nan")}, "store_latency must be a number of seconds"),
        ({"rates": {"speed": 1}}, "unknown rates"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(wrong, text):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=text):
        Resources(**wrong)


def test_limits_have_names():
    with pytest.raises(TypeError, match="3 is not a string"):
        Resources(limits={3: 1})


def test_workers_without_a_limit_have_the_memory_of_a_machine(monkeypatch):
    client = FakeClient({"nthreads": 1, "memory_limit": 0})
    monkeypatch.setattr(module, "live_client", lambda: client)
    assert current().memory == machine_memory()


def test_a_client_without_workers_counts_as_none(monkeypatch):
    monkeypatch.setattr(module, "live_client", FakeClient)
    assert current() == this_machine()


def test_seven_tenths_of_a_worker_are_planned_for():
    assert Resources(workers=2, memory="10 GiB").usable_bytes == 7 * 2**30
    assert this_machine().usable_bytes == machine_memory()


def test_workers_keep_what_their_processes_take_unless_they_are_filled():
    small = Resources(workers=2, threads=1, memory="500 MB")
    filled = replace(small, filled=True)
    assert (small.usable_bytes, filled.usable_bytes) == (250 * 10**6, 300 * 10**6)
    assert small.has_more
    assert not filled.has_more


@pytest.mark.parametrize("memory", ["100 MB", "8 GiB"])
def test_tiny_and_large_workers_have_no_more_to_fill(memory):
    assert not Resources(workers=2, threads=1, memory=memory).has_more


def test_a_small_process_keeps_little():
    assert Resources(memory="1 GB").kept_bytes == 10**8
    assert Resources(memory="100 GB").kept_bytes == 2**30
    with dt.config(kept_memory="3 GB"):
        assert Resources(memory="1 GB").kept_bytes == 3 * 10**9


def test_groups_have_names_that_differ():
    named = Resources(groups=[(1, 2, "1 GiB", "a"), (2, 2, "1 GiB", "b", 3.0), (1, 2, 2**30, "a")])
    assert [(g.place, g.workers, g.speed) for g in named.kinds] == [("b", 2, 3.0), ("a", 2, 1.0)]
    with pytest.raises(ValueError, match="not alike are called a"):
        Resources(groups=[(1, 2, "1 GiB", "a"), (1, 4, "1 GiB", "a")])


AMOUNT = [-5, nan, inf, -inf, "8 gigs", "", True, [1], 10**400]
NUMBER = [-1, 1.5, nan, "4", None, True, [1], 10**400]
WRONG = {
    "workers": [0, *NUMBER],
    "threads": [0, *NUMBER],
    "memory": AMOUNT,
    "bandwidth": [0, None, *AMOUNT],
    "gpus": NUMBER,
    "local": ["yes", None, 2, nan],
    "store_bandwidth": [0, *AMOUNT],
    "worker_bandwidth": [0, *AMOUNT],
    "store_latency": AMOUNT,
    "latency": AMOUNT,
    "limits": [None, 4, {"a": 0}, {"a": nan}, {"a": "4"}, {3: 1}, ["a"]],
    "groups": [4, "large", [4], [(1,)], [(1, 1, -5)], [(1.5, 1, 5)], [(1, 1, "8 gigs")],
               [(1, 1, 5, 7)], [(1, 1, 5, "a", nan)], [(1, 1, 5, "a", 0)]],
    "held": [-0.1, 0.9, "much", nan],
    "temporary_store": ["s3://bucket", None, 2],
    "filled": ["full", None, 2],
    "rates": [4, "nowhere.json", {"network": nan}, {"network": "fast"}, ["network"]],
    "gpu_memory": [0, *AMOUNT],
    "link_bandwidth": [0, *AMOUNT],
    "gpu_workers": [0, 1.5, nan, "4", True, [1]],
    "workers_per_host": [0, *NUMBER],
    "host_bandwidth": [0, *AMOUNT],
    "total_bandwidth": [0, *AMOUNT],
}  # fmt: skip


def test_every_argument_is_given_wrong_values_here():
    assert set(WRONG) == {field.name for field in fields(Resources)}


@pytest.mark.parametrize(("name", "wrong"), [(name, w) for name in WRONG for w in WRONG[name]])
def test_a_wrong_argument_is_refused_by_its_name(name, wrong):
    with pytest.raises(dt.TapestryError, match=name.removesuffix("s")) as error:
        Resources(**{name: wrong})
    assert isinstance(error.value, TypeError | ValueError)
    if name != "groups":  # of which workers and memory are counted anew
        with pytest.raises(type(error.value)):
            Resources(**{name: wrong}, groups=[(1, 2, "1 GiB")])


def test_a_worker_of_one_byte_is_too_small_and_no_division_by_zero():
    for tiny in (Resources(memory=1), Resources(groups=[(1, 1, 1), (1, 2, 1)])):
        with pytest.raises(dt.MemoryLimitError):
            dt.plan(dt.ones(9) + 1, resources=tiny).verify()


@pytest.mark.parametrize("cluster", [LocalCluster, SpecCluster, None])
def test_workers_that_this_machine_makes_have_a_place_for_what_they_cannot_hold(
    cluster, tmp_path, monkeypatch
):
    client = FakeClient({"nthreads": 1, "memory_limit": 2**30})
    client.cluster = cluster and object.__new__(cluster)
    has = cluster is LocalCluster
    monkeypatch.setattr(module, "live_client", lambda: client)
    monkeypatch.setattr(module, "lies_in_memory", lambda root: False)
    declared = Resources(workers=1, threads=1, memory="1 GiB")
    assert module.workers_of(client).temporary_store is has
    with dt.config(resources=declared):
        assert current().temporary_store is has
    with dt.config(temporary_store=tmp_path, resources=declared):
        assert module.workers_of(client).temporary_store
        assert current() == declared
    monkeypatch.setattr(module, "lies_in_memory", lambda root: True)
    assert not module.workers_of(client).temporary_store
    assert not this_machine().temporary_store


def test_workers_of_a_host_are_told():
    assert str(Resources(4, 2, "1 GiB", workers_per_host=2)).endswith("each, 2 on each host")
    assert "host" not in str(Resources(2, 2, "1 GiB", workers_per_host=2))
