"""Missing cells are filled along an axis as pandas fills them, with bottleneck or without."""

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")
pandas = pytest.importorskip("pandas")

import dask_tapestry as dt  # noqa: E402

RANDOM = np.random.default_rng(3)
CELLS = RANDOM.normal(size=(40, 6))
CELLS[RANDOM.random(CELLS.shape) < 0.6] = np.nan
CELLS[:, 0] = np.nan


@pytest.mark.covering
@pytest.mark.parametrize("limit", [None, 1, 3, 40, 99])
@pytest.mark.parametrize("name", ["ffill", "bfill"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_missing_cells_are_filled(name, limit, dtype):
    memory = xarray.DataArray(CELLS.astype(dtype), dims=("time", "x"), attrs={"units": "K"})
    expected = getattr(pandas.DataFrame(memory.values), name)(limit=limit)
    with dt.xarray.use():
        for chunks in ({"time": 7, "x": 2}, {"time": 1}, {}):
            found = getattr(memory.chunk(chunks), name)("time", limit=limit)
            assert isinstance(found.data, dt.Array)
            assert (found.dtype, found.attrs, found.dims) == (dtype, memory.attrs, memory.dims)
            np.testing.assert_array_equal(found, expected)


def test_cells_are_read_once_and_the_graph_does_not_grow():
    nodes = []
    with dt.xarray.use():
        for days in (1000, 30_000):
            stored = dt.placeholder((days, 100), "f8", stored_chunks=(50, 100))
            data = xarray.DataArray(stored, dims=("time", "x")).ffill("time").data
            nodes.append(len(data.teg.nodes))
            assert dt.plan(data).cost["bytes_read"] == stored.nbytes
    assert nodes[0] == nodes[1]
