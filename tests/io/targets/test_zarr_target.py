from math import prod
from threading import Lock

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.io.targets.zarr_target import ZarrTarget, axis_number
from dask_tapestry.zspace import ZRange
from tests.examples import examples

CELLS = np.arange(1.0, 36).reshape(5, 7)
JOURNAL = "dask_tapestry"


class Writes:
    """Records what is written at once."""

    def __init__(self, patch):
        self.selections, lock = [], Lock()
        write = ZarrTarget.write

        def recorded(target, selection, block):
            with lock:
                self.selections.append(selection)
            write(target, selection, block)

        patch.setattr(ZarrTarget, "write", recorded)

    def pieces(self, sides):
        """Stored pieces that each write touches, in all."""
        found = []
        for selection in self.selections:
            lo = [s.start // n for s, n in zip(selection, sides, strict=True)]
            hi = [-(-s.stop // n) for s, n in zip(selection, sides, strict=True)]
            found += ZRange(tuple(lo), tuple(hi)).points()
        return found


@pytest.fixture
def writes(monkeypatch):
    return Writes(monkeypatch)


class Failing:
    """A source that can be read a few times only."""

    def __init__(self, shape, times):
        self.shape, self.dtype, self.times = shape, np.dtype("f8"), times

    def __getitem__(self, key):
        if not self.times:
            raise OSError("the disk is on fire")
        self.times -= 1
        return np.ones(tuple(s.stop - s.start for s in key))


@pytest.mark.parametrize("cut", [(1, 1), (2, 3), (5, 7)])
def test_an_array_that_is_there_is_written_into(writes, cut, tmp_path):
    target = zarr.create_array(tmp_path / "x", shape=(5, 7), dtype="f8", chunks=(2, 3))
    target.attrs["units"] = "m"
    dt.to_zarr(dt.asarray(CELLS).rechunk(cut), target)
    pieces = writes.pieces((2, 3))
    assert len(pieces) == len(set(pieces)) == 9
    np.testing.assert_array_equal(target[...], CELLS)
    assert dict(zarr.open_array(tmp_path / "x").attrs) == {"units": "m"}


@examples(100)
@given(st.data())
def test_each_piece_of_any_region_is_written_by_one_task(data):
    shape = tuple(data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=3)))
    chunks = tuple(data.draw(st.integers(1, n)) for n in shape)
    shards = tuple(c * data.draw(st.integers(1, 3)) for c in chunks)
    sharded = data.draw(st.booleans())
    region = tuple(
        slice(
            *sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n)))),
            data.draw(st.integers(1, 4)),
        )
        for n in shape
    )
    before = np.arange(1.0, 1 + prod(shape)).reshape(shape)
    options = {"shards": shards} if sharded else {}
    array = zarr.create_array(zarr.storage.MemoryStore(), data=before, chunks=chunks, **options)
    cells = -np.arange(1.0, 1 + before[region].size).reshape(before[region].shape)
    with (
        pytest.MonkeyPatch.context() as patch,
        dt.config(block_bytes=data.draw(st.sampled_from([8, 200]))),
    ):
        writes = Writes(patch)
        dt.store(cells, array, regions=region, scheduler="sync")
    pieces = writes.pieces(shards if sharded else chunks)
    assert len(pieces) == len(set(pieces))
    before[region] = cells
    np.testing.assert_array_equal(array[...], before)
    assert JOURNAL not in array.attrs


def test_a_chunk_that_is_partly_covered_keeps_its_other_cells(tmp_path):
    array = zarr.create_array(tmp_path / "x", data=CELLS, chunks=(5, 7))
    dt.to_zarr(dt.zeros((2, 2)), array, region=(slice(1, 3), slice(4, 6)))
    expected = CELLS.copy()
    expected[1:3, 4:6] = 0
    np.testing.assert_array_equal(array[...], expected)


@pytest.mark.parametrize("fill", [0.0, np.nan])
def test_fill_values_overwrite_cells(fill, tmp_path):
    array = zarr.create_array(tmp_path / "x", shape=(6,), dtype="f8", chunks=(4,), fill_value=fill)
    array[...] = 5
    dt.store(dt.full(3, fill), array, regions=slice(1, 4))
    np.testing.assert_array_equal(array[...], [5, fill, fill, fill, 5, 5])


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("lengths", [(1, 1, 1), (4, 8), (3, 0, 9, 2), (20,)])
def test_appending(tmp_path, zarr_format, lengths):
    dt.to_zarr(dt.asarray(CELLS), tmp_path / "x", chunks=(4, 3), zarr_format=zarr_format)
    expected = CELLS
    for number, length in enumerate(lengths):
        more = np.arange(length * 7.0).reshape(length, 7) + 100 * number
        with dt.config(block_bytes=64):
            dt.to_zarr(more, tmp_path / "x", append_dim=0)
        expected = np.concatenate([expected, more])
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), expected)


def test_appending_to_shards_along_any_axis(tmp_path, writes):
    dt.to_zarr(dt.asarray(CELLS), tmp_path / "x", chunks=(1, 2), shards=(2, 4))
    with dt.config(block_bytes=8):
        dt.to_zarr(dt.asarray(CELLS) * 2, tmp_path / "x", append_dim=-1)
    pieces = writes.pieces((2, 4))
    assert len(pieces) == len(set(pieces)) > 4
    np.testing.assert_array_equal(
        dt.from_zarr(tmp_path / "x").compute(), np.concatenate([CELLS, CELLS * 2], 1)
    )


def test_appending_by_name(tmp_path):
    x = dt.asarray(CELLS).rename("time", "place")
    dt.to_zarr(x, tmp_path / "x", chunks=(2, 7))
    dt.to_zarr(x, tmp_path / "x", append_dim="time")
    dt.to_zarr(CELLS, tmp_path / "x", append_dim="time")
    assert dt.from_zarr(tmp_path / "x").shape == (15, 7)
    assert dt.from_zarr(tmp_path / "x").dims == ("time", "place")
    with pytest.raises(dt.ShapeError, match="no dimension 'height'"):
        dt.to_zarr(x, tmp_path / "x", append_dim="height")
    with pytest.raises(dt.ShapeError, match=r"dimensions \('time', 'x'\) cannot be appended"):
        dt.to_zarr(x.rename("time", "x"), tmp_path / "x", append_dim="time")
    assert dt.from_zarr(tmp_path / "x").shape == (15, 7)


def test_what_cannot_be_appended(tmp_path):
    with pytest.raises(dt.StoreNotFoundError):
        dt.to_zarr(CELLS, tmp_path / "x", append_dim=0)
    dt.to_zarr(CELLS, tmp_path / "x")
    for cells in (CELLS[:, :3], CELLS[0], CELLS[None]):
        with pytest.raises(dt.StoreError, match="cannot be appended"):
            dt.to_zarr(cells, tmp_path / "x", append_dim=0)
    with pytest.raises(dt.ShapeError, match="axis 2 is out of bounds"):
        dt.to_zarr(CELLS, tmp_path / "x", append_dim=2)
    with pytest.raises(dt.DTypeError, match="astype"):
        dt.to_zarr(CELLS * 1j, tmp_path / "x", append_dim=0)
    with pytest.raises(dt.StoreError, match="chunks and shards cannot be changed"):
        dt.to_zarr(CELLS, tmp_path / "x", append_dim=0, chunks=3)
    with pytest.raises(dt.StoreError, match="not both"):
        dt.to_zarr(CELLS, tmp_path / "x", append_dim=0, region=(slice(2),))
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), CELLS)


def test_two_that_append_behind_the_same_cells_do_not_overwrite_each_other(tmp_path):
    dt.to_zarr(CELLS, tmp_path / "x")
    first, second = (
        dt.to_zarr(CELLS, tmp_path / "x", append_dim=0, compute=False) for _ in range(2)
    )
    first.compute()
    with pytest.raises(dt.StoreError, match=r"has shape \(10, 7\) now"):
        second.compute()
    first.compute()
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x"), [*CELLS, *CELLS])


def test_an_append_that_another_followed_is_not_done_again(tmp_path):
    dt.to_zarr(CELLS, tmp_path / "x")
    append = dt.to_zarr(CELLS, tmp_path / "x", append_dim=0, compute=False)
    append.compute()
    dt.to_zarr(CELLS, tmp_path / "x", append_dim=0)
    with pytest.raises(dt.StoreError, match="now; the write was made for"):
        append.compute()


def test_a_store_that_has_grown_is_made_ready_again_without_harm(tmp_path):
    """Dask does a task again whose worker was lost."""
    dt.to_zarr(CELLS, tmp_path / "x")
    append = dt.to_zarr(CELLS, tmp_path / "x", append_dim=0, compute=False)
    sink, type_ = append.node.operator.for_run("a run"), append.node.type
    for _ in range(2):
        sink.prepare(type_, "a run")
    sink.write(type_.box, CELLS)
    sink.prepare(type_, "a run")
    sink.finish()
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x"), [*CELLS, *CELLS])


def test_an_append_that_fails_says_what_is_missing(tmp_path):
    dt.to_zarr(dt.ones((3, 2)), tmp_path / "x", chunks=(2, 2))
    with dt.config(block_bytes=32), pytest.raises(OSError, match="on fire"):
        dt.to_zarr(
            dt.from_array(Failing((4, 2), 1)), tmp_path / "x", append_dim=0, scheduler="sync"
        )
    with pytest.raises(dt.StoreError, match=r"incomplete: a write to \[3:7, 0:2\] failed"):
        dt.from_zarr(tmp_path / "x")
    with pytest.raises(dt.StoreError, match="incomplete"):
        dt.to_zarr(dt.ones((1, 2)), tmp_path / "x", append_dim=0)
    dt.to_zarr(dt.full((4, 2), 3.0), tmp_path / "x", region=(slice(3, 7),))
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x")[:, 0].compute(), [1] * 3 + [3] * 4)


def test_a_write_that_fails_says_so_though_another_has_ended(tmp_path):
    target = zarr.create_array(tmp_path / "x", shape=(8, 2), dtype="f8", chunks=(2, 2))
    sources = [dt.ones((4, 2)), dt.from_array(Failing((4, 2), 0))]
    with pytest.raises(OSError, match="on fire"):
        dt.store(sources, [target] * 2, regions=[(slice(4),), (slice(4, 8),)], scheduler="sync")
    with pytest.raises(dt.StoreError, match=r"\[4:8, 0:2\] failed"):
        dt.from_zarr(tmp_path / "x")
    dt.store(dt.ones((8, 2)), target)
    assert dt.from_zarr(tmp_path / "x").sum().compute() == 16


def test_an_array_of_another_shape_is_refused():
    target = zarr.create_array(zarr.storage.MemoryStore(), shape=(5, 8), dtype="f8")
    with pytest.raises(dt.StoreError, match="shape"):
        dt.to_zarr(dt.asarray(CELLS), target)


def test_what_was_opened_to_read_only_is_refused(tmp_path):
    dt.to_zarr(CELLS, tmp_path / "x")
    with pytest.raises(dt.StoreError, match="opened to read only"):
        dt.store(CELLS, zarr.open_array(tmp_path / "x", mode="r"))
    dt.to_zarr(CELLS, tmp_path / "x.zip")
    with pytest.raises(dt.StoreError, match="zip file, whose arrays cannot be changed"):
        dt.to_zarr(CELLS, tmp_path / "x.zip", append_dim=0)


def test_numbers_of_dimensions():
    assert axis_number("b", ("a", "b"), 2, "x") == axis_number(-1, None, 2, "x") == 1
    with pytest.raises(dt.ShapeError, match="which have no names: give numbers"):
        axis_number("b", None, 2, "x")
