import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.cells.cell_updates import MAKERS, cell_update, ufunc_update, updated


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f8"])
def test_updates_keep_the_dtype(name, dtype):
    made = cell_update(name, np.dtype(dtype))
    assert made.dtype == dtype
    assert made.parameters == (np.dtype(dtype),) * 2


def test_replacing_is_the_second_parameter():
    assert cell_update("update", np.dtype("S3")).chosen == 1
    assert cell_update("add", np.dtype("i4")).chosen is None


@pytest.mark.parametrize(("name", "dtype"), [("less", "c16"), ("add", "M8[s]"), ("mul", "S3")])
def test_what_cells_cannot_do_is_refused(name, dtype):
    with pytest.raises(DTypeError, match="cells of dtype"):
        cell_update(name, np.dtype(dtype))


def test_ufuncs_compute_in_their_loop_and_convert_back():
    made = ufunc_update("add", np.dtype("i1"), np.dtype("f8"))
    assert made.parameters == (np.dtype("i1"), np.dtype("f8"))
    assert made.dtype == np.int8
    alone = ufunc_update("negative", np.dtype("f4"), np.dtype("u1"))
    assert str(alone) == "negative($0)"
    with pytest.raises(DTypeError, match="no loop"):
        ufunc_update("add", np.dtype("M8[s]"), np.dtype("M8[s]"))


def test_cells_updated_each_by_its_own_value():
    x, values = dt.asarray([1.0, 5.0]), dt.asarray([3.0, 3.0])
    made = updated(x.node, values.node, cell_update("greater", x.dtype))
    assert dt.Array(made).compute().tolist() == [3, 5]
