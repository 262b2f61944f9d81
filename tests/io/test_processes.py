"""Sources and sinks that travel to other processes, and those that refuse to."""

import gc
import warnings
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import h5py
import numpy as np
import pytest
import zarr
from dask import delayed
from distributed import Client, LocalCluster

import dask_tapestry as dt

CELLS = np.random.default_rng(0).normal(size=(31, 20))

pytestmark = pytest.mark.cluster


class Folder:
    """An array that is written as files, each with a box."""

    shape, dtype, chunks = CELLS.shape, CELLS.dtype, (4, 20)

    def __init__(self, path):
        self.path = str(path)

    def __setitem__(self, key, value):
        np.save(Path(self.path, "_".join(str(s.start) for s in key)), value)


def zarr_regions(folder, options):
    array = zarr.create_array(folder / "z", shape=(50, 40), chunks=(7, 9), dtype="f8")
    expected = np.zeros((50, 40))
    regions = [(slice(3, 34), slice(11, 31)), (slice(10, 41), slice(0, 40, 2)), (slice(30), 35)]
    sources = [CELLS, CELLS + 1, np.arange(30.0)]
    for region, source in zip(regions, sources, strict=True):
        expected[region] = source
    dt.store(sources, [array] * 3, regions=regions, **options)
    dt.to_zarr(expected, folder / "z", append_dim=1, **options)
    np.testing.assert_array_equal(
        dt.from_zarr(folder / "z").compute(**options), np.concatenate([expected, expected], 1)
    )
    x = dt.store(CELLS, array, regions=(slice(31), slice(20)), compute=False, return_stored=True)
    np.testing.assert_array_equal((x + 1).compute(**options), CELLS + 1)


def memory_maps(folder, options):
    mapped = np.memmap(folder / "m", "f8", "w+", shape=CELLS.shape)
    dt.store(CELLS, mapped, **options)
    np.testing.assert_array_equal(mapped, CELLS)
    x = dt.asarray(mapped[::-2, 3:])
    np.testing.assert_array_equal((x + 1).compute(**options), CELLS[::-2, 3:] + 1)
    np.save(folder / "n.npy", CELLS)
    np.testing.assert_array_equal(dt.from_npy(folder / "n.npy")[4:].compute(**options), CELLS[4:])


def stacks_and_objects(folder, options):
    dt.to_npy_stack(folder / "s", CELLS, length=7, **options)
    np.testing.assert_array_equal(dt.from_npy_stack(folder / "s").compute(**options), CELLS)
    (folder / "f").mkdir()
    dt.store(CELLS, Folder(folder / "f"), **options)
    files = sorted((folder / "f").glob("*.npy"), key=lambda path: int(path.stem.split("_")[0]))
    np.testing.assert_array_equal(np.concatenate([np.load(path) for path in files]), CELLS)


def hdf5(folder, options):
    with h5py.File(folder / "x.h5", "w") as file:
        file.create_dataset("x", data=CELLS, chunks=(5, 5))
    with h5py.File(folder / "x.h5") as file:
        x = dt.from_array(file["x"]) + 1
        np.testing.assert_array_equal(x.compute(**options), CELLS + 1)
    np.testing.assert_array_equal(x.compute(**options), CELLS + 1)
    with h5py.File(folder / "x.h5", "r+") as file:
        with pytest.raises(dt.StoreError, match="another process cannot read"):
            (dt.from_array(file["x"]) + 1).compute(**options)
        with pytest.raises(dt.StoreError, match="process that opened it"):
            dt.store(CELLS, file["x"], **options)
        np.testing.assert_array_equal(file["x"][...], CELLS)


def refused(folder, options):
    target = np.zeros(CELLS.shape)
    with pytest.raises(dt.StoreError, match="no other can write"):
        dt.store(CELLS, target, **options)
    with pytest.raises(dt.StoreError, match=r"x\.zip is written by one process"):
        dt.to_zarr(CELLS, folder / "x.zip", **options)
    with pytest.raises(dt.StoreError, match="in-memory store"):
        dt.to_zarr(CELLS, "memory://x", **options)
    assert not target.any()
    assert not (folder / "x.zip").exists()


def delayed_values(folder, options):
    x = dt.from_delayed(delayed(np.ones)((3, 4)), (3, 4), float)
    assert x.sum().compute(**options) == 12
    with pytest.raises(dt.ComputeError, match="returned shape"):
        dt.from_delayed(delayed(np.ones)((3, 4)), (3, 5), float).sum().compute(**options)


JOBS = [zarr_regions, memory_maps, stacks_and_objects, hdf5, refused, delayed_values]


@pytest.fixture(scope="module")
def pool():
    """Two processes, which Dask would start anew for each compute."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.mark.few(3)  # what is sent is the same for all
@pytest.mark.parametrize("job", JOBS)
def test_the_multiprocessing_scheduler(job, tmp_path, pool):
    with dt.config(block_bytes=1000):
        job(tmp_path, {"scheduler": "processes", "pool": pool})


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_local_cluster_of_processes(tmp_path):
    options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster), dt.config(block_bytes=1000):
        for job in JOBS:
            (tmp_path / job.__name__).mkdir()
            job(tmp_path / job.__name__, {})
        dt.to_zarr(CELLS, tmp_path / "y.zarr", chunks=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()  # distributed leaves the event loops of closed clients to it
