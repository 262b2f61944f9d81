from uuid import uuid4

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.sinks.zarr_layout import ZarrLayout, compressor_options
from dask_tapestry.io.stores.zarr_location import Location


def options(layout, group=None):
    place = Location.of(zarr.storage.MemoryStore(), None, uuid4().hex)
    return layout.options(dt.ones((6, 8), "f4").rename("y", "x").node, place, group, None)


def test_what_zarr_is_told():
    told = options(ZarrLayout((2, 4), (4, 8), None))
    assert told == {
        "chunks": (2, 4),
        "shards": (4, 8),
        "zarr_format": 3,
        "compressors": None,
        "dimension_names": ("y", "x"),
    }
    assert options(ZarrLayout(-1, compressor=None), group=2) == {
        "chunks": (6, 8),
        "shards": None,
        "zarr_format": 2,
        "compressors": None,
        "attributes": {"_ARRAY_DIMENSIONS": ["y", "x"]},
    }


@pytest.mark.parametrize(
    ("layout", "group", "error"),
    [
        (ZarrLayout("small"), None, dt.ShapeError),
        (ZarrLayout((2,)), None, dt.ShapeError),
        (ZarrLayout(0), None, dt.ShapeError),
        (ZarrLayout((2, 4), (3, 8)), None, dt.ShapeError),
        (ZarrLayout((2, 4), (4, 8)), 2, dt.StoreError),
        (ZarrLayout(zarr_format=3), 2, dt.StoreError),
        (ZarrLayout(zarr_format=4), None, dt.StoreError),
    ],
)
def test_what_is_no_layout(layout, group, error):
    with pytest.raises(error):
        options(layout, group)


def test_bytes_are_shuffled_where_cells_have_several():
    for dtype, wanted in (("f2", "shuffle"), ("u1", "noshuffle")):
        shuffle = compressor_options("auto", np.dtype(dtype))["compressors"].shuffle
        assert getattr(shuffle, "value", shuffle) == wanted  # an enumeration until zarr 3.2
    assert compressor_options(None, np.dtype("f2")) == {"compressors": None}
    codec = compressor_options("auto", np.dtype("f2"), 2)["compressors"]
    assert codec.shuffle == codec.SHUFFLE


@pytest.mark.parametrize(("group", "codec"), [(2, "numcodecs.Zstd"), (3, "zarr.codecs.ZstdCodec")])
def test_names_of_codecs_are_refused(group, codec):
    with pytest.raises(dt.errors.ArgumentError, match=f"compressors must be .*{codec}.*not 'gzip'"):
        options(ZarrLayout(compressor="gzip"), group)
