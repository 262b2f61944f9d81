"""`xarray.map_blocks` gives arrays of the library back."""

import dask.array as da
import numpy as np
import pytest
import xarray as xr

import dask_tapestry as dt

DATA = xr.DataArray(
    np.arange(12.0).reshape(4, 3), {"x": [1, 2, 3, 4], "y": ("x", np.arange(4))}, ("x", "z")
)


@pytest.fixture(autouse=True)
def with_our_manager():
    with dt.xarray.use():
        yield


def test_a_data_array():
    mapped = DATA.chunk(x=2).map_blocks(lambda block: block + block.y)
    assert isinstance(mapped.data, dt.Array)
    assert mapped.chunks == ((2, 2), (3,))
    xr.testing.assert_identical(mapped.compute(), DATA + DATA.y)


def test_a_dataset():
    data = DATA.to_dataset(name="a").assign(b=DATA * 2).chunk(x=2)
    mapped = xr.map_blocks(lambda block: block.mean("z"), data)
    assert {type(v.data) for v in mapped.data_vars.values()} == {dt.Array}
    xr.testing.assert_identical(mapped.compute(), data.compute().mean("z"))


def test_others_are_left_to_xarray():
    theirs = DATA.copy(data=da.from_array(DATA.data, 2)).drop_vars("y")
    assert isinstance(xr.map_blocks(lambda block: block, theirs).data, da.Array)
    assert xr.map_blocks(lambda block: block, DATA) is DATA
