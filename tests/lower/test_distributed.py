"""A Dask client: what it takes, what it gives back, and which of several is used."""

import asyncio
import sys

import dask
import dask.array as da
import numpy as np
import pytest
import zarr
from distributed import Client, futures_of, wait

import dask_tapestry as dt
from dask_tapestry.planner.machine.resources import Resources, current

from .sources import Failing, Recorded, add_one, causes, total

CELLS = np.arange(100.0).reshape(10, 10)
OPTIONS = {"processes": False, "dashboard_address": ":0", "n_workers": 2, "threads_per_worker": 1}


@pytest.fixture(scope="module")
def client():
    with Client(**OPTIONS) as client:
        yield client


@pytest.fixture
def x(client):
    return (dt.asarray(CELLS) + 1).rechunk((5, 5))


def test_compute(x):
    np.testing.assert_array_equal(x.compute(), CELLS + 1)
    assert x.sum().compute() == CELLS.sum() + 100


def test_client_compute(client, x):
    future = client.compute(x)
    np.testing.assert_array_equal(future.result(), CELLS + 1)
    assert client.compute(x.sum(), sync=True) == CELLS.sum() + 100


def test_client_compute_of_several_keeps_their_order(client, x):
    asked = [x.sum(), da.ones(3, chunks=2), x.max(), dask.delayed(add_one)(1)]
    first, second, third, fourth = client.gather(client.compute(asked))
    assert (first, third, fourth) == (CELLS.sum() + 100, 100, 2)
    np.testing.assert_array_equal(second, np.ones(3))


def test_persist_leaves_blocks_on_the_workers(client, x):
    held = client.persist(x)
    wait(held)
    assert len(futures_of(held)) == 4
    assert all(f.status == "finished" for f in futures_of(held))
    assert held.chunks == x.chunks
    assert sum(len(w) for w in client.who_has(held).values()) >= 4


@pytest.mark.parametrize("persist", ["client.persist", "dask.persist", "x.persist"])
def test_persisted_arrays_are_computed_with(client, x, persist):
    ways = {
        "client.persist": lambda: client.persist(x),
        "dask.persist": lambda: dask.persist(x)[0],
        "x.persist": x.persist,
    }
    held = ways[persist]()
    np.testing.assert_array_equal(held.compute(), CELLS + 1)
    assert (held + held[::-1]).sum().compute() == 2 * (CELLS.sum() + 100)
    np.testing.assert_array_equal(client.compute(held[2:3]).result(), CELLS[2:3] + 1)


def test_persisted_arrays_are_persisted_again(client, x):
    again = client.persist(client.persist(x) * 2)
    np.testing.assert_array_equal(again.compute(), 2 * CELLS + 2)


def test_several_are_persisted_together(client, x, tmp_path):
    source = Recorded(CELLS, tmp_path / "reads")
    y = dt.from_array(source)
    first, second = client.persist([y + 1, y.sum()])
    assert second.compute() == CELLS.sum()
    np.testing.assert_array_equal(first.compute(), CELLS + 1)
    assert len(source.reads) == 1


def test_shared_work_is_done_once(client, tmp_path):
    source = Recorded(CELLS, tmp_path / "reads")
    y = dt.from_array(source)
    assert dask.compute(y.sum(), da.ones(2).sum(), y.max()) == (CELLS.sum(), 2, 99)
    assert len(source.reads) == 1


def test_persisted_and_not_are_joined(client, x):
    held = client.persist(x)
    np.testing.assert_array_equal((held + dt.asarray(CELLS)).compute(), 2 * CELLS + 1)


def test_large_arrays_in_memory_come_to_the_workers(client):
    data = np.arange(600_000.0)
    y = dt.asarray(data)
    assert client.compute((y + 1).sum()).result() == data.sum() + len(data)
    assert dask.compute(y.max(), y.min()) == (data.max(), 0)
    np.testing.assert_array_equal((y[::-1] * 2).compute(), data[::-1] * 2)


def test_a_dask_array_in_between(client, x):
    d = x.to_dask_array() + 1
    np.testing.assert_array_equal(dt.from_dask_array(d).compute(), CELLS + 2)
    held = client.persist(d)
    np.testing.assert_array_equal((dt.from_dask_array(held) * 2).compute(), 2 * CELLS + 4)


def test_delayed_takes_arrays(x):
    assert dask.delayed(total)([x, x]).compute() == 2 * (CELLS.sum() + 100)


def test_to_delayed(client, x):
    block = x.to_delayed()[1, 0]
    np.testing.assert_array_equal(client.compute(block).result(), CELLS[5:, :5] + 1)


def test_futures_of_blocks_are_arrays(client, x):
    blocks = client.gather(futures_of(client.persist(x)))
    assert all(isinstance(block, np.ndarray) for block in blocks)
    assert {block.shape for block in blocks} == {(5, 5)}


def test_another_scheduler_may_be_asked_for(client, x):
    before = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter)
    for scheduler in ("threads", "sync"):
        np.testing.assert_array_equal(x.compute(scheduler=scheduler), CELLS + 1)
        large = dt.asarray(np.ones(300_000))
        assert (large + 1).sum().compute(scheduler=scheduler) == 600_000
    after = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter)
    assert after - before < 50, "the tasks did not run on the cluster"


def test_an_error_says_where_it_happened(client):
    y = dt.from_array(Failing((4, 2))) + 1
    with pytest.raises(OSError, match="on fire") as caught:
        y.compute()
    notes = str(caught.value)
    assert "while computing array(" in notes
    assert "block [0:4, 0:2] of float64[4, 2]" in notes
    assert __file__ in notes


class OfTwo(Exception):
    def __init__(self, name, number):
        super().__init__(f"{name} {number}")


def exits(_block):
    sys.exit("enough")


def raises_of_two(_block):
    raise OfTwo("chapter", 7)


FAILING = {exits: "SystemExit: enough", raises_of_two: "OfTwo: chapter 7"}


@pytest.mark.parametrize("function", FAILING)
def test_an_error_that_cannot_travel_or_ends_workers_says_where_it_happened(client, function):
    workers = set(client.scheduler_info()["workers"])
    with pytest.raises(dt.errors.ComputeError, match=FAILING[function]) as raised:
        dt.map_blocks(function, dt.ones((4, 4)), dtype="f8").compute()
    assert f"in {function.__name__}" in str(raised.value)
    assert set(client.scheduler_info()["workers"]) == workers


def test_an_error_can_be_fetched_from_a_future(client):
    future = client.compute(dt.from_array(Failing((4, 2))).sum())
    assert isinstance(future.exception(), OSError)


def test_a_class_of_a_function_travels(client):
    class Local:
        shape, dtype = (3,), np.dtype("f8")

        def __getitem__(self, key):
            return np.arange(3.0)[key]

    assert dt.from_array(Local()).sum().compute() == 3


def test_a_write(client, x, tmp_path):
    dt.to_zarr(x, tmp_path / "x.zarr", chunks=(4, 10))
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x.zarr")[:], CELLS + 1)


def test_a_write_to_the_memory_of_this_process_is_refused(client, x):
    with pytest.raises((dt.StoreError, TypeError)) as caught:
        dt.to_zarr(x, zarr.storage.MemoryStore())
    assert "another process" in causes(caught.value)


def test_plans_are_made_for_the_workers_of_the_client(client):
    resources = current()
    assert (resources.workers, resources.threads) == (2, 1)
    assert not resources.local
    assert dt.plan(dt.ones(3)).resources == resources


def test_names_on_the_dashboard_are_those_of_steps(client, x):
    held = client.persist(x)
    wait(held)
    groups = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes))
    assert "add" in groups
    assert not any("tapestry" in name for name in groups)


def test_a_client_that_is_not_the_default():
    with Client(**OPTIONS, set_as_default=False) as other:
        large = dt.asarray(np.ones(300_000))
        assert other.compute((large + 1).sum()).result() == 600_000
        held = other.persist(large * 2)
        assert other.compute(held.sum()).result() == 600_000


async def asynchronous_work():
    """Compute, persist and compute again in a client that never blocks."""
    async with Client(**OPTIONS, asynchronous=True) as client:
        x = (dt.asarray(CELLS) + 1).rechunk((5, 5))
        first = await client.compute(x.sum())
        large = await client.compute((dt.asarray(np.ones(300_000)) + 1).sum())
        held = client.persist(x)
        await wait(held)
        return first, large, await client.compute(held.sum()), repr(x), current()


def test_an_asynchronous_client():
    first, large, again, text, machines = asyncio.run(asynchronous_work())
    assert (machines.workers, machines.threads, machines.local) == (2, 1, False)
    assert first == again == CELLS.sum() + 100
    assert large == 600_000
    assert "4 blocks of (5, 5)" in text


def test_without_workers_a_plan_is_made_for_this_machine():
    with Client(**(OPTIONS | {"n_workers": 0})):
        assert isinstance(current(), Resources)
        assert current().local
