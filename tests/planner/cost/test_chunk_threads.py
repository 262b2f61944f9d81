import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.planner.cost.chunk_threads import chunk_threads

MIB = 2**20


def step_of(array, memory="8 GiB", threads=4):
    plan = dt.plan(array, resources=dt.Resources(2, threads, memory)).core
    return next(step for step in plan.steps.values() if step.cost.read or step.cost.written)


def stored(path, side):
    """Chunks of `side` MiB."""
    return zarr.create_array(path, shape=(8 * side, MIB), chunks=(side, MIB), dtype="u1")


def threads_of(step):
    return chunk_threads(step.program, 1000, step.machine)


@pytest.mark.parametrize(
    ("side", "memory", "expected"),
    [(1, "8 GiB", 4), (24, "8 GiB", 3), (40, "8 GiB", 2), (100, "8 GiB", 1), (100, "64 GiB", 4)],
)
def test_helpers_take_no_more_than_is_not_counted(tmp_path, side, memory, expected):
    stored(tmp_path / "x", side)
    step = step_of(dt.from_zarr(tmp_path / "x").max(axis=1), memory)
    assert threads_of(step) == expected
    assert (expected - 1) * 2 * side * MIB <= step.machine.memory_limit / 64


def test_chunks_that_are_written_count_as_well(tmp_path):
    x = dt.zeros((800, MIB), dtype="u1")
    small, large = (
        step_of(dt.to_zarr(x, tmp_path / str(n), chunks=(n, MIB), compute=False)) for n in (1, 100)
    )
    assert (threads_of(small), threads_of(large)) == (4, 1)


def test_kernels_that_have_threads_keep_them(tmp_path):
    zarr.create_array(tmp_path / "a", shape=(2000, 2000), chunks=(100, 2000), dtype="f4")
    a = dt.from_zarr(tmp_path / "a")
    step = step_of(a @ dt.asarray(np.ones((2000, 50), "f4")))
    assert step.program.multithreaded
    found = [chunk_threads(step.program, blocks, step.machine) for blocks in (2, 3)]
    assert found == [1, 4]


def test_nobody_helps_where_nothing_is_stored():
    step = next(iter((dt.asarray(np.ones(10)) + 1).plan().core.steps.values()))
    assert threads_of(step) == 1


def test_nobody_helps_with_a_file_of_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "x.h5", "w") as file:
        x = file.create_dataset("x", data=np.ones((90, 9)), chunks=(9, 9), compression="gzip")
        assert threads_of(step_of(dt.from_array(x).max(axis=1))) == 1
