import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.lower.helping_threads import chunk_threads

MIB = 2**20


def step_of(array, memory="8 GiB", threads=4):
    plan = dt.plan(array, resources=dt.Resources(2, threads, memory)).core
    return next(step for step in plan.steps.values() if step.cost.read or step.cost.written)


def stored(path, side):
    """Chunks of `side` MiB."""
    return zarr.create_array(path, shape=(8 * side, MIB), chunks=(side, MIB), dtype="u1")


@pytest.mark.parametrize(
    ("side", "memory", "expected"),
    [(1, "8 GiB", 4), (24, "8 GiB", 3), (40, "8 GiB", 2), (100, "8 GiB", 1), (100, "64 GiB", 4)],
)
def test_helpers_take_no_more_than_is_not_counted(tmp_path, side, memory, expected):
    stored(tmp_path / "x", side)
    step = step_of(dt.from_zarr(tmp_path / "x").max(axis=1), memory)
    assert chunk_threads(step, 1) == expected
    assert (expected - 1) * 2 * side * MIB <= step.machine.memory_limit / 64


def test_chunks_that_are_written_count_as_well(tmp_path):
    x = dt.zeros((800, MIB), dtype="u1")
    small, large = (
        step_of(dt.to_zarr(x, tmp_path / str(n), chunks=(n, MIB), compute=False)) for n in (1, 100)
    )
    assert (chunk_threads(small, 1), chunk_threads(large, 1)) == (4, 1)


def test_kernels_that_have_threads_keep_them(tmp_path):
    zarr.create_array(tmp_path / "a", shape=(2000, 2000), chunks=(100, 2000), dtype="f4")
    a = dt.from_zarr(tmp_path / "a")
    step = step_of(a @ dt.asarray(np.ones((2000, 50), "f4")))
    if step.program.multithreaded:
        assert chunk_threads(step, 4) == chunk_threads(step, None) == 1
    assert chunk_threads(step, 1) == 4


def test_what_lies_in_memory_needs_none():
    step = next(iter((dt.asarray(np.ones(10)) + 1).plan().core.steps.values()))
    assert chunk_threads(step, 1) == step.machine.cores
