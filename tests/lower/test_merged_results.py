"""Partial results that are merged as they come: the bits of all together, in less memory."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import lattice
from dask_tapestry.lower import piece_run
from dask_tapestry.lower.frame import block_frame
from dask_tapestry.lower.merged_results import MergedResults
from dask_tapestry.lower.schedule_walk import walk
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.streaming import block_schedule_of
from tests.pieces import pieces_of

FOLDS = {
    "sum": lambda x: x.sum(0),
    "prod": lambda x: x.prod(0),
    "mean": lambda x: x.mean(0),
    "std": lambda x: x.std(0),
    "max": lambda x: x.max(0),
    "argmin": lambda x: x.argmin(0),
    "any": lambda x: (x > 2).any(0),
    "formula": lambda x: (x * x - 3).sum(0),
    "later cells": lambda x: x[1:].mean(0),
}


def stored(folder, cells, chunk):
    """Cells in a store, in chunks along the first axis that have all others."""
    path = folder / f"{cells.shape}{cells.dtype}{chunk}.zarr"
    if not path.exists():
        dt.asarray(cells).to_zarr(path, chunks=(chunk, *cells.shape[1:]))
    return dt.from_zarr(path)


def computed(array):
    """The value of a fold as one block, and the loops that compute it."""
    program = group_of(array.node, ()).program
    block = block_schedule_of(program, program.type.box)
    return np.asarray(walk(block_frame(block, {}, None))), list(block.loops.values())


@pytest.fixture(scope="module", autouse=True)
def small_lattices():
    """Nodes of a canonical tree over few cells, as over large chunks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lattice, "MOST_LATTICE_CELLS", 4000)
        patch.setattr(lattice, "FEW_LATTICE_CELLS", 1000)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("stores")


@pytest.mark.few(5)  # one merge serves all
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("chunk", [1, 2])
@pytest.mark.parametrize("length", [40, 61, 100])
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.parametrize("fold", FOLDS)
def test_bits_are_those_of_all_together(folder, fold, dtype, length, chunk):
    rng = np.random.default_rng(length)
    cells = rng.integers(1, 9, (length, 5, 300)).astype(dtype)
    if dtype == "f4":
        cells += rng.normal(size=cells.shape).astype(dtype)
    x = stored(folder, cells, chunk)
    whole, loops = computed(FOLDS[fold](x))
    assert not loops
    with pieces_of(1000):
        found, loops = computed(FOLDS[fold](x))
    assert length < 100 or any(loop.merges for loop in loops)
    assert found.tobytes() == whole.tobytes()
    assert found.dtype == whole.dtype


def test_where_order_is_free_two_are_kept(folder):
    x = stored(folder, np.arange(40 * 600).reshape(40, 2, 300), 1)
    with pieces_of(1000):
        _, (loop,) = computed(x.sum(0))
        _, (ordered,) = computed(x.mean(0))
    assert loop.merges.kept == 2
    assert 2 < ordered.merges.kept < ordered.count


STORED = {
    "of two axes": lambda x: x.max((0, 2)),
    "of a stride": lambda x: x[::3].mean(0),
    "joint": lambda x: x.min(0) + x.max(0) * x.mean(0),
    "grouped": lambda x: dt.groupby_reduce(x, np.arange(len(x)) % 3, func="sum", axis=0)[0],
    "counted": lambda x: (x > 0).sum(0),
}


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("fold", STORED)
def test_stored_cells(tmp_path, monkeypatch, fold):
    cells = np.random.default_rng(0).normal(size=(101, 20, 30)).astype("f4")
    dt.asarray(cells).to_zarr(tmp_path / "x.zarr", chunks=(1, 20, 30))
    x = dt.from_zarr(tmp_path / "x.zarr")
    whole = np.asarray(STORED[fold](x))
    made = []
    monkeypatch.setattr(
        piece_run, "MergedResults", lambda *args: made.append(args) or MergedResults(*args)
    )
    slow_tasks = {"worker_task": 1.0}  # so that what is merged is merged by the task that reads
    resources = dt.Resources(threads=1, memory="4 GiB", rates=slow_tasks)
    with pieces_of(2000), dt.config(resources=resources):
        found = np.asarray(STORED[fold](x))
    assert found.tobytes() == whole.tobytes()
    assert made
