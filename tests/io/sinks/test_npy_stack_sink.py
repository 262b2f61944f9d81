import pickle

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt

CELLS = np.arange(200.0).reshape(10, 20)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("length", [1, 3, 10, 50])
def test_each_file_is_written_and_read(tmp_path, axis, length):
    with dt.config(block_bytes=64):
        dt.to_npy_stack(tmp_path, CELLS, axis, length=length)
        np.testing.assert_array_equal(dt.from_npy_stack(tmp_path).compute(), CELLS)
    count = -(-CELLS.shape[axis] // length)
    assert len(list(tmp_path.glob("*.npy"))) == count
    theirs = da.from_npy_stack(str(tmp_path))
    alone = theirs.compute(scheduler="sync")  # Python 3.11 may not parse two headers at a time
    np.testing.assert_array_equal(alone, CELLS)


@pytest.mark.parametrize("dtype", [*"?bBhHiIlLefdFD", "M8[ns]", "S4", "U3"])
def test_every_dtype(tmp_path, dtype):
    data = np.array([1, 0, 1, 2, 3]).astype("i8").astype(dtype)
    dt.to_npy_stack(tmp_path, data, length=2)
    x = dt.from_npy_stack(tmp_path)
    assert x.dtype == data.dtype
    np.testing.assert_array_equal(x.compute(), data)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (1,)])
def test_small_shapes(tmp_path, shape):
    dt.to_npy_stack(tmp_path, np.full(shape, 7.0))
    np.testing.assert_array_equal(dt.from_npy_stack(tmp_path).compute(), np.full(shape, 7.0))


def test_what_is_there_is_kept_unless_asked(tmp_path):
    dt.to_npy_stack(tmp_path, CELLS, length=2)
    with pytest.raises(dt.StoreError, match="overwrite=True"):
        dt.to_npy_stack(tmp_path, CELLS[:2])
    dt.to_npy_stack(tmp_path, CELLS[:2], overwrite=True)
    assert [path.name for path in tmp_path.glob("*.npy")] == ["0.npy"]
    np.testing.assert_array_equal(dt.from_npy_stack(tmp_path).compute(), CELLS[:2])


class Failing:
    """A source that can be read once."""

    shape, dtype = (10, 20), np.dtype("f8")

    def __init__(self):
        self.reads = 0

    def __getitem__(self, key):
        self.reads += 1
        if self.reads > 1:
            raise OSError("the disk is on fire")
        return np.ones(tuple(s.stop - s.start for s in key))


def fail(folder, **options):
    with dt.config(block_bytes=160), pytest.raises(OSError, match="on fire"):
        dt.to_npy_stack(folder, dt.from_array(Failing()), length=1, scheduler="sync", **options)


def test_what_is_not_complete_is_no_stack(tmp_path):
    fail(tmp_path / "x")
    with pytest.raises(dt.StoreNotFoundError, match="no stack"):
        dt.from_npy_stack(tmp_path / "x")
    dt.to_npy_stack(tmp_path / "x", CELLS)
    np.testing.assert_array_equal(dt.from_npy_stack(tmp_path / "x").compute(), CELLS)


def test_what_is_not_replaced_is_kept(tmp_path):
    dt.to_npy_stack(tmp_path, CELLS, length=4)
    fail(tmp_path, overwrite=True)
    np.testing.assert_array_equal(dt.from_npy_stack(tmp_path).compute(), CELLS)


@pytest.mark.parametrize("mode", ["r", None])
def test_a_stack_is_replaced_by_what_reads_it(tmp_path, mode):
    dt.to_npy_stack(tmp_path, CELLS, length=2)
    x = dt.from_npy_stack(tmp_path, mode)
    with dt.config(block_bytes=160):
        dt.to_npy_stack(tmp_path, x[::-1] * 2, length=3, overwrite=True)
    np.testing.assert_array_equal(dt.from_npy_stack(tmp_path).compute(), CELLS[::-1] * 2)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["0.npy", "1.npy", "2.npy", "3.npy", "info"]


def test_a_stack_is_written_again_by_the_sink_that_wrote_it(tmp_path):
    sink = dt.to_npy_stack(tmp_path / "x", CELLS, compute=False)
    other = dt.to_npy_stack(tmp_path / "x", -CELLS, compute=False)
    sink.compute()
    sink.compute()
    with pytest.raises(dt.StoreError, match="overwrite=True"):
        other.compute()
    np.testing.assert_array_equal(dt.from_npy_stack(tmp_path / "x").compute(), CELLS)


def test_what_reads_itself_is_written_once(tmp_path):
    dt.to_npy_stack(tmp_path, CELLS)
    x = dt.from_npy_stack(tmp_path)
    sink = dt.to_npy_stack(tmp_path, x * 2, overwrite=True, compute=False)
    for _ in range(2):
        sink.compute()
        np.testing.assert_array_equal(dt.from_npy_stack(tmp_path).compute(), CELLS * 2)


def test_tasks_that_are_done_again_change_nothing(tmp_path):
    """Dask does a task again whose worker was lost."""
    dt.to_npy_stack(tmp_path, -CELLS)
    effect = dt.to_npy_stack(tmp_path, CELLS, length=5, overwrite=True, compute=False)
    sink, type_ = effect.node.operator, effect.node.type
    first, second = type_.box.cut(0, 5)
    sink.prepare(type_, "a run")
    sink.write(first, CELLS[:5])
    sink.prepare(type_, "a run")
    sink.write(second, CELLS[5:])
    for _ in range(2):
        sink.finish()
        np.testing.assert_array_equal(dt.from_npy_stack(tmp_path).compute(), CELLS)
        sink.prepare(type_, "a run")
        sink.write(first, CELLS[:5] * 0)  # of what was replaced


def test_a_lazy_sink(tmp_path):
    sink = dt.to_npy_stack(tmp_path / "x", CELLS, compute=False)
    assert not (tmp_path / "x").exists()
    far = pickle.loads(pickle.dumps(sink.node.operator))
    assert far == sink.node.operator
    sink.compute()
    assert dt.from_npy_stack(tmp_path / "x").shape == CELLS.shape


def test_what_cannot_be_a_stack(tmp_path):
    with pytest.raises(dt.AxisError):
        dt.to_npy_stack(tmp_path, CELLS, axis=2)
    with pytest.raises(ValueError, match="dimension"):
        dt.to_npy_stack(tmp_path, 3.0)
    with pytest.raises(dt.ShapeError, match="at least 1"):
        dt.to_npy_stack(tmp_path, CELLS, length=0)


def test_what_was_broken_off_at_its_end_goes_on(tmp_path):
    """The description is in its place, but the folder that was written is still there."""
    dt.to_npy_stack(tmp_path / "x", dt.arange(6), length=4)
    sink = dt.to_npy_stack(
        tmp_path / "x", dt.arange(6) * 2, length=4, overwrite=True, compute=False
    )
    sink.compute()
    sink.node.operator.part.mkdir()
    (sink.node.operator.part / ".nfs0001").touch()
    sink.node.operator.finish()
    assert dt.from_npy_stack(tmp_path / "x").compute().tolist() == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize(("left", "why"), [(0, "No space left"), (8192, "cannot write .*0.npy")])
def test_a_disk_that_is_full_is_an_error_of_the_store(small_disk, left, why):
    (small_disk / "filled").write_bytes(bytes(1600 * 1024 - left))
    with pytest.raises(dt.StoreError, match=why):
        dt.to_npy_stack(small_disk / "stack", dt.ones((400, 400)))
    with pytest.raises(dt.StoreError):
        dt.from_npy_stack(small_disk / "stack")
