import numcodecs
import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from zarr.codecs import BytesCodec, TransposeCodec, ZstdCodec
from zarr.storage import MemoryStore

from dask_tapestry.io.chunks.chunk_format import ChunkFormat

CHUNK = (4, 2, 1)
LITTLE = BytesCodec(endian="little")


def version_2(**options):
    options = {"zarr_format": 2, "chunks": CHUNK, "compressors": None} | options
    return ChunkFormat.of_version_2(
        zarr.create_array(MemoryStore(), shape=(7, 5, 3), **options).metadata
    )


def version_3(*codecs, dtype="f8"):
    return ChunkFormat.of_codecs(codecs, CHUNK, np.dtype(dtype))


def test_cells_one_after_the_other():
    found = version_3(LITTLE, dtype=">f4")
    assert found == ChunkFormat(CHUNK, (0, 1, 2), np.dtype("<f4"), ())
    assert found.nbytes == 32


def test_version_2():
    found = version_2(dtype=">i2", order="F")
    assert found == ChunkFormat((1, 2, 4), (2, 1, 0), np.dtype(">i2"), ())


def test_other_orders_of_the_axes():
    two = TransposeCodec(order=(1, 2, 0)), TransposeCodec(order=(0, 2, 1))
    found = version_3(*two, BytesCodec(endian="big"))
    assert found == ChunkFormat((2, 4, 1), (1, 0, 2), np.dtype(">f8"), ())


def test_what_only_zarr_decodes():
    assert version_2(dtype="f8", filters=[numcodecs.Delta(dtype="f8")]) is None
    assert version_3(zarr.codecs.ShardingCodec(chunk_shape=(2, 2, 1))) is None
    assert version_3(zarr.codecs.VLenUTF8Codec()) is None
    assert version_3(LITTLE, dtype="O") is None


@given(st.sampled_from(["<f8", ">f8"]), st.booleans(), st.booleans(), st.data())
def test_any_part_of_a_compressed_chunk(dtype, twice, gaps, data):
    codec = numcodecs.Zstd()
    form = version_3(BytesCodec(endian="big"), *[ZstdCodec()] * (1 + twice))
    cells = np.arange(8.0).reshape(CHUNK)
    stored = codec.encode(cells.astype(">f8"))
    stored = np.frombuffer(codec.encode(stored) if twice else stored, "u1")
    part = tuple(slice(*sorted(data.draw(st.tuples(*[st.integers(0, n)] * 2)))) for n in CHUNK)
    shape = cells[part].shape
    out = np.empty([n * (1 + gaps) for n in shape], dtype)[tuple(slice(n) for n in shape)]
    form.decode(stored, part, out)
    np.testing.assert_array_equal(out, cells[part])


@pytest.mark.parametrize("compress", [numcodecs.Zstd().encode, numcodecs.GZip().encode])
@pytest.mark.parametrize("cells", [7, 9])
def test_a_chunk_that_holds_another_number_of_cells(compress, cells):
    codec = ZstdCodec() if "zstd" in repr(compress).lower() else zarr.codecs.GzipCodec()
    stored = np.frombuffer(compress(np.arange(float(cells))), "u1")
    every = tuple(slice(0, n) for n in CHUNK)
    with pytest.raises(ValueError, match=r"it holds .* bytes, (not|more than the) 64"):
        version_3(LITTLE, codec).decode(stored, every, np.empty(CHUNK))
