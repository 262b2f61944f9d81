import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.sources.chunked_source import ChunkedSource
from dask_tapestry.zspace import ZRange

CELLS = np.arange(12, dtype="i4")


class Chunked:
    """An object that is read by slices, and names its chunks."""

    shape, dtype, chunks = (12,), CELLS.dtype, (5,)

    def __getitem__(self, key):
        return CELLS[key]


@pytest.mark.parametrize("kind", ["object", "zarr"])
def test_whole_chunks_are_read(kind, tmp_path):
    stored = zarr.create_array(tmp_path / "x", data=CELLS, chunks=(5,))
    x = dt.from_array(Chunked()) if kind == "object" else dt.from_zarr(stored)
    source = x.node.operator
    assert isinstance(source, ChunkedSource)
    assert (source.infer(), source.chunks) == (x.node.type, (5,))
    assert source.stored_bytes(ZRange((4,), (6,))) == 40
    np.testing.assert_array_equal(source.reference(), CELLS)
