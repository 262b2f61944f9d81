"""Results that come from a cluster block by block."""

import os
from functools import partial
from time import monotonic, sleep

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster, get_client, worker_client

import dask_tapestry as dt
from dask_tapestry.lower import fetch
from dask_tapestry.lower.layers import GatherLayer
from dask_tapestry.planner.memory.result_transfer import gathered
from tests.covering import seeds_of
from tests.lower.sources import Failing

OPTIONS = {"processes": False, "dashboard_address": ":0", "n_workers": 2, "threads_per_worker": 1}
CELLS = np.arange(2400.0).reshape(40, 60)


@pytest.fixture(scope="module")
def client():
    with Client(**OPTIONS) as client:
        yield client


@pytest.fixture(params=[fetch.BYTES_ASKED_TOGETHER, 1000], ids=["at once", "a few at a time"])
def together(request, monkeypatch):
    """How many bytes of blocks come at a time."""
    monkeypatch.setattr(fetch, "BYTES_ASKED_TOGETHER", request.param)


@pytest.fixture(params=[1, 3], ids=["one round", "three rounds"])
def rounds(request, monkeypatch):
    """In how many rounds blocks are computed."""
    monkeypatch.setattr(fetch, "rounds_that_fit", lambda plan: request.param)


class Forbidden(GatherLayer):
    """A task that joins a result on a worker, where none should."""

    def task(self, index):
        raise AssertionError("a result was joined on a worker")


def pairs(seed):
    """Arrays of many kinds in odd chunks, and their values."""
    draw = np.random.default_rng(seed)
    shape = tuple(draw.integers(1, 30, draw.integers(0, 4)))
    kind = draw.choice(["f8", "i2", "?", "c16", "M8[s]", "S3", "U2", "O", "record", "sub", "F"])
    cells = draw.integers(0, 99, shape)
    if kind in ("record", "sub"):
        value = np.empty(shape, np.dtype([("a", "i4"), ("b", "f8", (2,) if kind == "sub" else ())]))
        value["a"], value["b"] = cells, cells[..., None] if kind == "sub" else cells
    else:
        value = np.asfortranarray(cells) if kind == "F" else np.asarray(cells).astype(kind)
    chunks = tuple(int(draw.integers(1, n + 1)) for n in shape)
    x = dt.from_array(value, chunks=chunks)
    return [(x, value), (x[::2].T, value[::2].T)] if shape else [(x, value)]


def same(found, value):
    """Compare a result with NumPy's: cells, dtype and shape; that of one object is the object."""
    found = np.asarray(found, object) if value.dtype == object else found
    assert (found.dtype, found.shape) == (value.dtype, value.shape)
    np.testing.assert_array_equal(found, value)


@pytest.mark.usefixtures("client")
def test_what_comes_is_what_the_plan_says(monkeypatch):
    came = []
    take = fetch._FetchedResult.take
    monkeypatch.setattr(
        fetch._FetchedResult,
        "take",
        lambda self, at, block: (came.append(block), take(self, at, block)),
    )
    x = dt.from_array(np.ones((4000, 500)), chunks=(500, 500))
    for y in (x.rechunk((500, -1)) + 1, x.sum(axis=0), x.T.rechunk((100, 1000))):
        came.clear()
        plan = dt.plan(y)
        same(plan.compute(), np.asarray(y))
        expected = plan.cost["result_bytes"], gathered(plan.core).blocks
        half = len(came) // 2  # computed twice: here, and as an array
        assert (sum(block.nbytes for block in came[:half]), half) == expected


@pytest.mark.covering
@pytest.mark.parametrize("seed", seeds_of(range(12), 3))
@pytest.mark.usefixtures("client", "together", "rounds")
def test_arrays_of_any_kind_are_numpys(seed, monkeypatch):
    """They are written in the order of memory that they have on one machine, too."""
    monkeypatch.setattr("dask_tapestry.lower.graph.GatherLayer", Forbidden)
    asked = [pair for n in range(3) for pair in pairs(3 * seed + n)]
    for found, (_, value) in zip(dt.compute(*[x for x, _ in asked]), asked, strict=True):
        same(found, value)
    x, value = asked[0]
    found, alone = x.compute(), x.compute(scheduler="threads")
    same(found, value)
    assert getattr(found, "strides", ()) == getattr(alone, "strides", ())


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.usefixtures("client", "together", "rounds")
def test_steps_that_share_work_and_effects(tmp_path):
    x = dt.from_array(CELLS, chunks=(7, 9))
    base = (x - x.mean(axis=0)).rechunk((40, 7))
    write = dt.to_zarr(base, tmp_path / "x.zarr", chunks=(40, 7), compute=False)
    asked = [base, base.T + 1, write, x.sum(), {"twice": [base, x.rechunk((5, 60))]}]
    first, second, nothing, total, inside = dt.compute(*asked)
    value = CELLS - CELLS.mean(axis=0)
    np.testing.assert_allclose(first, value)
    np.testing.assert_allclose(second, value.T + 1)
    assert (nothing, total) == (None, CELLS.sum())
    np.testing.assert_array_equal(inside["twice"][1], CELLS)
    np.testing.assert_array_equal(inside["twice"][0], first)
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x.zarr").compute(), first)


@pytest.mark.usefixtures("client")
def test_parts_of_rounds_are_computed_while_others_are_fetched(monkeypatch):
    """No more than a round has is underway, and all of it once the first is fetched."""
    monkeypatch.setattr(fetch, "rounds_that_fit", lambda plan: 5)
    begun, seen = [], []
    rounds_of, take = fetch.rounds_of, fetch._take

    def counted(*args):
        for one in rounds_of(*args):
            yield one
            begun.append(one.name)

    def taken(one, *args):
        seen.append(len(begun) - len(seen))
        take(one, *args)

    monkeypatch.setattr(fetch, "rounds_of", counted)
    monkeypatch.setattr(fetch, "_take", taken)
    x = (dt.from_array(CELLS, chunks=(2, 60)) * 2).rechunk((2, 60))
    same(x.compute(), CELLS * 2)
    assert max(seen) == min(seen[: len(begun) - 4]) == fetch.parts_underway([range(20)], 5) == 4


@pytest.mark.usefixtures("client", "together")
def test_beside_collections_of_other_kinds():
    x = dt.from_array(CELLS, chunks=(7, 9))
    masked = dt.ma.masked_greater(x, 100)
    found = dt.compute(x + 1, da.ones(3, chunks=2), masked, dask.delayed(abs)(-2), 7)
    same(found[0], CELLS + 1)
    same(found[1], np.ones(3))
    np.testing.assert_array_equal(found[2].mask, CELLS > 100)
    assert found[3:] == (2, 7)
    np.testing.assert_array_equal(masked.compute().filled(-1), np.where(CELLS > 100, -1, CELLS))


@pytest.mark.usefixtures("client", "together")
def test_sparse_results():
    sparse = pytest.importorskip("sparse")
    value = np.where(CELLS % 7, 0, CELLS)
    x = dt.from_array(value, chunks=(7, 9)).map_blocks(sparse.COO)
    found = x.compute()
    assert isinstance(found, sparse.COO)
    np.testing.assert_array_equal(found.todense(), value)


def test_what_is_kept_on_workers_is_copied(client):
    x = dt.from_array(CELLS.copy()).rechunk((40, 60)).persist()
    x.compute()[:] = -1
    same(x.compute(), CELLS)
    assert client.status == "running"


@pytest.mark.few(2)  # as unlike as so many can be
def test_values_go_from_workers_as_they_are_fetched(client, monkeypatch, together, rounds):
    seen = []
    taken = fetch._FetchedResult.take

    def take(result, index, block):
        seen.append(index)
        taken(result, index, block)

    monkeypatch.setattr(fetch._FetchedResult, "take", take)
    same((dt.from_array(CELLS, chunks=(7, 9)) * 2).rechunk((7, 9)).compute(), CELLS * 2)
    assert sorted(seen) == sorted(np.ndindex(6, 7))
    until = monotonic() + 10
    while client.run_on_scheduler(count_tasks) and monotonic() < until:
        sleep(0.01)
    assert client.run_on_scheduler(count_tasks) == 0


def count_tasks(dask_scheduler):
    """Tasks that a scheduler knows."""
    return len([key for key in dask_scheduler.tasks if str(key).startswith("('multiply")])


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.usefixtures("client", "together", "rounds")
def test_errors_are_the_tasks_own():
    x = dt.from_array(Failing((4, 2)), chunks=(2, 2)).rechunk((1, 2))
    for compute in (x.compute, partial(dt.compute, x, dt.ones(3)), x.plan().compute):
        with pytest.raises(OSError, match="on fire") as caught:
            compute()
        assert "while computing array(" in str(caught.value)


def test_in_a_task_and_with_options(client):
    def task():
        get_client()
        return float(dt.from_array(CELLS, chunks=(7, 9)).sum().compute())

    assert client.submit(task, pure=False).result() == CELLS.sum()
    x = dt.from_array(CELLS, chunks=(7, 9)) + 1
    worker = next(iter(client.scheduler_info()["workers"]))
    same(x.compute(workers=[worker], priority=3, retries=1), CELLS + 1)
    same(x.compute(scheduler="distributed"), CELLS + 1)
    same(x.compute(scheduler=client), CELLS + 1)
    same(x.compute(scheduler="threads"), CELLS + 1)


def test_a_task_that_has_left_its_thread_does_not_take_it_back():
    """Else what it asks the cluster for later waits for a thread that it has itself."""

    def task():
        with worker_client() as client:
            whole = float(dt.from_array(CELLS, chunks=(7, 9)).sum().compute())
            return whole + client.submit(abs, -1, pure=False).result(timeout=20)

    # in a process of its own: the client of a task stays the default of the process
    with Client(**{**OPTIONS, "n_workers": 1, "processes": True}) as client:
        assert client.submit(task, pure=False).result(timeout=60) == CELLS.sum() + 1


@pytest.mark.usefixtures("rounds")
def test_of_a_compute_that_failed_nothing_is_kept(client):
    """Not while its error is at hand, either."""
    failing = partial(_fails_at, 30)
    x = dt.from_array(CELLS, chunks=(10, 60)).rechunk((40, 10)).rechunk((10, 60))
    x = x.map_blocks(failing, dtype="f8")
    with pytest.raises(OSError, match="on fire") as caught:
        x.compute()
    assert caught.value.__traceback__ is not None
    client.sync(_nothing)  # when the client's loop has done what it was asked before
    assert not client.futures


async def _nothing():
    pass


def _fails_at(row, block):
    if block[0, 0] == CELLS[row, 0]:
        raise OSError("the disk is on fire")
    return block


@pytest.mark.usefixtures("client")
def test_a_result_that_this_process_has_no_room_for_is_refused(monkeypatch):
    monkeypatch.setattr(fetch, "free_memory", lambda: 10**9)
    for x in (dt.ones(2 * 10**8), dt.ones(10**12)):
        with pytest.raises(dt.MemoryLimitError, match=r"results_fit_the_client.*persist.*to_zarr"):
            x.compute()
    assert dt.ones(10**9).sum().compute() == 10**9


@pytest.mark.cluster
def test_results_larger_than_a_worker():
    """Of 320 MB on workers of 600 MB; what joins it on one is refused before the first task."""
    options = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": "600 MB"}
    with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster) as client:
        pids = client.run(process_id)
        x = dt.arange(4 * 10**7).reshape(4000, 10_000)
        found = x.compute()
        assert found[-1, -1] == 4 * 10**7 - 1
        assert (np.diff(found.ravel()) == 1).all()
        for refused in (client.compute, partial(dask.compute, da.ones(1)), dask.compute):
            with pytest.raises(dt.MemoryLimitError, match=r"persist.*to_zarr"):
                refused(x)
        larger = dt.arange(11 * 10**7).reshape(11_000, 10_000)  # than both together may hold
        with pytest.raises(dt.MemoryLimitError):
            larger.persist()
        found = (larger + 1).compute()
        assert (found[0, 0], found[-1, -1]) == (1, 11 * 10**7)
        assert (found.sum(axis=1) == larger.sum(axis=1).compute() + 10_000).all()
        assert client.run(process_id) == pids


def process_id():
    """Of a worker."""
    return os.getpid()
