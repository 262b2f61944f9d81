import os

import numpy as np
import pytest
import zarr
from zarr.codecs import BytesCodec, Crc32cCodec, GzipCodec, ShardingCodec

from dask_tapestry.io.file_cells import CellFile
from dask_tapestry.io.shard_index import ABSENT, ShardIndex

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
