"""Bulk exchanges that run: blocks of one grid, sent in parts, become blocks of another."""

import logging
import os
import pickle
import signal
import time
from random import Random

import dask
import dask.array as da
import dask.graph_manipulation
import numpy as np
import pytest
from distributed import Client, futures_of, wait

import dask_tapestry as dt
from dask_tapestry.lower.bulk_exchange_layers import ReceiveLayer, SendLayer, WaitLayer
from dask_tapestry.lower.graph import Lowering
from dask_tapestry.lower.materialize import materialize
from tests.planner.enumerated import any_exchange, any_saving
from tests.planner.small_steps import random_cuts

OPTIONS = {"processes": False, "dashboard_address": ":0", "n_workers": 3, "threads_per_worker": 1}
CELLS = np.arange(24.0 * 30).reshape(24, 30)


@pytest.fixture(scope="module")
def client():
    told = logging.getLogger("distributed.shuffle")
    level = told.level
    told.setLevel(logging.ERROR)  # it warns of each exchange that begins and ends
    with Client(**OPTIONS) as client:
        yield client
    told.setLevel(level)


@pytest.fixture(autouse=True)
def small_exchanges():
    with any_saving() as saving, any_exchange():
        saving(1)
        yield


def kept(cells, chunks):
    """An array whose blocks lie on workers."""
    x = dt.asarray(cells).rechunk(chunks).persist()
    wait(futures_of(x))
    return x


def slowly(block):
    """The block, later."""
    time.sleep(0.2)
    return block


def exchanges(value):
    """How many inputs of steps are exchanged in bulk."""
    return sum(step.cost.parts > 0 for step in dt.plan(value).core.steps.values())


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("make", "chunks"),
    [
        (lambda x: x.rechunk((-1, 4)), (3, -1)),
        (lambda x: (x.T * 2).rechunk((-1, 5)), (-1, 4)),
        (lambda x: dt.cumsum(x, axis=0).rechunk((-1, 4)), (3, -1)),
        (lambda x: x.rechunk((12, 5)), (4, 10)),
        (lambda x: x.rechunk((7, 11)), (4, 9)),
    ],
    ids=["columns", "transposed", "sums", "spans", "uneven"],
)
def test_values_are_numpys(client, make, chunks):
    x = kept(CELLS, chunks)
    y = make(x)
    assert exchanges(y) == 1
    expected = make(dt.asarray(CELLS)).compute(scheduler="sync")
    np.testing.assert_array_equal(y.compute(), expected)


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", ["i1", "?", "c8", "M8[s]", "U3"])
def test_cells_of_all_plain_kinds(client, dtype):
    cells = (CELLS % 100).astype("i8").astype(dtype)
    x = kept(cells, (3, -1)).rechunk((-1, 4))
    assert exchanges(x) == 1
    found = x.compute()
    assert found.dtype == cells.dtype
    np.testing.assert_array_equal(found, cells)


def test_any_grid_becomes_any_other(client):
    found = 0
    for seed in range(12):
        random = Random(seed)
        shape = tuple(random.choice((8, 20, 31)) for _ in range(random.randint(1, 3)))
        cuts = [tuple(tuple(random_cuts(random, n).lengths()) for n in shape) for _ in range(2)]
        cells = np.arange(float(np.prod(shape))).reshape(shape)
        x = kept(cells, cuts[0])
        y = (x * 2).rechunk(cuts[1])
        found += exchanges(y)
        np.testing.assert_array_equal(y.compute(), cells * 2, err_msg=str(seed))
    assert found > 6


def test_one_of_two_inputs_is_exchanged(client):
    x, z = kept(CELLS, (3, -1)), kept(CELLS + 1, (4, -1))
    y = (x * z).rechunk((-1, 5))
    np.testing.assert_array_equal(y.compute(), CELLS * (CELLS + 1))


def test_the_same_again(client):
    x = kept(CELLS, (3, -1))
    for _ in range(2):
        y = x.rechunk((-1, 4)).persist()
        np.testing.assert_array_equal(y.compute(), CELLS)
    np.testing.assert_array_equal(y.rechunk((3, -1)).compute(), CELLS)


def test_an_error_of_a_block_is_told(client):
    def fail(block):
        raise ValueError("no such block")

    x = dt.map_blocks(fail, kept(CELLS, (3, -1)), dtype="f8")
    with pytest.raises(dt.ComputeError, match="no such block"):
        x.rechunk((-1, 4)).compute()


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_without_workers_of_distributed_blocks_are_sliced(client, scheduler):
    x = dt.asarray(CELLS).rechunk((3, -1))
    y = ((x + 1).rechunk((-1, 4)) * 2).rechunk((3, -1))
    plan = dt.plan(y, resources=dt.Resources(workers=4, threads=1, memory="1 GiB"))
    assert any(step.cost.parts for step in plan.core.steps.values())
    np.testing.assert_array_equal(plan.compute(scheduler=scheduler), (CELLS + 1) * 2)


def test_a_graph_that_others_change_has_slices(client):
    x = kept(CELLS, (3, -1))
    y = x.rechunk((-1, 4))
    assert exchanges(y) == 1
    again = dask.graph_manipulation.clone(y)
    np.testing.assert_array_equal(again.compute(), CELLS)
    both = dask.compute(y, da.from_array(CELLS, chunks=5) + 1, x.rechunk((-1, 5)))
    for found, expected in zip(both, (CELLS, CELLS + 1, CELLS), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_layers_list_their_tasks_and_pickle(client):
    x = kept(CELLS, (4, 10))
    lowered = Lowering(dt.plan((x + 1).rechunk((12, 5))).core, None).lower(final=False)
    layers = {type(own): own for own in lowered.graph.layers.values()}
    send, waiting, receive = (layers[kind] for kind in (SendLayer, WaitLayer, ReceiveLayer))
    assert (len(send), len(waiting), len(receive)) == (6 * 3, 2 * 3, 2 * 6)
    keys = [key for row in lowered.keys[0] for key in row]
    tasks = materialize(lowered.graph, keys)
    for layer in (send, waiting, receive):
        again = pickle.loads(pickle.dumps(layer))
        assert list(again) == list(layer)
        for key in layer:
            assert key in layer
            assert layer[key].dependencies == tasks[key].dependencies
        for other in ("shuffle-barrier-x.0-0", ("other", 0), f"{layer.name}.9-9", 3):
            assert other not in layer


def test_a_lost_worker_is_made_up_for():
    with Client(n_workers=3, threads_per_worker=1, dashboard_address=":0") as client:
        x = dt.asarray(CELLS).rechunk((3, -1)).map_blocks(slowly, dtype="f8")
        y = x.rechunk((-1, 4))
        assert exchanges(y) == 1
        y = y.persist()
        time.sleep(0.5)
        pids = client.run(os.getpid)
        os.kill(next(iter(pids.values())), signal.SIGKILL)
        np.testing.assert_array_equal(y.compute(), CELLS)
        os.kill(client.run(os.getpid).popitem()[1], signal.SIGKILL)
        np.testing.assert_array_equal(y.compute(), CELLS)
