import pickle
from math import prod
from threading import Lock

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.io.sinks import zarr_sink as module
from dask_tapestry.zspace import ZRange
from tests.examples import examples

CELLS = np.arange(1.0, 36).reshape(5, 7)
JOURNAL = "dask_tapestry"


def memory():
    return zarr.storage.MemoryStore()


class Writes:
    """Records the boxes that are written."""

    def __init__(self, patch):
        self.boxes, lock = [], Lock()
        write = module.ZarrSink.write

        def recorded(sink, box, block):
            with lock:
                self.boxes.append(box)
            write(sink, box, block)

        patch.setattr(module.ZarrSink, "write", recorded)

    def pieces(self, sides):
        """Stored pieces that each write touches, whole ones only, in all."""
        found = []
        for box in self.boxes:
            lo = [a // s for a, s in zip(box.lo, sides, strict=True)]
            hi = [-(-b // s) for b, s in zip(box.hi, sides, strict=True)]
            found += ZRange(tuple(lo), tuple(hi)).points()
        return found


def check_pieces(writes, sides, shape):
    """Each stored piece is written by one task."""
    pieces = writes.pieces(sides)
    count = prod(-(-n // s) for n, s in zip(shape, sides, strict=True))
    assert len(pieces) == len(set(pieces)) == count


@pytest.mark.parametrize("chunks", ["auto", 3, (5, 7), (1, 1), (4, 3), (-1, 2), (9, 9)])
def test_what_is_written_is_what_is_read(tmp_path, chunks):
    assert dt.to_zarr(dt.asarray(CELLS), tmp_path / "x", chunks=chunks) is None
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[...], CELLS)
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), CELLS)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("rows", range(1, 6))
@pytest.mark.parametrize("columns", [1, 2, 3, 5, 7])
def test_each_piece_is_written_once(monkeypatch, rows, columns):
    """Whatever the chunks of the value and of the store."""
    for cut in ((1, 1), (2, 7), (5, 2), ((1, 4), (3, 4))):
        with monkeypatch.context() as patch:
            writes, store = Writes(patch), memory()
            dt.to_zarr(dt.asarray(CELLS).rechunk(cut), store, chunks=(rows, columns))
            check_pieces(writes, (rows, columns), CELLS.shape)
            np.testing.assert_array_equal(zarr.open_array(store)[...], CELLS)


BYTES = st.sampled_from([8, 100, 1000])


@examples(60)
@given(st.data())
def test_each_piece_is_written_once_in_any_plan(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=3)))
    sides = tuple(data.draw(st.integers(1, n + 1)) for n in shape)
    threads = data.draw(st.sampled_from([1, 2, 7]))
    cells = np.arange(1, 1 + prod(shape)).reshape(shape)
    resources = dt.Resources(workers=1, threads=threads, memory="1 GiB")
    with pytest.MonkeyPatch.context() as patch, dt.config(block_bytes=data.draw(BYTES)):
        writes, store = Writes(patch), memory()
        sink = dt.to_zarr(dt.asarray(cells), store, chunks=sides, compute=False)
        dt.plan(sink, resources=resources).compute(scheduler="sync")
    check_pieces(writes, sides, shape)
    np.testing.assert_array_equal(zarr.open_array(store)[...], cells)


def test_several_tasks_write_a_large_array(monkeypatch, tmp_path):
    writes = Writes(monkeypatch)
    cells = np.arange(10_000.0).reshape(100, 100)
    with dt.config(block_bytes="8 kB"):
        dt.to_zarr(dt.asarray(cells), tmp_path / "x", chunks=(7, 30))
    assert len(writes.boxes) > 4
    check_pieces(writes, (7, 30), cells.shape)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[...], cells)


@pytest.mark.parametrize("chunks", [(2, 2), (1, 4), "auto"])
def test_a_shard_is_a_piece(monkeypatch, chunks):
    writes, store, cells = Writes(monkeypatch), memory(), np.arange(1, 97).reshape(12, 8)
    dt.to_zarr(dt.asarray(cells).rechunk((5, 3)), store, chunks=chunks, shards=(6, 4))
    check_pieces(writes, (6, 4), cells.shape)
    stored = zarr.open_array(store)
    assert stored.shards == (6, 4)
    np.testing.assert_array_equal(stored[...], cells)


def test_shards_must_be_multiples_of_chunks():
    with pytest.raises(dt.ShapeError, match="multiples"):
        dt.to_zarr(dt.ones((8, 8)), memory(), chunks=(3, 3), shards=(4, 4))
    with pytest.raises(dt.ShapeError, match="multiples"):
        dt.to_zarr(dt.ones((8, 8)), memory(), chunks=(2, 2), shards=(4,))


def test_what_a_format_does_not_have():
    with pytest.raises(dt.StoreError, match="no shards in version 2"):
        dt.to_zarr(dt.ones((8, 8)), memory(), chunks=(2, 2), shards=(4, 4), zarr_format=2)
    with pytest.raises(dt.StoreError, match="must be 2 or 3"):
        dt.to_zarr(dt.ones((8, 8)), memory(), zarr_format=1)


@pytest.mark.parametrize("chunks", [(2,), (2, 2, 2), (0, 2), (-2, 2), (1.5, 2), "large"])
def test_chunks_must_fit(chunks):
    with pytest.raises(dt.ShapeError, match="chunks"):
        dt.to_zarr(dt.ones((8, 8)), memory(), chunks=chunks)


@pytest.mark.parametrize("dtype", [*"?bBhHiIlLqQefdFD", "M8[ns]", "m8[s]"])
def test_every_dtype(dtype):
    store, data = memory(), np.array([1, 0, 3]).astype("i8").astype(dtype)
    dt.to_zarr(dt.asarray(data), store)
    assert zarr.open_array(store).dtype == data.dtype
    np.testing.assert_array_equal(zarr.open_array(store)[...], data)


def test_a_conversion_on_the_way():
    store = memory()
    dt.to_zarr(dt.asarray([1.7, 2.2]), store, dtype="int8")
    assert zarr.open_array(store)[...].tolist() == [1, 2]
    assert zarr.open_array(store).dtype == np.int8


@pytest.mark.parametrize("shape", [(), (0,), (0, 3), (3, 0)])
def test_small_shapes(shape):
    store = memory()
    dt.to_zarr(dt.full(shape, 7), store)
    stored = zarr.open_array(store)
    assert (stored.shape, JOURNAL in stored.attrs) == (shape, False)
    np.testing.assert_array_equal(stored[...], np.full(shape, 7))


def test_fill_values_and_nan_are_stored():
    store, data = memory(), np.array([0.0, 0.0, np.nan, np.nan, 1.0, 0.0])
    dt.to_zarr(dt.asarray(data), store, chunks=2)
    np.testing.assert_array_equal(zarr.open_array(store)[...], data)


def test_names_of_dimensions_are_stored():
    store = memory()
    dt.to_zarr(dt.ones((2, 3)).rename("y", "x"), store)
    assert zarr.open_array(store).metadata.dimension_names == ("y", "x")
    assert dt.from_zarr(store).dims == ("y", "x")


def test_components_and_groups(tmp_path):
    dt.to_zarr(dt.ones(3), tmp_path / "g", component="a/b")
    dt.to_zarr(dt.zeros(4), tmp_path / "g", "a/c")
    group = zarr.open_group(tmp_path / "g", mode="a")
    dt.to_zarr(dt.full(2, 5), group, component="d")
    assert zarr.open_group(tmp_path / "g", mode="r")["a/b"][...].tolist() == [1, 1, 1]
    assert dt.from_zarr(tmp_path / "g", "a/c").shape == (4,)
    assert group["d"][...].tolist() == [5, 5]


def test_what_is_there_is_kept_unless_asked(tmp_path):
    dt.to_zarr(dt.ones(3), tmp_path / "x")
    with pytest.raises(dt.StoreError, match="overwrite=True"):
        dt.to_zarr(dt.zeros(4), tmp_path / "x")
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[...], np.ones(3))
    dt.to_zarr(dt.zeros(4), tmp_path / "x", overwrite=True)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[...], np.zeros(4))


def test_what_cannot_be_read_is_kept_unless_asked(tmp_path):
    dt.to_zarr(dt.ones(3), tmp_path / "x")
    (tmp_path / "x" / "zarr.json").write_text("{")
    with pytest.raises(dt.StoreError, match="overwrite=True"):
        dt.to_zarr(dt.ones(3), tmp_path / "x")
    dt.to_zarr(dt.ones(3), tmp_path / "x", overwrite=True)
    assert zarr.open_array(tmp_path / "x")[...].tolist() == [1, 1, 1]


def test_nothing_is_written_before_compute(tmp_path):
    sink = dt.to_zarr(dt.ones(3), tmp_path / "x", compute=False)
    assert not (tmp_path / "x").exists()
    sink.compute()
    assert zarr.open_array(tmp_path / "x")[...].tolist() == [1, 1, 1]


class Failing:
    """A source that can be read a few times only."""

    shape, dtype = (4, 2), np.dtype("f8")

    def __init__(self, times):
        self.times = times

    def __getitem__(self, key):
        if not self.times:
            raise OSError("the disk is on fire")
        self.times -= 1
        return np.ones((key[0].stop - key[0].start, 2))


def test_a_write_that_fails_leaves_a_store_that_says_so(tmp_path):
    with dt.config(block_bytes=32), pytest.raises(OSError, match="on fire"):
        dt.to_zarr(dt.from_array(Failing(1)), tmp_path / "x", chunks=(2, 2), scheduler="sync")
    stored = zarr.open_array(tmp_path / "x")
    assert stored[...].sum() == 4, "it failed half way"
    with pytest.raises(dt.StoreError, match="incomplete") as caught:
        dt.from_zarr(tmp_path / "x")
    assert str(tmp_path / "x") in str(caught.value)
    dt.to_zarr(dt.ones(2), tmp_path / "x", overwrite=True)
    assert dt.from_zarr(tmp_path / "x").sum().compute() == 2


def test_a_store_that_refuses_is_named(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(dt.StoreError, match="file"):
        dt.to_zarr(dt.ones(3), tmp_path / "file" / "x")


def test_the_memory_of_this_process_does_not_travel():
    sink = dt.to_zarr(dt.ones(3), memory(), compute=False)
    with pytest.raises(dt.StoreError, match="another process"):
        pickle.dumps(sink.node.operator)


def test_a_store_on_disk_travels(tmp_path):
    sink = dt.to_zarr(dt.ones(3), tmp_path / "x", compute=False).node.operator
    far = pickle.loads(pickle.dumps(sink))
    assert (far.location, far.stored, far.options) == (sink.location, sink.stored, sink.options)


@pytest.mark.parametrize("choice", ["auto", None, zarr.codecs.GzipCodec(level=1)])
def test_compressors(choice):
    store = memory()
    dt.to_zarr(dt.asarray(CELLS), store, compressors=choice)
    stored = zarr.open_array(store)
    assert bool(stored.compressors) == (choice is not None)
    np.testing.assert_array_equal(stored[...], CELLS)


def test_several_writes_share_their_work():
    class Counted:
        shape, dtype, reads = (6,), np.dtype("f8"), 0

        def __getitem__(self, key):
            type(self).reads += 1
            return np.arange(6.0)[key]

    first, second = memory(), memory()
    x = dt.from_array(Counted())
    dt.compute(
        dt.to_zarr(x, first, compute=False), dt.to_zarr(x * 2, second, chunks=2, compute=False)
    )
    assert Counted.reads == 1
    np.testing.assert_array_equal(zarr.open_array(first)[...] * 2, zarr.open_array(second)[...])


def test_chunks_follow_those_of_the_source():
    """A function of a stored array's cells is stored as that is, unless its chunks are tiny."""
    x = dt.placeholder((1000, 300, 300), "f8", (5, 300, 300))
    sink = dt.to_zarr(x + 1, memory(), compute=False).node.operator
    assert sink.chunks == (5, 300, 300)
    tiny = dt.placeholder((1000, 300, 300), "f8", (1, 1, 1))
    sink = dt.to_zarr(tiny + 1, memory(), compute=False).node.operator
    assert sink.chunks == (23, 300, 300)


@pytest.mark.parametrize("wrong", [{"compressors": "gzip"}, {"chunk": (1,)}, {"fill_value": 1}])
def test_what_is_refused_leaves_the_old_array(wrong):
    store = zarr.storage.MemoryStore()
    dt.to_zarr(dt.ones(3), store)
    with pytest.raises((dt.StoreError, TypeError, ValueError)):
        dt.to_zarr(dt.zeros(3), store, overwrite=True, **wrong)
    assert dt.from_zarr(store).compute().tolist() == [1, 1, 1]


def test_nothing_is_overwritten_where_something_is_appended():
    store = zarr.storage.MemoryStore()
    dt.to_zarr(dt.ones(3), store)
    with pytest.raises(ValueError, match="nothing to overwrite"):
        dt.to_zarr(dt.zeros(3), store, append_dim=0, overwrite=True)


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("in_memory", [False, True])
def test_a_sink_may_be_computed_again(tmp_path, overwrite, in_memory):
    store = memory() if in_memory else tmp_path / "x"
    (read,) = (dt.to_zarr(CELLS, store, overwrite=overwrite, compute=False, return_stored=True),)
    np.testing.assert_array_equal(read[:2].compute(), CELLS[:2])
    np.testing.assert_array_equal(read[2:].compute(), CELLS[2:])
    write = dt.to_zarr(-CELLS, tmp_path / "y", compute=False)
    write.compute()
    dt.to_zarr(CELLS, tmp_path / "z", after=[write])
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "y")[...], -CELLS)


def test_what_another_has_made_meanwhile_is_kept(tmp_path):
    write = dt.to_zarr(CELLS, tmp_path / "x", compute=False)
    dt.to_zarr(-CELLS, tmp_path / "x")
    with pytest.raises(dt.StoreError, match="cannot create"):
        write.compute()
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[...], -CELLS)
    first = dt.to_zarr(CELLS, tmp_path / "y", compute=False)
    first.compute()
    dt.to_zarr(-CELLS, tmp_path / "y", overwrite=True)
    with pytest.raises(dt.StoreError, match="cannot create"):
        first.compute()


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_tasks_that_are_done_again_change_nothing(tmp_path, overwrite, zarr_format):
    """Dask does a task again whose worker was lost."""
    if overwrite:
        dt.to_zarr(-CELLS, tmp_path / "x", zarr_format=zarr_format)
    effect = dt.to_zarr(
        CELLS,
        tmp_path / "x",
        chunks=(3, 7),
        overwrite=overwrite,
        compute=False,
        zarr_format=zarr_format,
    )
    sink, type_ = effect.node.operator.for_run("a run"), effect.node.type
    first, second = type_.box.cut(0, 3)
    sink.prepare(type_, "a run")
    sink.write(first, CELLS[:3])
    sink.prepare(type_, "a run")
    sink.write(second, CELLS[3:])
    for _ in range(2):
        sink.finish()
        np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), CELLS)
        sink.prepare(type_, "a run")
        sink.write(first, CELLS[:3] * (1 - overwrite))  # 0 if of what was replaced
    assert not dict(zarr.open_array(tmp_path / "x").attrs)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_a_write_knows_whether_cells_are_encoded(tmp_path, zarr_format):
    for compressors, codec in (("auto", "zstd"), (None, "plain")):
        told = {"compressors": compressors, "zarr_format": zarr_format, "compute": False}
        sink = dt.to_zarr(dt.ones((4, 4)), tmp_path / codec, **told).node.operator
        assert sink.codec == sink.slot(1).codec == codec
        assert pickle.loads(pickle.dumps(sink)).codec == codec
