import numpy as np
import pytest
import zarr
from numcodecs import GZip

import dask_tapestry as dt

WORDS = np.array(["a", "bcd", "", "é" * 50, "e", "f", "g", "h"])
CODECS = [None, zarr.codecs.GzipCodec(), zarr.codecs.ZstdCodec(), zarr.codecs.BloscCodec()]


@pytest.mark.parametrize("shards", [None, (8,)])
@pytest.mark.parametrize("codec", CODECS)
def test_strings_that_are_compressed_are_read(tmp_path, codec, shards):
    made = zarr.create_array(
        tmp_path, shape=(8,), chunks=(4,), shards=shards, dtype=str,
        compressors=None if codec is None else [codec],
    )  # fmt: skip
    made[...] = WORDS
    np.testing.assert_array_equal(dt.from_zarr(tmp_path).compute(scheduler="sync"), WORDS)


def test_strings_of_version_2_are_read(tmp_path):
    made = zarr.create_array(
        tmp_path, shape=(8,), chunks=(4,), dtype=str, zarr_format=2, compressors=GZip()
    )
    made[...] = WORDS
    np.testing.assert_array_equal(dt.from_zarr(tmp_path).compute(scheduler="sync"), WORDS)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("said", [0, 3, 5, 2**32 - 1])
def test_strings_are_counted_before_memory_is_taken(tmp_path, version, said):
    made = zarr.create_array(
        tmp_path, shape=(8,), chunks=(4,), dtype=str, zarr_format=version, compressors=None
    )
    made[...] = WORDS
    chunk = tmp_path / ("c/1" if version == 3 else "1")
    chunk.write_bytes(said.to_bytes(4, "little") + chunk.read_bytes()[4:])
    with pytest.raises(dt.StoreError, match=f"it says that it has {said} cells, not 4"):
        dt.from_zarr(tmp_path).compute(scheduler="sync")


def test_arrays_in_memory_are_decoded_within_bounds():
    store = zarr.storage.MemoryStore()
    made = zarr.create_array(
        store, shape=(100,), chunks=(100,), dtype="f8", compressors=[zarr.codecs.GzipCodec()]
    )
    made[...] = np.arange(100.0)
    x = dt.from_zarr(store)
    np.testing.assert_array_equal(x.compute(scheduler="sync"), np.arange(100.0))
    bomb = bytes(GZip(9).encode(np.zeros(2**26, "u1")))
    store._store_dict["c/0"] = zarr.core.buffer.cpu.Buffer.from_bytes(bomb)
    with pytest.raises(dt.StoreError, match="of a chunk"):
        x.compute(scheduler="sync")
