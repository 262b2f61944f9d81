import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.index_keys import Advanced
from dask_tapestry.arrays.indexing.regular_places import as_slice
from tests.comparisons import same_bits

CELLS = np.arange(7 * 6 * 5.0).reshape(7, 6, 5)
RANGES = [[1, 2, 3], [0, 2, 4], [4, 3, 2, 1, 0], [4, 2, 0], [-3, -2, -1], [1, 2, -2]]
OTHERS = [[1, 2, 4], [0, 1, 0, 1], [2, 2, 2], [0, 1], [3], [], [[0, 1, 2]], [0, 1, 3, 3]]


def places(values):
    return np.array(values, int)


@pytest.mark.parametrize("values", [*RANGES, *OTHERS])
@pytest.mark.parametrize("around", ["x[i]", "x[:, i]", "x[..., i]", "x[0, i]", "x[None, i]"])
def test_as_numpy(values, around):
    names = {"i": places(values)}
    expected = eval(around, names | {"x": CELLS})
    assert same_bits(eval(around, names | {"x": dt.asarray(CELLS)}).compute(), expected)


@pytest.mark.parametrize("around", ["x[0, :, i]", "x[i, :, 0]", "x[i, :, i]", "x[i, i]"])
def test_where_dimensions_move_or_meet(around):
    names = {"i": places([1, 2, 3])}
    expected = eval(around, names | {"x": CELLS})
    assert same_bits(eval(around, names | {"x": dt.asarray(CELLS)}).compute(), expected)


@pytest.mark.parametrize("dtype", ["i1", "u1", "u8", "i8"])
def test_places_of_all_integers(dtype):
    for values in ([1, 2, 3], [4, 2, 0]):
        index = np.array(values, dtype)
        assert same_bits(dt.asarray(CELLS)[:, index].compute(), CELLS[:, index])


@pytest.mark.parametrize("values", RANGES)
def test_ranges_are_slices(values):
    found = as_slice(Advanced(places(values) % 5, (2,), 2))
    assert np.arange(5)[found].tolist() == [value % 5 for value in values]


@pytest.mark.parametrize("values", OTHERS)
def test_other_places_are_none(values):
    assert as_slice(Advanced(places(values), (0,), 0)) is None


def test_places_out_of_bounds_are_refused():
    with pytest.raises(IndexError, match="out of bounds"):
        dt.asarray(CELLS)[[4, 5, 6, 7]]


def test_computed_places_stay_a_table():
    index = dt.arange(3) + 1
    assert same_bits(dt.asarray(CELLS)[index].compute(), CELLS[1:4])


@pytest.mark.parametrize("values", [range(2, 9), range(0, 12, 4), range(11, 3, -1), range(12)])
def test_chunks_are_dasks(values):
    index = places(values)
    ours, theirs = (lib.ones((12, 4), chunks=(3, 4))[index].chunks for lib in (dt, da))
    assert ours == theirs
    unsaid = dt.asarray(np.ones((12, 4)))[index]
    assert unsaid.chunks == ((len(index),), (4,))


def test_xarray_aligns_by_slices():
    xr = pytest.importorskip("xarray")
    with dt.xarray.use():
        coords = {"time": np.arange(9)}
        x = xr.DataArray(dt.ones((9, 4), chunks=(3, 4)) * 2, coords, dims=("time", "place"))
        change = x.diff("time") + x
    assert "take" not in repr(dt.plan(change.data).core.written)
    assert same_bits(change.data.compute(), np.full((8, 4), 2.0))
