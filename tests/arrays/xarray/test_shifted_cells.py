"""What xarray shifts and rolls keeps its chunks, and is not held in them."""

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")

import dask_tapestry as dt  # noqa: E402

MOVES = {
    "shift": lambda data, n: data.shift(time=n),
    "shift, filled": lambda data, n: data.shift(time=n, fill_value=7),
    "shift of both": lambda data, n: data.shift(time=n, x=-n),
    "roll": lambda data, n: data.roll(time=n),
}


@pytest.mark.parametrize("count", [0, 1, -3, 40, -99])
@pytest.mark.parametrize("name", MOVES)
def test_cells_move_and_chunks_stay(name, count):
    for dtype in ("f4", "i8", "M8[ns]"):
        cells = np.arange(40 * 6).reshape(40, 6).astype(dtype)
        memory = xarray.DataArray(cells, dims=("time", "x"), attrs={"units": "K"})
        expected = MOVES[name](memory, count)
        with dt.xarray.use():
            for chunks in ({"time": 7, "x": 2}, {"time": 1}, {}):
                data = memory.chunk(chunks)
                found = MOVES[name](data, count)
                assert found.chunks == data.chunks
                assert found.dtype == expected.dtype
                xarray.testing.assert_identical(found.compute(), expected)


@pytest.mark.parametrize("name", MOVES)
def test_no_step_is_made_for_the_chunks(name):
    """A mean of what was moved is one pass, whatever the chunks."""
    with dt.xarray.use():
        stored = dt.placeholder((480, 100, 100), "f4", stored_chunks=(4, 100, 100))
        data = xarray.DataArray(stored, dims=("time", "x", "y"))
        value = ((MOVES[name](data, 3) - data) ** 2).mean()
        assert dt.plan(value.data).cost["tasks"] < 100


def test_arrays_of_others_are_moved_as_before():
    memory = xarray.DataArray(np.arange(6.0), dims="x")
    with dt.xarray.use():
        np.testing.assert_array_equal(memory.roll(x=2), np.roll(np.arange(6.0), 2))
