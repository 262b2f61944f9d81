import numpy as np
import pytest
import zarr
from numcodecs import BZ2, LZ4, Blosc, GZip, Shuffle, Zlib, Zstd
from zarr.codecs import BloscCodec, Crc32cCodec, GzipCodec, ZstdCodec

import dask_tapestry as dt
from dask_tapestry.io.chunks.codec_names import codec_name
from dask_tapestry.teg import USUAL_CODEC

OF_VERSION_2 = [
    (None, "plain"),
    (Blosc("lz4"), "lz4"),
    (Blosc("zstd"), "zstd"),
    (GZip(), "gzip"),
    (Zlib(), "zlib"),
    (BZ2(), "bz2"),
    (LZ4(), "lz4"),
    (Zstd(), "zstd"),
]
OF_VERSION_3 = [
    (None, "plain"),
    (BloscCodec(cname="lz4"), "lz4"),
    (GzipCodec(), "gzip"),
    ([ZstdCodec(), Crc32cCodec()], "zstd"),
    ([GzipCodec(), Crc32cCodec()], "gzip"),
    ([Crc32cCodec()], "plain"),
]
TOLD = {"shape": (40,), "chunks": (10,), "dtype": "f8"}


def made(codec, **options):
    return zarr.create_array({}, compressors=codec, **TOLD, **options)


@pytest.mark.parametrize(("codec", "name"), OF_VERSION_2)
def test_codecs_of_version_2(codec, name):
    assert codec_name(made(codec, zarr_format=2)) == name


@pytest.mark.parametrize("shards", [None, (20,)])
@pytest.mark.parametrize(("codec", "name"), OF_VERSION_3)
def test_codecs_of_version_3(codec, name, shards):
    assert codec_name(made(codec, shards=shards)) == name


def test_what_hdf5_compresses_by_filters():
    array = made(None, zarr_format=2, filters=[Shuffle(8), Zlib()])
    assert codec_name(array) == "zlib"


def test_usual_codecs_are_those_that_are_counted_as_usual():
    assert codec_name(made("auto")) == codec_name(made("auto", zarr_format=2)) == USUAL_CODEC


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(("codec", "name"), [("auto", "zstd"), (None, "plain")])
def test_what_is_written_and_read_names_its_codec(tmp_path, codec, name, zarr_format):
    told = {"compressors": codec, "zarr_format": zarr_format}
    sink = dt.to_zarr(dt.ones(8), tmp_path / "x", compute=False, **told).node.operator
    assert sink.codec == sink.slot(1).codec == name
    dt.to_zarr(dt.ones(8), tmp_path / "x", **told)
    source = dt.from_zarr(tmp_path / "x").node.operator
    assert source.codec == source.slot(1).codec == name
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), np.ones(8))
