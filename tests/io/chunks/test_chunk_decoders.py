import tracemalloc

import google_crc32c
import numcodecs
import numpy as np
import pytest
import zarr
import zarr.codecs

import dask_tapestry as dt
from dask_tapestry.io.chunks.chunk_decoders import ZSTD, decoders_of, zstd_size

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


@pytest.mark.parametrize(("encoder", "codec"), CODECS)
def test_memory_is_taken_for_what_is_stored(encoder, codec):
    """Not for the most that there may be, which of strings is far more than there is."""
    stored = np.frombuffer(encoder.encode(CELLS), "u1")
    ((decode, _),) = decoders_of([codec])
    tracemalloc.start()
    try:
        assert bytes(decode(stored, None, 2**40)) == CELLS.tobytes()
        assert tracemalloc.get_traced_memory()[1] < 2**26
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encoder", [numcodecs.GZip(9), numcodecs.Zlib(9)])
@pytest.mark.parametrize("size", [1, 1000, 10**7])
def test_zeros_are_inflated_as_far_as_they_go(encoder, size):
    stored = np.frombuffer(encoder.encode(np.zeros(size, "u1")), "u1")
    assert bytes(decoders_of([encoder])[0].decode(stored, None, 2**40)) == bytes(size)


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


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", BOMBS)
def test_a_chunk_that_holds_more_than_it_may_takes_no_memory(tmp_path, name):
    codec = BOMBS[name]
    zarr.create_array(
        tmp_path, shape=(100,), chunks=(100,), dtype="f8", zarr_format=2, compressors=codec
    )
    (tmp_path / "0").write_bytes(bytes(codec.encode(np.zeros(2**26, "u1"))))
    x = dt.from_zarr(tmp_path)
    tracemalloc.start()
    with pytest.raises(dt.StoreError, match=r"more than (the 800 of a chunk|67136)"):
        x.compute(scheduler="sync")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**24


def _frame(*blocks: bytes) -> bytes:
    """A frame of zstd that does not say what it holds: of a window of 1 MiB, no checksum."""
    return ZSTD + bytes([0, 0x50]) + b"".join(blocks)


def _block(kind: int, size: int, cells: bytes, last: bool = False) -> bytes:
    return (last | kind << 1 | size << 3).to_bytes(3, "little") + cells


WHOLE = _frame(
    _block(0, 400, CELLS.tobytes()[:400]), _block(0, 400, CELLS.tobytes()[400:800], True)
)
BOMB = _frame(*[_block(1, 2**17, b"\0")] * 2**13, _block(0, 0, b"", True))  # a GiB in 32 KiB


@pytest.mark.parametrize("place", [None, 800])
def test_a_frame_that_does_not_say_how_much_it_holds(place):
    ((decode, _),) = decoders_of([numcodecs.Zstd()])
    out = None if place is None else np.empty(place, "u1")
    found = decode(np.frombuffer(WHOLE, "u1"), out, 800)
    assert bytes(found) == CELLS.tobytes()[:800]
    tracemalloc.start()
    with pytest.raises((ValueError, RuntimeError)):
        decode(np.frombuffer(BOMB, "u1"), out, 800)
    with pytest.raises((ValueError, RuntimeError)):
        decode(np.frombuffer(WHOLE[:100], "u1"), out, 800)
    assert tracemalloc.get_traced_memory()[1] < 2**22
    tracemalloc.stop()


def test_frames_without_a_size_are_read(tmp_path):
    zarr.create_array(
        tmp_path,
        shape=(100,),
        chunks=(100,),
        dtype="f8",
        zarr_format=2,
        compressors=numcodecs.Zstd(),
    )
    (tmp_path / "0").write_bytes(WHOLE)
    found = dt.from_zarr(tmp_path).compute(scheduler="sync")
    assert found.tobytes() == CELLS.tobytes()[:800]
    (tmp_path / "0").write_bytes(BOMB)
    with pytest.raises(dt.StoreError, match="cannot read chunk 0"):
        dt.from_zarr(tmp_path).compute(scheduler="sync")


@pytest.mark.parametrize("by", [-8, 8, 2**31 - 2000])
@pytest.mark.parametrize("name", ["blosc", "lz4", "zstd"])
def test_heads_that_say_another_size_are_errors(tmp_path, name, by):
    codec = BOMBS[name]
    zarr.create_array(
        tmp_path, shape=(100,), chunks=(100,), dtype="f8", zarr_format=2, compressors=codec
    )
    stored = bytearray(codec.encode(np.arange(100.0)))
    at, width = {"blosc": (4, 4), "lz4": (0, 4), "zstd": (5, 2)}[name]
    said = int.from_bytes(stored[at : at + width], "little")
    assert said == 800 - 256 * (name == "zstd")
    stored[at : at + width] = ((said + by) % 256**width).to_bytes(width, "little")
    (tmp_path / "0").write_bytes(bytes(stored))
    with pytest.raises(dt.StoreError, match="cannot read chunk 0"):
        dt.from_zarr(tmp_path).compute(scheduler="sync")


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_behind_filters_take_no_memory(tmp_path, name):
    codec = BOMBS[name]
    made = zarr.create_array(
        tmp_path, shape=(100,), chunks=(100,), dtype="f8", zarr_format=2, compressors=codec,
        filters=[numcodecs.Delta("f8")],
    )  # fmt: skip
    made[...] = CELLS[:100]
    x = dt.from_zarr(tmp_path)
    np.testing.assert_array_equal(x.compute(scheduler="sync"), CELLS[:100])
    (tmp_path / "0").write_bytes(bytes(codec.encode(np.zeros(2**26, "u1"))))
    with pytest.raises(dt.StoreError, match="more than the 68736 of a chunk"):
        x.compute(scheduler="sync")
