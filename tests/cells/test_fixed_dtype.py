import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells.fixed_dtype import fixed_dtype


@pytest.mark.parametrize("code", ["<f8", ">f8", ">U3", ">M8[s]", "S2", "?"])
def test_the_byte_order_is_that_of_this_machine(code):
    assert fixed_dtype(np.dtype(code)).isnative
    assert fixed_dtype(np.dtype(code)) == np.dtype(code).newbyteorder("=")


def test_what_lies_outside_of_its_cells_is_refused_with_the_way_out():
    with pytest.raises(dt.DTypeError, match=r"Python objects .*'U' for texts.*map_blocks"):
        dt.asarray(np.array([1, "a"], object))
    with pytest.raises(dt.DTypeError, match=r"StringDType.*astype\('U'\)"):
        dt.asarray(np.array(["a", "b"], np.dtypes.StringDType()))
