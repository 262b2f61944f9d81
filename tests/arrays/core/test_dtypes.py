import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.dtypes import as_dtype


@pytest.mark.parametrize("given", [int, "f4", np.float16, np.dtype("i2"), bool, "M8[ns]", None])
def test_what_numpy_takes(given):
    assert as_dtype(given) == np.dtype(given)


def test_the_byte_order_is_that_of_this_machine():
    for order in "<>":
        assert as_dtype(f"{order}f8").isnative


@pytest.mark.parametrize("wrong", ["float33", 7, object(), "a b"])
def test_what_is_no_dtype(wrong):
    with pytest.raises(dt.DTypeError, match="unknown dtype") as caught:
        as_dtype(wrong)
    assert isinstance(caught.value, TypeError)


def test_python_objects_are_no_fields():
    assert as_dtype(object) == np.dtype("O")
    with pytest.raises(dt.DTypeError, match="Python objects"):
        as_dtype([("a", object)])
