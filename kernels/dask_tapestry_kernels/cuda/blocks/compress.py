"""Masks on a GPU: counting their cells, and picking the slices where they are true."""

from __future__ import annotations

from typing import Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.take import take
from dask_tapestry_kernels.cuda.jit.runtime import Block, runtime
from dask_tapestry_kernels.kernel_table import Kernel


def count(out: Block | None, mask: Block, *, span: int) -> Block:  # noqa: ARG001
    """Number of true cells in each span of `span` cells of a mask of one dimension, as int64.

    The last span may be shorter.
    """
    gpu, spans = runtime(), -(-mask.shape[0] // span)
    whole = mask.shape[0] // span
    result = gpu.empty((spans,), np.dtype(np.int64))
    if whole:
        rows = gpu.in_order(mask[: whole * span]).reshape(whole, span)
        result[:whole] = gpu.library.count_nonzero(rows, axis=1)
    if whole < spans:
        result[whole:] = gpu.library.count_nonzero(mask[whole * span :])
    return result


def compress(
    out: Block | None, block: Block, mask: Block, *, axis: int, skip: int, length: int
) -> Block:
    """Slices of `block` along `axis` where `mask` is true.

    Parameters
    ----------
    mask
        Booleans of one dimension, as many as `block` has slices.
    skip, length
        Of the true slices, `length` after the first `skip` are returned.
    """
    places = runtime().library.flatnonzero(mask)[skip : skip + length].astype(np.int64, copy=False)
    extents, origin = (block.shape[axis],), (0,)
    return take(out, block, places, axes=(axis,), at=axis, extents=extents, origin=origin)


KERNELS: Final[dict[str, Kernel]] = {
    "count": count,
    "compress": compress,
}
