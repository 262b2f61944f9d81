"""Programs of xarray have the values in chunks that they have in memory."""

from importlib.util import find_spec

import numpy as np
import pytest
import xarray as xr

import dask_tapestry as dt
from tests.comparisons.xarray_programs import XARRAY_PROGRAMS, weather

BY_BOTTLENECK = {"ranks", "filled backward", "interpolated gaps", "dry spells"}  # in memory
KNOWN = [name for name in XARRAY_PROGRAMS if name not in BY_BOTTLENECK or find_spec("bottleneck")]


@pytest.mark.few(23)  # a fixed half
@pytest.mark.parametrize("chunks", [{"time": 50, "lat": 5}, {"time": 365, "lon": 7}])
@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.filterwarnings("ignore")  # what NumPy says of empty slices, in memory too
def test_values_are_those_in_memory(name, chunks):
    data, program = weather(), XARRAY_PROGRAMS[name]
    wanted = program(data)
    with dt.xarray.use():
        made = program(data.chunk(chunks))
        variables = made.data_vars.values() if isinstance(made, xr.Dataset) else [made]
        assert all(isinstance(one.data, dt.Array) for one in variables)
        found = made.compute()
    assert found.dims == wanted.dims
    assert found.coords.keys() == wanted.coords.keys()
    for one in found.coords:
        np.testing.assert_array_equal(found[one], wanted[one])
    xr.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
