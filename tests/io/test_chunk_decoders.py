import tracemalloc

import google_crc32c
import numcodecs
import numpy as np
import pytest
import zarr
import zarr.codecs

import dask_tapestry as dt
from dask_tapestry.io.chunk_decoders import decoders_of, zstd_size

CELLS = np.arange(5000.0)
CODECS = [
    (numcodecs.Blosc(), zarr.codecs.BloscCodec()),
    (numcodecs.Blosc("lz4", shuffle=0), numcodecs.Blosc()),
    (numcodecs.Zstd(), zarr.codecs.ZstdCodec()),
    (numcodecs.Zstd(checksum=True), numcodecs.Zstd()),
    (numcodecs.GZip(), zarr.codecs.GzipCodec()),
    *[(codec, codec) for codec in (numcodecs.LZ4(), numcodecs.Zlib(), numcodecs.BZ2())],
    (numcodecs.LZMA(), numcodecs.LZMA()),
]


@pytest.mark.parametrize(("encoder", "codec"), CODECS)
@pytest.mark.parametrize("size", [None, -8, 0, 8])
def test_what_was_encoded_is_decoded(encoder, codec, size):
    stored = np.frombuffer(encoder.encode(CELLS), "u1")
    out = None if size is None else np.full(CELLS.nbytes + size, 7, "u1")
    ((decode, fills),) = decoders_of([codec])
    found = decode(stored, out, 2**20)
    assert bytes(found) == CELLS.tobytes()
    assert (found is out) == (size == 0 and fills)


def test_memory_of_another_size_is_left_alone():
    stored = np.frombuffer(numcodecs.Zstd().encode(CELLS), "u1")
    out = np.full(CELLS.nbytes + 8, 7, "u1")
    decoders_of([numcodecs.Zstd()])[0].decode(stored, out, 2**20)
    assert (out == 7).all()


def test_a_checksum_is_looked_at():
    ((decode, _),) = decoders_of([zarr.codecs.Crc32cCodec()])
    content = CELLS.tobytes()
    stored = content + google_crc32c.value(content).to_bytes(4, "little")
    assert decode(np.frombuffer(stored, "u1"), None, 2**20).tobytes() == content
    with pytest.raises(ValueError, match=r"its checksum is [0-9a-f]{8}, not "):
        decode(np.frombuffer(b"x" + stored[1:], "u1"), None, 2**20)


@pytest.mark.parametrize("cut", [0, 3, 15, 16, 40, -1])
@pytest.mark.parametrize(("encoder", "codec"), CODECS)
def test_truncated_bytes_are_refused(encoder, codec, cut):
    stored = np.frombuffer(encoder.encode(CELLS), "u1")[:cut]
    ((decode, _),) = decoders_of([codec])
    with pytest.raises(Exception, match=r"."):  # each codec has errors of its own
        assert len(decode(stored, None, 2**20)) == CELLS.nbytes


@pytest.mark.parametrize("length", [0, 1, 7, 255, 256, 300, 65_791, 65_792, 10**6])
@pytest.mark.parametrize("level", [-5, 1, 19])
def test_the_size_that_zstd_says(length, level):
    stored = np.frombuffer(numcodecs.Zstd(level=level).encode(b"ab" * length), "u1")
    assert zstd_size(stored) == 2 * length


def test_codecs_that_are_not_known():
    class Own(numcodecs.Zstd):
        pass

    assert decoders_of([Own()]) is None
    assert decoders_of([numcodecs.Delta(dtype="f8")]) is None
    assert decoders_of([]) == ()


def test_the_last_codec_is_decoded_first():
    gzip, zstd = numcodecs.GZip(), numcodecs.Zstd()
    first, second = decoders_of([gzip, zstd])
    stored = np.frombuffer(zstd.encode(gzip.encode(CELLS)), "u1")
    assert (
        bytes(second.decode(np.frombuffer(first.decode(stored, None, 2**20), "u1"), None, 2**20))
        == CELLS.tobytes()
    )


def test_gzip_of_several_members():
    codec = numcodecs.GZip()
    stored = codec.encode(CELLS[:100]) + codec.encode(CELLS[100:])
    ((decode, _),) = decoders_of([codec])
    assert bytes(decode(np.frombuffer(stored, "u1"), None, 2**20)) == CELLS.tobytes()


BOMBS = {
    "zstd": numcodecs.Zstd(1), "gzip": numcodecs.GZip(9), "bz2": numcodecs.BZ2(9),
    "zlib": numcodecs.Zlib(9), "lzma": numcodecs.LZMA(preset=0), "blosc": numcodecs.Blosc(),
    "lz4": numcodecs.LZ4(),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_a_chunk_that_holds_more_than_it_may_takes_no_memory(tmp_path, name):
    codec = BOMBS[name]
    zarr.create_array(
        tmp_path, shape=(100,), chunks=(100,), dtype="f8", zarr_format=2, compressors=codec
    )
    (tmp_path / "0").write_bytes(bytes(codec.encode(np.zeros(2**26, "u1"))))
    x = dt.from_zarr(tmp_path)
    tracemalloc.start()
    with pytest.raises(dt.StoreError, match="more than the 800 of a chunk"):
        x.compute(scheduler="sync")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24
