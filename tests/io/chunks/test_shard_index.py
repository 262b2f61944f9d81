import os
import shutil

import google_crc32c
import numpy as np
import pytest
import zarr
from zarr.codecs import BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec

import dask_tapestry as dt
from dask_tapestry.io.chunks.shard_index import ABSENT, ShardIndex
from dask_tapestry.io.files.file_cells import CellFile

LITTLE, BIG = BytesCodec(endian="little"), BytesCodec(endian="big")


def opened(path, **options):
    """The index of a store of one shard, its file and its size."""
    codec = ShardingCodec(chunk_shape=(2, 3), codecs=[LITTLE], **options)
    array = zarr.create_array(path, shape=(4, 9), chunks=(4, 9), dtype="f8", serializer=codec,
                              compressors=None)  # fmt: skip
    array[:, 3:] = 1
    return ShardIndex.of(array.metadata.codecs[0], (4, 9)), path / "c/0/0"


@pytest.mark.parametrize("where", ["start", "end"])
@pytest.mark.parametrize("codecs", [[LITTLE], [LITTLE, Crc32cCodec()]])
def test_where_inner_chunks_are(tmp_path, where, codecs):
    index, path = opened(tmp_path, index_location=where, index_codecs=codecs)
    assert index.counts == (2, 3)
    number = os.open(path, os.O_RDONLY)
    pairs = index.read(CellFile(number, np.dtype("f8")), path.stat().st_size)
    os.close(number)
    assert pairs.shape == (2, 3, 2)
    assert (pairs[:, 0] == ABSENT).all()
    assert (pairs[:, 1:, 1] == 48).all()
    own = 4 * len(index.decoders)
    first = 96 + own if where == "start" else 0
    assert sorted(pairs[:, 1:, 0].ravel()) == [first, first + 48, first + 96, first + 144]


def test_a_corrupt_index(tmp_path):
    index, path = opened(tmp_path)
    path.write_bytes(path.read_bytes()[:-8] + bytes(8))
    number = os.open(path, os.O_RDONLY)
    with pytest.raises(ValueError, match="checksum"):
        index.read(CellFile(number, np.dtype("f8")), path.stat().st_size)
    with pytest.raises(ValueError, match="it has 20 bytes, and its index alone 100"):
        index.read(CellFile(number, np.dtype("f8")), 20)
    os.close(number)


@pytest.mark.parametrize(
    "codecs",
    [[BIG], [LITTLE, GzipCodec()], [LITTLE, GzipCodec(), Crc32cCodec()]],
)
def test_an_index_that_only_zarr_decodes(codecs):
    assert ShardIndex.of(ShardingCodec(chunk_shape=(2,), index_codecs=codecs), (4,)) is None


@pytest.mark.parametrize("in_zip", [False, True])
@pytest.mark.parametrize(
    ("at", "length"), [(0, 10**15), (2**63, 2**63), (2**64 - 2, 10), (10, 800)]
)
def test_an_index_that_lies_takes_no_memory(tmp_path, at, length, in_zip):
    made = zarr.create_array(
        tmp_path / "x", shape=(100,), chunks=(50,), shards=(100,), dtype="f8", compressors=None
    )
    made[...] = np.arange(100.0)
    chunk = tmp_path / "x" / "c" / "0"
    content = chunk.read_bytes()
    index = np.array([[0, 400], [at, length]], "<u8").tobytes()
    checksum = google_crc32c.value(index).to_bytes(4, "little")
    chunk.write_bytes(content[:-36] + index + checksum)
    place = tmp_path / "x"
    if in_zip:
        place = shutil.make_archive(str(tmp_path / "x"), "zip", tmp_path / "x")
    x = dt.from_zarr(place)
    np.testing.assert_array_equal(x[:50].compute(scheduler="sync"), np.arange(50.0))
    for part in (x, x[60:70]):
        with pytest.raises(dt.StoreError, match="c/0"):
            part.compute(scheduler="sync")


def test_a_compressed_chunk_of_a_tebibyte_is_not_read(tmp_path):
    made = zarr.create_array(tmp_path, shape=(100,), chunks=(100,), dtype="f8")
    made[...] = np.arange(100.0)
    with (tmp_path / "c" / "0").open("r+b") as file:
        file.truncate(2**40)
    with pytest.raises(dt.StoreError, match="c/0: it has 1099511627776 bytes, more than"):
        dt.from_zarr(tmp_path).compute(scheduler="sync")
