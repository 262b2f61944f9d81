import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells.fixed_dtype import cell_dtype, dtype_name, fixed_dtype


@pytest.mark.parametrize("code", ["<f8", ">f8", ">U3", ">M8[s]", "S2", "?"])
def test_the_byte_order_is_that_of_this_machine(code):
    assert fixed_dtype(np.dtype(code)).isnative
    assert fixed_dtype(np.dtype(code)) == np.dtype(code).newbyteorder("=")


@pytest.mark.parametrize("dtype", [np.dtype(object), np.dtypes.StringDType()])
def test_what_lies_outside_of_its_cells_is_a_dtype_but_not_a_fixed_one(dtype):
    assert cell_dtype(dtype) == dtype
    with pytest.raises(dt.DTypeError, match=r"lie outside of their arrays.*'U' for texts"):
        fixed_dtype(dtype)


def test_objects_as_fields_are_refused():
    with pytest.raises(dt.DTypeError, match="fields"):
        dt.asarray(np.zeros(2, [("a", object), ("b", int)]))


def test_characters_are_bytes():
    assert cell_dtype(np.dtype("c")).char == "S"
    for name in ("zeros", "ones", "empty"):
        found = getattr(dt, name)(3, "c")
        assert found.dtype == np.dtype("c")
        assert found.compute().shape == (3,)
    np.testing.assert_array_equal(dt.zeros(3, "c").compute(), np.zeros(3, "c"))


def test_values_in_other_forms_are_called_by_their_names():
    class Form:
        name = "buckets"

    assert [dtype_name(np.dtype(d)) for d in ("f4", "U3", "S2", "M8[s]")] == [
        "float32", "<U3", "|S2", "datetime64[s]",
    ]  # fmt: skip
    assert dtype_name(Form()) == "buckets"
