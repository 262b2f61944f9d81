"""Compress by masks: true cells are counted, and slices picked where they are."""

from __future__ import annotations

from typing import Any, Final, Literal

import numpy as np

from dask_tapestry_kernels.cpu.blocks import select_compiled
from dask_tapestry_kernels.cpu.reduction.leaf_states import leaf_states
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]
SHORT_SPAN: Final = 256  # cells: of longer ones a call each takes less time than their sum


def count(out: Block | None, mask: Block, *, span: int) -> Block:  # noqa: ARG001
    """Number of true cells in each span of `span` cells of a mask of one dimension, as int64.

    The last span may be shorter. Without compiled code `count_nonzero` of one dimension is fastest
    by far, but for short spans.
    """
    found = leaf_states([mask], "sum", mask.dtype, (span,), np.dtype(np.int64))
    if found is not None:
        return found
    if span < SHORT_SPAN:
        whole = len(mask) // span * span
        counts = mask[:whole].reshape(-1, span).sum(axis=1, dtype=np.int64)
        rest = mask[whole:]
        return np.append(counts, np.count_nonzero(rest)) if len(rest) else counts
    starts = range(0, len(mask), span)
    return np.fromiter(
        (np.count_nonzero(mask[a : a + span]) for a in starts), np.int64, len(starts)
    )


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
    if block.ndim == 1:
        picked = select_compiled.pick(out, block, mask, skip, length)
        if picked is not None:
            return picked
    if block.ndim == 1 and not skip:
        picked = block[mask]
        if len(picked) == length:
            return picked
    places = np.flatnonzero(mask)[skip : skip + length]
    taken = select_compiled.take(out, block, places, axis, block.shape[axis], 0)
    if taken is not None:
        return taken
    mode: Literal["clip", "raise"] = "clip" if len(mask) else "raise"
    return np.take(block, places, axis, out=out, mode=mode)  # to raise, it fills a buffer first


KERNELS: Final[dict[str, Kernel]] = {
    "count": count,
    "compress": compress,
}
