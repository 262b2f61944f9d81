"""Memory for blocks of a value, which may be cells of one array or of several outputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dask_tapestry.lower.values_until_last_use import Block
from dask_tapestry.memory.buffer_pool import POOL
from dask_tapestry.teg import TensorType
from dask_tapestry.teg.outputs import output_layout, windows_of
from dask_tapestry_kernels.output_blocks import OutputBlocks


def room_for(type_: TensorType, shape: Sequence[int]) -> Block:
    """Memory for a block of this shape of a value; its cells are to be written.

    Examples
    --------
    >>> import numpy as np
    >>> room_for(TensorType((8, 9), np.dtype("f4")), (2, 3)).shape
    (2, 3)
    """
    outputs = tuple(map(output_layout, windows_of(type_)))
    if not outputs:
        return POOL.empty(tuple(shape), type_.dtype)
    arrays = [POOL.empty(one.of(shape), one.dtype) for one in outputs]
    return OutputBlocks(shape, outputs, arrays)


def zeros_for(type_: TensorType, shape: Sequence[int]) -> Block:
    """A block of zeros.

    Examples
    --------
    >>> import numpy as np
    >>> zeros_for(TensorType((8, 9), np.dtype("?")), (1, 2))
    array([[False, False]])
    """
    outputs = tuple(map(output_layout, windows_of(type_)))
    if not outputs:
        return np.zeros(tuple(shape), type_.dtype)
    return OutputBlocks(shape, outputs, [np.zeros(one.of(shape), one.dtype) for one in outputs])
