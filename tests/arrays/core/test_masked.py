import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.masked import Masked


def test_plain_functions_refuse_what_has_a_mask():
    x = dt.ma.masked_array([1, 2], [0, 1])
    assert isinstance(x, Masked)
    for call in (dt.asarray, dt.diff, dt.from_array):
        with pytest.raises(dt.DTypeError, match=r"its mask would be lost here.*`filled\(\)`"):
            call(x)


def test_ufuncs_take_it():
    x = dt.ma.masked_array([1, 2], [0, 1])
    assert isinstance(dt.add(dt.ones(2), x), dt.ma.MaskedArray)
    with pytest.raises(TypeError, match="abstract"):
        Masked(dt.ones(1), None)
