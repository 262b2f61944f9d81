"""A whole result, as its caller gets it: from a buffer, or joined of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.lower.assemble import assemble, assemble_as_held
from dask_tapestry.lower.result_buffer import ResultBuffer
from dask_tapestry.zspace import Cuts, ZRange
from dask_tapestry_kernels.block_format import BlockFormat


def finish_array(
    cuts: tuple[Cuts, ...], out: ResultBuffer, copy: bool, wanted: BlockFormat | None, *blocks: Any
) -> Any:
    """Return the whole result: the buffer that blocks were written to, or the blocks joined.

    A result without dimensions comes as a NumPy scalar, as from NumPy's own functions. With `copy`
    the result is an array of its own, where buffer or block belong to somebody else too.
    `wanted` is its format; None for NumPy's arrays.
    """
    if out.is_local:
        whole = out.array
    else:
        box = ZRange.of_shape(tuple([c.extent for c in cuts]))
        whole = (assemble if wanted is None else assemble_as_held)(box, cuts, blocks)
    if wanted is not None:
        return wanted.of_block(whole)
    if not cuts:
        return whole[()]
    return np.array(whole) if copy else whole
