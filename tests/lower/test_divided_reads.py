import threading

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.lower.cancellation import WorkerCancellation
from dask_tapestry.lower.divided_reads import cells_read, read_by
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.zspace import ZRange

X = np.random.default_rng(0).random((90, 40))
BOX = ZRange((5, 0), (88, 40))


def source(tmp_path, x=X, chunks=(10, 40)):
    zarr.create_array(tmp_path / "x", data=x, chunks=chunks)
    return dt.from_zarr(tmp_path / "x").node.operator


def read_in(source, box, monkeypatch, meet=0):
    """What threads read of a box, and the boxes and threads; so many wait for each other."""
    barrier, seen = threading.Barrier(meet) if meet else None, []
    read = type(source).read

    def noted(self, one, out=None):
        if barrier is not None and len(seen) < meet:
            seen.append((one, threading.get_ident()))
            barrier.wait(10)
        else:
            seen.append((one, threading.get_ident()))
        return read(self, one, out)

    monkeypatch.setattr(type(source), "read", noted)
    return cells_read(source, box, np.empty(box.shape), 1), seen


def test_threads_read_parts_that_end_between_chunks(tmp_path, monkeypatch):
    with read_by(2):
        cells, seen = read_in(source(tmp_path), BOX, monkeypatch, meet=2)
    np.testing.assert_array_equal(cells, X[5:88])
    assert len({thread for _, thread in seen}) == 2
    boxes = sorted((box.lo[0], box.hi[0]) for box, _ in seen)
    assert [boxes[0][0], *[hi for _, hi in boxes]] == [5, 20, 40, 60, 80, 88]


@pytest.mark.parametrize(("shape", "axis"), [((90, 10), 0), ((10, 40), 1)])
def test_they_divide_the_axis_that_has_most_chunks(tmp_path, monkeypatch, shape, axis):
    chunks = tuple(5 if at == axis else n for at, n in enumerate(shape))
    x = X[: shape[0], : shape[1]]
    with read_by(2):
        cells, seen = read_in(source(tmp_path, x, chunks), ZRange((0, 0), shape), monkeypatch)
    np.testing.assert_array_equal(cells, x)
    assert len({box.lo[axis] for box, _ in seen}) == len(seen) > 4


def test_one_thread_reads_all_at_once(tmp_path, monkeypatch):
    _, seen = read_in(source(tmp_path), BOX, monkeypatch)
    assert seen == [(BOX, threading.get_ident())]


def test_one_chunk_is_read_at_once(tmp_path, monkeypatch):
    with read_by(4):
        _, seen = read_in(source(tmp_path), ZRange((11, 0), (19, 40)), monkeypatch)
    assert len(seen) == 1


def test_cells_that_are_skipped_are_read_by_one_thread(tmp_path):
    box = ZRange((0, 0), (90, 40))
    with read_by(4):
        cells = cells_read(source(tmp_path), box, np.empty(box.shape), 3)
    np.testing.assert_array_equal(cells[::3], X[::3])


def test_a_part_that_cannot_be_read_is_told(tmp_path):
    one = source(tmp_path)
    (tmp_path / "x" / "c" / "5" / "0").write_bytes(b"torn")
    with read_by(2), pytest.raises(Exception, match="cannot read"):
        cells_read(one, BOX, np.empty(BOX.shape), 1)


def test_a_step_of_one_block_has_all_threads(tmp_path):
    source(tmp_path)
    with dt.config(resources=dt.Resources(threads=4, memory="4 GiB")):
        plan = dt.plan(dt.from_zarr(tmp_path / "x").mean(axis=0)).core
    (step,) = plan.steps.values()
    inputs = tuple(None for _ in step.inputs)
    spec = StepSpec.of(step, inputs, WorkerCancellation())
    assert step.count == 1
    assert spec.readers == 4
