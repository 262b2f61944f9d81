"""Picked spans: the slices that a mask selects, a bucket for each span of it, and these joined."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.bucket_blocks import BucketBlocks
from dask_tapestry_kernels.cpu.blocks.compress import compress, count
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def pick_spans(out: None, block: Block, mask: Block, *, span: int) -> BucketBlocks:  # noqa: ARG001
    """Buckets of the slices of `block` where `mask` is true, one for each `span` cells of it."""
    ends = np.cumsum(count(None, mask, span=span)).tolist()
    made = BucketBlocks.empty((len(ends),))
    if ends:
        picked = compress(None, block, mask, axis=0, skip=0, length=ends[-1])
        for at, (a, b) in enumerate(pairwise([0, *ends])):
            made.cells[at] = picked[a:b]
    return made


def join_spans(
    out: Block | None,
    buckets: BucketBlocks,
    *,
    skip: int,
    length: int,
    within: tuple[slice, ...],
    dtype: np.dtype[Any],
) -> Block:
    """Of the slices in all buckets, `length` after the first `skip`; of each the part `within`."""
    shape, parts = (length, *(one.stop - one.start for one in within)), []
    left = length
    for bucket in buckets.cells:
        part = bucket[(slice(skip, skip + left), *within)]
        skip, left = max(0, skip - len(bucket)), left - len(part)
        if len(part):
            parts.append(part)
    whole = out if out is not None and out.shape == shape else np.empty(shape, dtype)
    return np.concatenate(parts, out=whole) if parts else whole


KERNELS: Final[dict[str, Kernel]] = {
    "pickspans": pick_spans,  # type: ignore[dict-item]
    "joinspans": join_spans,
}
