import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.patterns.dtypes import (
    get_float_type,
    get_int_or_float_bit_width,
    get_int_type,
    get_uint_type,
)


@pytest.mark.parametrize(
    "dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]
)
def test_a_dtype_is_its_kind_and_its_width(dtype):
    by_kind = {"i": get_int_type, "u": get_uint_type, "f": get_float_type}
    assert by_kind[dtype[0]](get_int_or_float_bit_width(dtype)) == np.dtype(dtype)


@pytest.mark.parametrize(
    "call",
    [
        lambda: get_int_type(7),
        lambda: get_uint_type(128),
        lambda: get_float_type(8),
        lambda: get_int_or_float_bit_width("c8"),
        lambda: get_int_or_float_bit_width(bool),
    ],
)
def test_others_are_refused(call):
    with pytest.raises(dt.DTypeError):
        call()
