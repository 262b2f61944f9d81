import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.user_functions.declared_dtype import declared_dtype


def test_a_dtype_goes_before_an_array_like_the_result():
    assert declared_dtype("f4", np.empty(0)) == "f4"
    assert declared_dtype(None, [1.5]) == "f8"
    assert declared_dtype(None, None) is None


def test_an_array_like_the_result_is_not_computed():
    huge = dt.placeholder((10**9,), "i2", (10**7,))
    assert declared_dtype(None, huge) == "i2"


def test_objects_as_fields_are_refused():
    with pytest.raises(TypeError, match="Python objects"):
        declared_dtype([("a", object)], None)
