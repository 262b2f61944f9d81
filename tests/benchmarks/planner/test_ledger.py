"""The count of what a plan takes equals what its lowered graph has, and what hands can count."""

from types import SimpleNamespace

import pytest

import dask_tapestry as dt
from benchmarks.planner.ledger import _idle, ledger
from dask_tapestry.lower.symbolic_layer import SymbolicLayer

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def counted(*roots, resources=FOUR):
    plan = dt.plan(*roots, resources=resources)
    return plan, ledger(plan.core)


def stored(shape, chunks=None):
    return dt.placeholder(shape, "f8", chunks)


def programs():
    x = stored((4000, 4000), (500, 500))
    yield (x.rechunk((500, 4000)).rechunk((4000, 500)),)
    yield ((x - x.mean(axis=0)).sum(axis=1),)
    yield (x @ x,)
    yield (x + x.T, x.max())


@pytest.mark.parametrize("roots", list(programs()))
def test_tasks_are_those_of_the_graph(roots):
    plan, found = counted(*roots)
    graph = plan.graph()
    layers = [layer for layer in graph.layers.values() if isinstance(layer, SymbolicLayer)]
    gathers = len(roots)
    assert found.tasks + gathers == sum(len(dict(layer)) for layer in layers)


def test_each_worker_takes_a_block_of_another_once():
    x = stored((4000, 4000), (500, 500))
    _, found = counted(x.rechunk((1000, 4000)).rechunk((4000, 1000)))
    assert found.read == x.nbytes
    assert found.moved == x.nbytes * 3 / 4  # a quarter lies where it is needed
    assert found.edges == 2 * 16  # 16 slices, each of one block and read by one
    assert found.read_of(x.node) == x.nbytes
    assert not found.sampled


def test_chunks_are_read_whole():
    x = stored((4000, 4000), (500, 500))
    _, found = counted(x[:501, :10].rechunk((501, 10)))
    assert found.read == 2 * 500 * 500 * 8


def test_blocks_of_a_large_step_are_sampled():
    x = stored((10**6, 10**6), (1000, 1000))
    _, found = counted(dt.to_zarr(x.rechunk((2000, 1000)), "nowhere", compute=False))
    assert found.sampled
    assert found.read == pytest.approx(x.nbytes, rel=0.01)


def test_a_last_wave_that_few_slots_work_in_is_idle_time():
    nine = {"blocks": 9, "compute": 10.0, "network": 1.0, "store": 2.0, "overhead": 0.9}
    slots = SimpleNamespace(slots=8, workers=4)

    def idle(multithreaded=False, **others):
        program = SimpleNamespace(multithreaded=multithreaded)
        step = SimpleNamespace(cost=SimpleNamespace(**nine | others), program=program)
        return _idle(step, slots)

    assert idle() == pytest.approx(10 - 10 * 9 / 16 - 0.9 * 7 / 9)
    assert idle(blocks=16) == 0
    assert idle(store=12.0) == 0  # which is waited for
    assert idle(overhead=9.0) == 0  # of tasks
    assert idle(blocks=4) > 0
    assert idle(blocks=4, multithreaded=True) == 0  # each has a worker's threads


def test_the_share_is_of_the_predicted_seconds():
    x = stored((9000, 1000), (1000, 1000))
    _, found = counted(dt.to_zarr(x.rechunk((1000, 1000)), "nowhere", compute=False))
    assert 0 <= found.idle_share() < 1
