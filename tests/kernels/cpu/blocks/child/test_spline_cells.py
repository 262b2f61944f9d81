import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.child import spline_cells
from dask_tapestry_kernels.cpu.blocks.spline_weights import WEIGHTS
from dask_tapestry_kernels.parameters.casts import rounded

CELLS = (0.0, 0.5, -0.5, 2.5, 126.6, -128.7, 1e30, -1e30, np.nan)


@pytest.mark.parametrize("order", range(6))
def test_weights_are_those_of_arrays(order):
    found = getattr(spline_cells, f"weights{order}").py_func(np.float64(3.3))
    assert found == WEIGHTS[order](np.float64(3.3))


@pytest.mark.parametrize("cell", CELLS)
def test_rounding_is_that_of_arrays(cell):
    signed = spline_cells.rounded_signed.py_func(cell, -128.0, 127.0, 127)
    unsigned = spline_cells.rounded_unsigned.py_func(cell, 255.0, 255)
    assert signed == rounded(np.array(cell), np.dtype("i1"))
    assert unsigned == rounded(np.array(cell), np.dtype("u1"))
