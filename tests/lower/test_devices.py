"""Jobs on a device, end to end: stores, kept values, products, clusters that have devices."""

import sys
from collections import Counter

import dask
import numpy as np
import pytest
import zarr
from distributed import Client, LocalCluster, wait

import dask_tapestry as dt
from dask_tapestry.caches import clear_caches
from dask_tapestry.lower.device_turns import DeviceUse, on_a_device
from dask_tapestry.planner.machine.resources import current
from dask_tapestry.planner.memory.memory import WorkerMemory
from dask_tapestry_kernels import device_transfers
from dask_tapestry_kernels.block_format import on_cuda
from tests.cupy_stand_in import pools, synchronized, transfers

CELLS = np.random.default_rng(0).normal(size=(40, 30))
ON_DEVICE = {
    "formula": lambda np, x: np.sin(x) * 2 + x,
    "sum": lambda np, x: x.sum(axis=0),
    "mean of all": lambda np, x: x.mean(),
    "variance": lambda np, x: x.var(axis=1),
    "argmax": lambda np, x: x.argmax(axis=0),
    "selectors": lambda np, x: np.flip(x[3:17, ::2].T, 0),
    "join": lambda np, x: np.concatenate([x, x[:5] + 1]),
    "product": lambda np, x: x.T @ x,
    "scan": lambda np, x: np.cumsum(x, axis=1),
    "sort": lambda np, x: np.sort(x, axis=0),
    "mask": lambda np, x: x[x > 0],
    "gather": lambda np, x: x[np.asarray([3, 1, 3])],
    "outputs": lambda np, x: np.linalg.qr(x)[1] ** 2,
    "no cells": lambda np, x: x[:, :0] * 2,
    "no rows and cells": lambda np, x: np.concatenate([x[:0], x[:2]]),
    "with the host's cells": lambda np, x: x + CELLS[0],
}


def cells(result):
    """The cells of a result, which must be an array on a device."""
    assert type(result).__module__ == "cupy", type(result)
    return result.get()


@pytest.fixture(params=["all kernels", "some kernels", "no kernels"])
def some_kernels(request, device_kernels):
    names = {"some kernels": {"map", "reduce", "view"}, "no kernels": set()}.get(request.param)
    device_kernels.names = device_kernels.names if names is None else names
    clear_caches()  # of programs it is remembered what a device has no kernel for
    yield device_kernels
    clear_caches()


@pytest.mark.few(8)  # as unlike as so many can be
@pytest.mark.parametrize("name", ON_DEVICE)
def test_what_is_computed_on_a_device_stays_there(name, some_kernels):
    x = dt.asarray(CELLS, chunks=(15, 11)).to_device("cuda")
    made = ON_DEVICE[name](dt, x)
    assert made.device == "cuda"
    np.testing.assert_allclose(cells(made.compute()), ON_DEVICE[name](np, CELLS), rtol=1e-12)


@pytest.mark.few(3)  # ways to cut
@pytest.mark.parametrize("name", ["formula", "sum", "scan", "join", "sort"])
def test_bits_are_those_of_the_host_however_it_is_cut(name, some_kernels, shardings):
    wanted = ON_DEVICE[name](dt, dt.asarray(CELLS)).compute()
    for cuts in shardings.cuts(CELLS.shape, 4):
        x = dt.asarray(CELLS).to_device("cuda").rechunk(cuts)
        assert cells(ON_DEVICE[name](dt, x).compute()).tobytes() == wanted.tobytes()


@pytest.mark.few(8)  # as unlike as so many can be
@pytest.mark.parametrize("name", [n for n in ON_DEVICE if n != "mask"])
def test_what_crosses_the_link_is_what_the_plan_says(name, some_kernels, tmp_path):
    """Of cuts that are not even, too; a mask's cells are counted by another plan."""
    dt.to_zarr(dt.asarray(CELLS).rechunk((16, 30)), tmp_path / "a.zarr")
    for x in (dt.from_zarr(tmp_path / "a.zarr"), dt.asarray(CELLS, chunks=(15, 11))):
        for layout in ((7, 30), (40, 13)):
            made = ON_DEVICE[name](dt, x.to_device("cuda").rechunk(layout))
            plan = made.plan()
            transfers.clear()
            plan.compute()
            told = sum(step.cost.crossed for step in plan.core.steps.values())
            assert sum(size for _, size in transfers) == told


def test_stores_are_read_and_written_by_the_host(device_kernels, tmp_path):
    dt.to_zarr(dt.asarray(CELLS).rechunk((10, 30)), tmp_path / "a.zarr")
    transfers.clear()
    x = dt.from_zarr(tmp_path / "a.zarr").to_device("cuda")
    dt.to_zarr(np.sqrt(abs(x)) + 1, tmp_path / "b.zarr")
    assert zarr.open(tmp_path / "b.zarr")[:].tobytes() == (np.sqrt(abs(CELLS)) + 1).tobytes()
    assert sum(size for _, size in transfers) == 2 * CELLS.nbytes
    assert "map" in device_kernels.called


def test_an_array_of_cupys_is_an_array_on_its_device(device_kernels):
    cupy = sys.modules["cupy"]
    given = cupy.asarray(CELLS)
    transfers.clear()
    x = dt.asarray(given)
    assert x.device == "cuda"
    assert cells((x + 1).compute()).tobytes() == (CELLS + 1).tobytes()
    assert [way for way, _ in transfers] == ["to host"]  # by this test
    with cupy.cuda.Device(1):
        other = dt.asarray(cupy.asarray(CELLS))
    assert other.device == "cuda:1"
    with pytest.raises(dt.DeviceError, match="elementwise: arrays are on cuda and cuda:1"):
        x + other
    assert (other.to_device("cuda") + x).device == "cuda"


def test_persisted_values_stay_on_their_device(device_kernels):
    kept = (dt.asarray(CELLS).to_device("cuda") * 2).rechunk((10, 30)).persist()
    assert kept.device == "cuda"
    transfers.clear()
    found = kept.sum(axis=1).compute()
    assert not transfers
    np.testing.assert_array_equal(cells(found), dt.asarray(CELLS * 2).sum(axis=1).compute())


def test_functions_of_blocks_are_given_the_devices(device_kernels):
    seen = []

    def doubled(block):
        seen.append(type(block).__module__)
        return block * 2

    x = dt.asarray(CELLS).to_device("cuda")
    assert cells(x.map_blocks(doubled).compute()).tobytes() == (CELLS * 2).tobytes()
    assert set(seen) == {"cupy"}


def test_functions_of_masked_blocks_are_given_numpys(device_kernels):
    x = dt.asarray(CELLS).to_device("cuda")
    found = dt.ma.masked_greater(x, 0).map_blocks(lambda block: block * 2).compute()
    wanted = np.ma.masked_greater(CELLS, 0) * 2
    np.testing.assert_array_equal(np.ma.getmaskarray(found), np.ma.getmaskarray(wanted))
    np.testing.assert_array_equal(found.filled(7), wanted.filled(7))


def test_without_cupy_functions_are_tried_on_numpys_arrays():
    x = dt.asarray(CELLS).to_device("cuda").map_blocks(lambda block: block * 2)
    assert (x.device, x.dtype) == ("cuda", CELLS.dtype)


def test_a_clusters_devices_are_found_and_have_two_tasks_at_a_time(device_kernels):
    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            dashboard_address=":0",
            resources={"GPU": 1},
        ) as cluster,
        Client(cluster) as client,
    ):
        known = current()
        assert (known.gpus, known.device_workers) == (1, 1)
        x = dt.asarray(CELLS).to_device("cuda")
        kept = (x * 2).rechunk((10, 30)).persist()
        wait(kept)
        tasks = client.run_on_scheduler(
            lambda dask_scheduler: [t.resource_restrictions for t in dask_scheduler.tasks.values()]
        )
        assert tasks.count({"GPU": 0.5}) == 4
        assert cells((kept + 1).compute()).tobytes() == (CELLS * 2 + 1).tobytes()


LARGE = np.random.default_rng(1).normal(size=(600, 500))


@pytest.mark.parametrize("name", ["formula", "sum", "scan", "with the host's cells"])
def test_large_cells_cross_in_parts_through_pinned_memory(name, device_kernels, monkeypatch):
    monkeypatch.setattr(device_transfers, "BUFFER", 64 * 1024)
    monkeypatch.setattr(device_transfers, "LEAST_STAGED", 32 * 1024)
    monkeypatch.setattr(device_transfers, "_ways", {})
    device_kernels.names = {"map", "reduce", "view"}
    cells_ = LARGE[:, : CELLS.shape[1]] if name == "with the host's cells" else LARGE
    wanted = ON_DEVICE[name](dt, dt.asarray(cells_)).compute()
    x = dt.asarray(cells_).to_device("cuda").rechunk((100, -1))
    found = ON_DEVICE[name](dt, x).compute()
    assert max(size for _, size in transfers) <= 64 * 1024
    assert cells(found).tobytes() == wanted.tobytes()


def test_blocks_go_to_all_devices_of_a_worker(device_kernels):
    two = dt.Resources(workers=1, threads=4, memory="1 GiB", gpus=2, gpu_memory="1 GiB", local=True)
    with dt.config(resources=two):
        kept = (dt.asarray(LARGE).to_device("cuda") * 2).rechunk((50, 500)).persist()
        devices = Counter(block.device.id for block in dask_blocks(kept))
        assert set(devices) == {0, 1}
        assert cells((kept + 1).compute()).tobytes() == (LARGE * 2 + 1).tobytes()
        assert cells(kept.sum(axis=0).compute()).tobytes() == (
            dt.asarray(LARGE * 2).rechunk((50, 500)).sum(axis=0).compute().tobytes()
        )


def dask_blocks(x):
    source = next(node for node in x.teg if not node.inputs)
    return source.operator.graph.values()


def test_blocks_take_no_more_memory_of_a_device_than_the_plan_says(device_kernels):
    machine = dt.Resources(workers=1, threads=4, memory="1 GiB", gpu_memory="40 MB", local=True)
    with dt.config(resources=machine):
        x = dt.asarray(LARGE).to_device("cuda")
        plan = (np.sin(x) * 2 + x).plan()
        plan.verify()
        fullest = WorkerMemory(plan.core).fullest()
        (np.sin(x) * 2 + x).compute()
    (pool,) = pools
    assert pool.limits == {0: int(0.9 * 40e6)}
    assert (fullest.device, 0 < pool.most[0] <= fullest.bytes) == ("cuda", True)


def test_memory_of_a_device_that_ends_is_told_with_step_and_bytes(device_kernels):
    """As where a card has less than was declared, or others use it."""
    x = dt.asarray(LARGE).to_device("cuda") * 2
    small = dt.Resources(workers=1, memory="1 GiB", gpu_memory="2 MB", local=True)
    with pytest.raises(dt.MemoryLimitError, match="on one cuda device of a worker"):
        x.plan(resources=small).verify()
    spec = DeviceUse("", None, 1, 2, 2**20, "multiply")
    ended = r"(?s)Out of memory allocating 2,400,000 bytes.*while a device computed multiply"
    with pytest.raises(dt.DeviceError, match=ended), on_a_device(spec):
        on_cuda().empty(LARGE.shape, LARGE.dtype)


def test_each_thread_waits_for_its_own_stream_alone(device_kernels):
    x = dt.asarray(LARGE).to_device("cuda").rechunk((50, 500))
    kept = (x * 2).persist(scheduler="threads")
    assert len(synchronized) >= 12
    assert not any(stream.is_default for stream in synchronized)
    assert cells(kept.compute()).tobytes() == (LARGE * 2).tobytes()


def test_arrays_of_cupys_are_operands_and_places(device_kernels):
    cupy = sys.modules["cupy"]
    x = dt.asarray(CELLS)
    for made in (x + cupy.asarray(CELLS), cupy.asarray(CELLS) + x, np.add(cupy.asarray(CELLS), x)):
        assert made.device == "cuda"
        assert cells(made.compute()).tobytes() == (CELLS + CELLS).tobytes()
    rows = np.asarray([3, -1, 3])
    picked, masked = x[cupy.asarray(rows)], x[cupy.asarray(CELLS > 0)]
    assert cells(picked.compute()).tobytes() == CELLS[rows].tobytes()
    assert cells(masked.compute()).tobytes() == CELLS[CELLS > 0].tobytes()


def test_masked_arrays_are_numpys_though_their_cells_lie_on_a_device(device_kernels):
    x = dt.ma.masked_greater(dt.asarray(CELLS).to_device("cuda"), 0.5)
    wanted = np.ma.masked_greater(CELLS, 0.5)
    for found in ((x * 2).compute(), dask.compute(x * 2)[0], (x * 2).persist().compute()):
        assert type(found) is np.ma.MaskedArray
        np.testing.assert_array_equal(found.filled(7), (wanted * 2).filled(7))
    assert x.sum().compute() == pytest.approx(wanted.sum())
