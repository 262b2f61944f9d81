import errno
import os
from itertools import product
from typing import ClassVar
from uuid import uuid4

import google_crc32c
import numcodecs
import numpy as np
import pytest
import zarr
from zarr.codecs import (
    BloscCodec,
    Crc32cCodec,
    GzipCodec,
    ShardingCodec,
    TransposeCodec,
    ZstdCodec,
)
from zarr.core.codec_pipeline import BatchedCodecPipeline
from zarr.registry import register_pipeline
from zarr.storage import LocalStore

import dask_tapestry as dt
from dask_tapestry.io.chunks import zarr_direct as module
from dask_tapestry.io.chunks.zarr_chunk_io import read_box
from dask_tapestry.io.chunks.zarr_direct import DirectArray
from dask_tapestry.io.files import file_cells
from dask_tapestry.io.stores import retry_policy
from dask_tapestry.io.stores.retries import forget_retries, retries
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.zspace import ZRange

CELLS = np.arange(7 * 11 * 4, dtype="i4").reshape(7, 11, 4)
LITTLE, BIG = (zarr.codecs.BytesCodec(endian=name) for name in ("little", "big"))
SHARDS = {"chunks": (3, 2, 2), "shards": (3, 4, 4)}
LAYOUTS = {
    "3": {},
    "2": {"zarr_format": 2},
    "2 F": {"zarr_format": 2, "order": "F"},
    "2 nested": {"zarr_format": 2, "chunk_key_encoding": {"name": "v2", "separator": "/"}},
    "3 big": {"serializer": BIG},
    "3 transposed": {"filters": [TransposeCodec(order=(2, 0, 1))]},
    "3 zstd": {"compressors": "auto"},
    "3 blosc, checksum": {"compressors": [BloscCodec(), Crc32cCodec()]},
    "3 transposed, gzip": {
        "filters": [TransposeCodec(order=(2, 0, 1))], "compressors": GzipCodec()
    },
    "2 F, zstd": {"zarr_format": 2, "order": "F", "compressors": "auto"},
    "2 big, lz4": {"zarr_format": 2, "dtype": ">i4", "compressors": numcodecs.LZ4()},
    "shards": SHARDS,
    "shards, zstd": SHARDS | {"compressors": "auto"},
    "shards, transposed": SHARDS | {"filters": [TransposeCodec(order=(2, 0, 1))]},
    "shards, index first": {
        "chunks": (3, 4, 4),
        "serializer": ShardingCodec(
            chunk_shape=(1, 4, 2), codecs=[BIG, ZstdCodec()], index_location="start"
        ),
    },
}  # fmt: skip
DTYPES = ["i4", ">i4", "f2", "u1", "?", "c16", "M8[s]", "m8[ns]", "S3", "U2", "V4", "i2,f8"]


def stored(folder, cells=CELLS, chunks=(3, 4, 2), **options):
    usual = {"shape": cells.shape, "dtype": cells.dtype, "chunks": chunks, "compressors": None}
    array = zarr.create_array(folder, **usual | options)
    array[...] = cells
    return array


@pytest.mark.few(8)  # as unlike as so many can be
@pytest.mark.filterwarnings("ignore:Combining a `sharding_indexed` codec")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_any_box(tmp_path, layout):
    direct = DirectArray.of(stored(tmp_path, **LAYOUTS[layout]))
    spans = [[(0, n), (1, n - 1), (2, 3), (1, 1)] for n in CELLS.shape]
    for part in product(*spans):
        selection = tuple(slice(*span) for span in part)
        out = np.empty(CELLS[selection].shape, "i4")
        direct.read(selection, out)
        np.testing.assert_array_equal(out, CELLS[selection])


@pytest.mark.filterwarnings("ignore:The data type:zarr.errors.UnstableSpecificationWarning")
@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(tmp_path, dtype, zarr_format):
    cells = np.arange(60 * np.dtype(dtype).itemsize, dtype="u1")
    cells = (cells % 2 if dtype in "?U2" else cells).view("u4" if dtype == "U2" else dtype)
    cells = cells.view(dtype).reshape(-1, 5)
    array = stored(tmp_path / "x", cells, (5, 3), zarr_format=zarr_format)
    assert DirectArray.of(array) is not None
    x = dt.from_zarr(tmp_path / "x")
    assert x.compute().tobytes() == cells.astype(x.dtype).tobytes()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,)])
@pytest.mark.parametrize("zarr_format", [2, 3])
def test_small_shapes(tmp_path, shape, zarr_format):
    cells = np.full(shape, 7.0)
    sides = [max(1, n) for n in shape]
    direct = DirectArray.of(stored(tmp_path, cells, sides, zarr_format=zarr_format))
    out = np.empty(shape)
    direct.read(tuple(slice(0, n) for n in shape), out)
    np.testing.assert_array_equal(out, cells)


@pytest.mark.parametrize("layout", ["shards", "shards, zstd", "shards, index first"])
def test_inner_chunks_that_are_not_there_hold_the_fill_value(tmp_path, layout):
    cells = CELLS.copy()
    cells[:, :2], cells[3:6, 4:8] = 5, 5
    array = stored(tmp_path / "x", cells, fill_value=5, **LAYOUTS[layout])
    assert not (tmp_path / "x/c/1/1/0").exists()
    out = np.empty(CELLS.shape, "i4")
    DirectArray.of(array).read(tuple(slice(0, n) for n in CELLS.shape), out)
    np.testing.assert_array_equal(out, cells)


def test_an_inner_chunk_that_lies_behind_the_end_is_named(tmp_path):
    array = stored(tmp_path / "x", **SHARDS)
    chunk = tmp_path / "x/c/1/1/0"
    content = chunk.read_bytes()
    pairs = np.frombuffer(content[-68:-4], "<u8").copy()
    pairs[0] = 10**6
    index = pairs.tobytes()
    checksum = google_crc32c.value(index).to_bytes(4, "little")
    chunk.write_bytes(content[:-68] + index + checksum)
    with pytest.raises(
        dt.StoreError,
        match=r"chunk c/1/1/0: its index says that a chunk has 48 bytes from byte 1000000",
    ):
        dt.from_zarr(array).compute()


@pytest.mark.parametrize("layout", ["3 zstd", "3 blosc, checksum", "2 big, lz4", "shards, zstd"])
@pytest.mark.parametrize("kept", [0, 1, 5, 20, -1])
def test_a_truncated_chunk_is_named(tmp_path, layout, kept):
    array = stored(tmp_path / "x", **LAYOUTS[layout])
    key = array.metadata.encode_chunk_key((1, 1, 0))
    chunk = tmp_path / "x" / key
    chunk.write_bytes(chunk.read_bytes()[:kept])
    with pytest.raises(dt.StoreError, match=rf"\[.*\] of .*x: cannot read chunk {key}: "):
        dt.from_zarr(array).compute()


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("fill", [9, None])
def test_chunks_that_are_not_there_hold_the_fill_value(tmp_path, zarr_format, fill):
    array = stored(tmp_path / "x", fill_value=fill, zarr_format=zarr_format)
    (tmp_path / "x" / array.metadata.encode_chunk_key((1, 0, 1))).unlink()
    expected = CELLS.copy()
    expected[3:6, :4, 2:] = fill or 0
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), expected)
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "x")[...], expected)


def test_a_chunk_of_another_size_is_named(tmp_path):
    stored(tmp_path / "x")
    x = dt.from_zarr(tmp_path / "x")
    for length in (0, 50, 97):
        (tmp_path / "x" / "c/2/1/0").write_bytes(bytes(length))
        np.testing.assert_array_equal(x[:6].compute(), CELLS[:6])
        named = (
            rf"\[\d:7, .*\] of the Zarr array .*x: .* chunk c/2/1/0: it has {length} bytes, not 96"
        )
        with pytest.raises(dt.StoreError, match=named):
            x.compute()


def test_a_chunk_that_may_not_be_read_is_named(tmp_path, monkeypatch):
    def refuse(path, *rest):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    stored(tmp_path / "x")
    x = dt.from_zarr(tmp_path / "x")
    monkeypatch.setattr(module.os, "open", refuse)
    with pytest.raises(dt.StoreError, match=r"chunk c/0/0/0: .*Permission denied"):
        x.compute(scheduler="sync")


@pytest.mark.parametrize("shape", [(8, 11, 4), (7, 11, 5)])
def test_an_array_that_has_changed_its_shape_is_named(tmp_path, shape):
    stored(tmp_path / "x")
    x = dt.from_zarr(tmp_path / "x")
    zarr.open_array(tmp_path / "x", mode="r+").resize(shape)
    with pytest.raises(
        dt.StoreError, match=rf"\[.*\] of .*x: .* another shape now, \({shape[0]}, 11"
    ):
        x.compute()


def test_an_array_that_has_changed_its_dtype_is_named(tmp_path):
    stored(tmp_path / "x")
    x = dt.from_zarr(tmp_path / "x")
    stored(tmp_path / "x", CELLS.astype("f4"), overwrite=True)
    with pytest.raises(dt.StoreError, match=r"\[.*\] of .*x: it has another dtype now, float32"):
        x.compute()


def test_stores_with_ways_of_their_own_are_left_to_zarr(tmp_path):
    class Elsewhere(zarr.storage.LocalStore):
        pass

    array = stored(Elsewhere(tmp_path))
    assert DirectArray.of(array) is None
    np.testing.assert_array_equal(dt.from_zarr(array).compute(), CELLS)


PLAIN = ["3", "2", "2 F", "2 nested", "3 big", "3 transposed"]


@pytest.mark.parametrize("layout", PLAIN)
def test_whole_chunks_are_written(tmp_path, layout):
    direct = DirectArray.of(stored(tmp_path, **LAYOUTS[layout]))
    for cells in (-CELLS, np.asfortranarray(CELLS * 3), np.dstack([CELLS, CELLS])[..., ::2]):
        for rows in (slice(0, 6), slice(6, 7)):
            selection = (rows, slice(0, 11), slice(0, 4))
            assert direct.writes(selection, cells.dtype)
            direct.write(selection, cells[rows])
        np.testing.assert_array_equal(zarr.open_array(tmp_path)[...], cells)
    assert not list(tmp_path.rglob("*.partial"))


def test_large_chunks_are_written(tmp_path):
    wide = np.arange(600.0 * 3000).reshape(600, 3000)
    direct = DirectArray.of(stored(tmp_path, np.zeros((1000, 1500)), (600, 1000)))
    direct.write((slice(0, 600), slice(0, 1500)), wide[:, 700:2200])
    found = zarr.open_array(tmp_path)[...]
    np.testing.assert_array_equal(found[:600], wide[:, 700:2200])
    assert not found[600:].any()


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name not in PLAIN])
def test_what_is_encoded_is_written_by_zarr(tmp_path, layout):
    array = stored(tmp_path, **LAYOUTS[layout])
    assert not DirectArray.of(array).writes(tuple(slice(0, n) for n in CELLS.shape), array.dtype)


class StandIn(BatchedCodecPipeline):
    """Another library's way to decode chunks, as the user may choose in zarr's configuration.

    As that of `zarrs`, it takes contiguous memory alone.
    """

    decoded: ClassVar[list] = []

    async def read(self, batch_info, out, drop_axes=()):
        if not out.as_ndarray_like().flags.c_contiguous:
            raise ValueError("input array must be a C contiguous array")
        self.decoded.append(1)
        await super().read(batch_info, out, drop_axes)


@pytest.mark.parametrize("layout", ["3", "3 zstd", "shards", "2 big, lz4"])
def test_encoded_chunks_are_left_to_the_pipeline_that_was_chosen(tmp_path, layout):
    stored(tmp_path, **LAYOUTS[layout])
    register_pipeline(StandIn)
    StandIn.decoded.clear()
    name = f"{StandIn.__module__}.{StandIn.__qualname__}"
    with zarr.config.set({"codec_pipeline.path": name}):
        np.testing.assert_array_equal(dt.from_zarr(tmp_path).compute(scheduler="sync"), CELLS)
        part, cells = (slice(1, 6), slice(0, 9), slice(1, 4)), np.zeros((5, 12, 3), CELLS.dtype)
        place = Location.of(tmp_path, None, uuid4().hex)
        read_box(place, part, cells[:, 2:11], CELLS.shape)
        np.testing.assert_array_equal(cells[:, 2:11], CELLS[part])
    assert not cells[:, :2].any()
    assert not cells[:, 11:].any()
    assert bool(StandIn.decoded) == (layout != "3")


@pytest.mark.parametrize(
    ("selection", "dtype"),
    [
        (np.s_[1:6, 0:4, 0:2], "i4"),
        (np.s_[0:4, 0:4, 0:2], "i4"),
        (np.s_[0:3:2, 0:4, 0:2], "i4"),
        (np.s_[0:3, 0:4, 0:2], "i8"),
        (np.s_[0:3, 0:4, 0:2], "f4"),
    ],
)
def test_parts_of_chunks_and_other_dtypes_are_written_by_zarr(tmp_path, selection, dtype):
    direct = DirectArray.of(stored(tmp_path))
    assert direct.writes(np.s_[0:3, 8:11, 0:4], np.dtype("i4"))
    assert not direct.writes(selection, np.dtype(dtype))


def test_a_chunk_is_as_it_was_when_its_writing_fails(tmp_path, monkeypatch):
    def full(number, places, at):
        raise OSError(errno.ENOSPC, "No space left on device")

    direct = DirectArray.of(stored(tmp_path))
    monkeypatch.setattr(file_cells.os, "pwritev", full)
    with pytest.raises(dt.StoreError, match=r"cannot write chunk c/0/0/0: .*No space left"):
        direct.write(np.s_[0:3, 0:4, 0:2], np.zeros((3, 4, 2), "i4"))
    np.testing.assert_array_equal(zarr.open_array(tmp_path)[...], CELLS)
    assert not list(tmp_path.rglob("*.partial"))


@pytest.mark.parametrize("scratch", [2**20, 100])
@pytest.mark.parametrize("layout", ["3", "2", "2 F", "3 big", "shards"])
def test_what_a_box_reads_is_foretold(tmp_path, monkeypatch, layout, scratch):
    """Bytes of files, but the index of shards and padding behind the array's end."""
    monkeypatch.setattr(module, "READ_SCRATCH_BYTES", scratch)
    monkeypatch.setattr(file_cells, "READ_SCRATCH_BYTES", scratch)
    read = []
    preadv = file_cells.os.preadv
    monkeypatch.setattr(
        file_cells.os, "preadv", lambda *args: read.append(preadv(*args)) or read[-1]
    )
    cells = np.arange(12 * 8 * 6, dtype="i4").reshape(12, 8, 6)
    stored(tmp_path / "x", cells, **({"chunks": (3, 4, 2)} | LAYOUTS[layout]))
    source = dt.from_zarr(tmp_path / "x").node.operator
    index = 20 if layout == "shards" else 0  # each shard's is read first
    for spans in product([(0, 12), (1, 2), (2, 7)], [(0, 8), (3, 5)], [(0, 6), (1, 2)]):
        box = ZRange([a for a, _ in spans], [b for _, b in spans])
        read.clear()
        np.testing.assert_array_equal(source.read(box), cells[box.slices()])
        if index:
            assert sum(read) >= source.stored_bytes(box)
        else:
            assert sum(read) == source.stored_bytes(box), box


class Flaky:
    """Reads of files that fail now and then, or come with a bit turned over."""

    def __init__(self, monkeypatch, errors=(), turned=0):
        self.errors, self.turned, self.reads = list(errors), turned, 0
        self.read = os.preadv
        monkeypatch.setattr(os, "preadv", self)

    def __call__(self, number, places, at):
        self.reads += 1
        if self.errors:
            raise self.errors.pop(0)
        found = self.read(number, places, at)
        if self.turned:
            self.turned -= 1
            np.asarray(places[0]).view("u1")[-1] ^= 1
        return found


@pytest.fixture
def short_waits(monkeypatch):
    monkeypatch.setattr(retry_policy, "FIRST_WAIT_SECONDS", 1e-4)
    forget_retries()
    yield
    forget_retries()


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE, errno.EAGAIN, errno.ENFILE])
@pytest.mark.parametrize("layout", ["3", "3 zstd", "shards, zstd"])
def test_reads_that_fail_for_a_moment_are_made_again(
    tmp_path, monkeypatch, short_waits, layout, number
):
    stored(tmp_path, **LAYOUTS[layout])
    x = dt.from_zarr(tmp_path)
    Flaky(monkeypatch, [OSError(number, "no")] * 3)
    np.testing.assert_array_equal(x.compute(scheduler="sync"), CELLS)
    assert retries()[str(tmp_path)].times == 3
    assert f"asked again 3 times, of {tmp_path}" in x.plan().explain()


@pytest.mark.parametrize("layout", ["3 blosc, checksum", "3 transposed, gzip"])
def test_what_came_damaged_is_read_once_more(tmp_path, monkeypatch, short_waits, layout):
    stored(tmp_path, **LAYOUTS[layout])
    flaky = Flaky(monkeypatch, turned=1)
    np.testing.assert_array_equal(dt.from_zarr(tmp_path).compute(scheduler="sync"), CELLS)
    assert retries()[str(tmp_path)].times == 1
    flaky.turned = 2
    with pytest.raises(dt.StoreError, match="cannot read chunk"):
        dt.from_zarr(tmp_path).compute(scheduler="sync")


def test_what_zarr_reads_is_read_again_too(tmp_path, monkeypatch, short_waits):
    filters = {"zarr_format": 2, "filters": [numcodecs.Delta("i4")]}
    stored(tmp_path, **filters)
    x = dt.from_zarr(tmp_path)
    failing, read = [OSError(errno.EIO, "no")] * 2, LocalStore.get

    async def get(self, key, *args, **named):
        if failing and key.endswith("0.1.0"):
            raise failing.pop()
        return await read(self, key, *args, **named)

    monkeypatch.setattr(LocalStore, "get", get)
    np.testing.assert_array_equal(x.compute(scheduler="sync"), CELLS)
    assert not failing
    assert retries()[str(tmp_path)].times == 2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cells_that_lie_side_by_side_in_a_file_are_found_there(tmp_path, layout):
    way = DirectArray.of(stored(tmp_path / "x", **LAYOUTS[layout]))
    for lo, hi in [((0, 0, 0), (3, 4, 2)), ((4, 4, 2), (6, 8, 4)), ((6, 4, 0), (7, 8, 2))]:
        box = ZRange(lo, hi)
        with way.opened(box.slices()) as place:
            assert (place is not None) == (layout in ("3", "2", "2 nested"))
            if place is not None:
                cells = np.frombuffer(os.pread(place[0], 4 * box.size, place[1]), "i4")
                assert np.array_equal(cells.reshape(box.shape), CELLS[box.slices()])
        if place is not None:
            with pytest.raises(OSError, match="descriptor"):
                os.fstat(place[0])


def test_cells_that_lie_in_no_file_or_apart_are_not_found_there(tmp_path):
    way = DirectArray.of(stored(tmp_path / "x"))
    (tmp_path / "x" / "c" / "0" / "0" / "0").unlink()
    os.truncate(tmp_path / "x" / "c" / "0" / "0" / "1", 5)
    for lo, hi in [
        ((0, 0, 0), (3, 4, 2)),  # is not there
        ((0, 0, 2), (3, 4, 4)),  # is shorter
        ((3, 0, 0), (6, 3, 2)),  # a part of each row
        ((3, 0, 0), (6, 8, 2)),  # two chunks
        ((6, 8, 0), (7, 11, 2)),  # rows of which the end of the array cuts some off
    ]:
        with way.opened(ZRange(lo, hi).slices()) as place:
            assert place is None
