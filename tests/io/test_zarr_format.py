import numpy as np
import pytest
import zarr
from numcodecs import Delta
from zarr.codecs import BytesCodec, TransposeCodec
from zarr.storage import MemoryStore

from dask_tapestry.io.zarr_format import ChunkFormat


def array(**options):
    return zarr.create_array(MemoryStore(), shape=(7, 5, 3), chunks=(4, 2, 1), **options)


def test_cells_one_after_the_other():
    found = ChunkFormat.of(array(dtype="f4", compressors=None, fill_value=2))
    assert found.sides == (4, 2, 1)
    assert found.axes == (0, 1, 2)
    assert found.dtype == np.dtype("<f4")
    assert found.nbytes == 32
    assert found.fill == 2
    assert found.key((1, 0, 2)) == "c/1/0/2"


def test_version_2():
    found = ChunkFormat.of(array(dtype=">i2", compressors=None, zarr_format=2, order="F"))
    assert found.sides == (1, 2, 4)
    assert found.axes == (2, 1, 0)
    assert found.dtype == np.dtype(">i2")
    assert found.key((1, 0, 2)) == "1.0.2"


def test_other_orders_of_the_axes():
    options = {"dtype": "f8", "compressors": None, "serializer": BytesCodec(endian="big")}
    two = (TransposeCodec(order=(1, 2, 0)), TransposeCodec(order=(0, 2, 1)))
    found = ChunkFormat.of(array(filters=two, **options))
    assert found.axes == (1, 0, 2)
    assert found.sides == (2, 4, 1)
    assert found.dtype == np.dtype(">f8")


@pytest.mark.parametrize(
    "options",
    [
        {"shards": (8, 2, 1), "compressors": None},
        {"filters": [Delta(dtype="f8")], "compressors": None, "zarr_format": 2},
    ],
)
def test_what_only_zarr_decodes(options):
    assert ChunkFormat.of(array(dtype="f8", **options)) is None
