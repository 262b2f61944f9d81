"""Zero stuffing: the cells of a tensor apart from each other, with zeros between."""

from __future__ import annotations

import numpy as np

from dask_tapestry.operators.joins.axis_slices import slice_axis
from dask_tapestry.operators.joins.pad import pad_constant
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor


def spread(x: Tensor, axis: int, step: int) -> Tensor:
    """`x` with its cells `step` apart along `axis`, and zeros between.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.Array(spread(dt.arange(1, 4).node, 0, 3)).compute()
    array([1, 0, 0, 2, 0, 0, 3])
    """
    shape = x.type.shape
    if step == 1 or shape[axis] < 2:
        return x
    zero = np.zeros((), x.type.dtype)[()]
    wide = pad_constant(unsqueeze(x, axis + 1), axis + 1, (0, step - 1), (zero, zero))
    line = reshape(wide, (*shape[:axis], shape[axis] * step, *shape[axis + 1 :]))
    return slice_axis(line, axis, 0, (shape[axis] - 1) * step + 1)
