import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.cells.cellwise import common_shape
from dask_tapestry.teg import TensorType


def test_shapes_and_names_are_those_of_all():
    named = TensorType((2, 3), np.dtype("f8"), ("row", None))
    other = TensorType((2, 3), np.dtype("i4"), (None, "column"))
    assert common_shape((named, other), "formula") == ((2, 3), ("row", "column"))
    with pytest.raises(dt.ShapeError, match="a formula takes tensors of one shape"):
        common_shape((named, TensorType((3,), np.dtype("f8"))), "formula")


def test_names_that_disagree_are_refused_by_functions_of_cells_too():
    added = np.frompyfunc(lambda a, b: a + b, 2, 1)
    x, y = dt.ones(3).rename("row"), dt.ones(3).rename("column")
    for call in (np.add, added):
        with pytest.raises(dt.ShapeError, match="two names"):
            call(x, y)
