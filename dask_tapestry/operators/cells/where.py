"""Where: cells of one of two tensors, by a condition."""

from __future__ import annotations

import numpy as np

from dask_tapestry.amounts import reading
from dask_tapestry.operators.cells.elementwise import Operand, cell_call
from dask_tapestry.teg import Tensor


def where(condition: Operand, x: Operand, y: Operand) -> Tensor:
    """Choose `x` where `condition` is non-zero, else `y`, as `numpy.where` does.

    Source: Tapestry whitepaper, "where / max / min selectors": the same flow as a cell expression.
    """
    sides = [o.type.dtype if isinstance(o, Tensor) else o for o in (x, y)]
    with reading("where"):
        dtype = np.result_type(*sides)
    return cell_call("where", (condition, x, y), (np.dtype(bool), dtype, dtype), dtype)
