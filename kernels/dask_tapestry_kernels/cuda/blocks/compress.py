"""Compress by masks on a GPU: true cells are counted, and slices picked where they are."""

from __future__ import annotations

from typing import Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.compress_texts import count_program
from dask_tapestry_kernels.cuda.blocks.picked_cells import Pick, aligned, picked
from dask_tapestry_kernels.cuda.jit.runtime import BLOCKS, Block, runtime
from dask_tapestry_kernels.cuda.reduction.bincount import summed
from dask_tapestry_kernels.kernel_table import Kernel

CELLS: Final = 64  # that a thread counts at least: fewer are not worth a part of their own


def count(out: Block | None, mask: Block, *, span: int) -> Block:  # noqa: ARG001
    """Number of true cells in each span of `span` cells of a mask of one dimension, as int64.

    The last span may be shorter.
    """
    gpu, cells = runtime(), mask.shape[0]
    spans = -(-cells // span)
    few = min(cells, span) // (gpu.threads * CELLS)
    parts = max(1, min(few, -(-gpu.processors * BLOCKS // max(1, spans))))
    counts = gpu.empty((spans * parts, 1), np.dtype(np.int32))
    words = [np.int64(word) for word in (spans * parts, parts, cells, span, mask.strides[0])]
    if cells:
        blocks = min(spans * parts, gpu.processors * BLOCKS)
        gpu.launch(count_program(), blocks, [*words, mask, counts])
    return summed(gpu, counts, spans, parts).reshape(spans)


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
    gpu = runtime()
    places, cells = gpu.true_places(mask)[skip : skip + length], aligned(gpu, block)
    own = [places.strides[0] if dim == axis else 0 for dim in range(block.ndim)]
    strides = [0 if dim == axis else step for dim, step in enumerate(cells.strides)]
    extent = block.shape[axis]
    pick = Pick(places, tuple(own), axis, extent, 0, extent - 1)
    shape = (*block.shape[:axis], places.shape[0], *block.shape[axis + 1 :])
    return picked(out, cells, [pick], strides, 0, shape)


KERNELS: Final[dict[str, Kernel]] = {
    "count": count,
    "compress": compress,
}
