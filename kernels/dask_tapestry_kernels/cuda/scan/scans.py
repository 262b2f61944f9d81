"""Scans along an axis on a GPU: each leaf from its start, after the total of the leaves before.

Totals of leaves are combined from left to right, by one thread a line; all else is in parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.jit.runtime import Block, blocks_for, runtime
from dask_tapestry_kernels.cuda.scan.scan_texts import (
    AFTER,
    APART,
    TOTALS,
    WARP,
    ScanText,
    after_program,
    scan_program,
)
from dask_tapestry_kernels.device_error import KernelDeviceError
from dask_tapestry_kernels.formulas.merged_dims import merged
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.scan_spec import ScanSpec

DType = np.dtype[Any]


def scan(
    out: Block | None,
    block: Block,
    prefix: Block | None = None,
    *,
    dtype: DType,
    begins: bool = True,
    **how: Any,
) -> Block:
    """Scan `block`, which begins with a leaf; leave out the first `skip` cells along the axis.

    Parameters
    ----------
    prefix
        Totals along the axis, of which the first is that of all that comes before `block`.
    begins
        Whether the block begins with the axis: then nothing comes before.
    dtype
        Of the result.
    **how
        The fields of `ScanSpec`.

    Raises
    ------
    KernelDeviceError
        For functions and dtypes that have no meaning on a GPU.
    """
    options = ScanSpec(**how)
    result = _scan_output(out, block, options, dtype)
    carry = None if prefix is None or begins else _along(prefix, options.axis, slice(0, 1))
    before = _before(block, carry, options) if result.size else None
    _walk(result, block, before, options, int(carry is not None))
    return result


def scan_on(
    out: Block | None, block: Block, carry: Block, *, begins: bool, dtype: DType, **how: Any
) -> Block:
    """Scan whole leaves after the total `carry`, which becomes the total of all up to their end.

    Parameters
    ----------
    carry
        One cell along the axis; its value is not read where the scan `begins`.
    dtype
        Of the result.
    **how
        The fields of `ScanSpec`.
    """
    options = ScanSpec(**how)
    result = scan(out, block, carry, begins=begins, dtype=dtype, **how)
    if not block.size:
        return result
    if result.dtype == options.state:
        carry[...] = _along(result, options.axis, slice(-1, None))
        return result
    one = _before(block, None if begins else carry, options, all_leaves=True)
    carry[...] = _along(one, options.axis, slice(-1, None))  # the result has fewer digits
    return result


def leaf_scan(out: Block | None, block: Block, **how: Any) -> Block:
    """Scan each leaf of `block`, which begins with one, by itself.

    `how` has the fields of `ScanSpec`; the first `skip` cells along the axis are left out.
    """
    options = ScanSpec(**how)
    result = _scan_output(out, block, options, options.state)
    _walk(result, block, None, options)
    return result


def leaf_ends(out: Block | None, block: Block, *, axis: int, leaf: int, count: int) -> Block:  # noqa: ARG001
    """The last cells of `count` leaves of `block`, which begins with one.

    They are copied: a view would hold the whole block.
    """
    return _along(block, axis, slice(leaf - 1, count * leaf, leaf)).copy()


def leaf_totals(out: Block | None, block: Block, **how: Any) -> Block:  # noqa: ARG001
    """Totals of the leaves of `block`, which begins with one; `how`: the fields of `ScanSpec`."""
    options = ScanSpec(**how)
    return _totals(block, options, -(-block.shape[options.axis] // options.leaf))


def after_leaf(
    out: Block | None, block: Block, prefix: Block, *, dtype: DType, **how: Any
) -> Block:
    """Combine scanned leaves with the scan of the ends of those before.

    Parameters
    ----------
    prefix
        For each leaf of `block` but the first of the axis, the total of all leaves before it.
    dtype
        Of the result.
    **how
        The fields of `ScanSpec`; `skip` cells along the axis come before `block`.
    """
    options = ScanSpec(**how)
    text = _text(options, block, dtype)
    gpu = runtime()
    ready = out is not None and gpu.is_addressed_by_cells(out)
    result = out if ready else _laid_as(block, block.shape, dtype)
    if not block.size:
        return result
    block = block if gpu.is_addressed_by_cells(block) else gpu.in_order(block)
    extents, steps = _across((block, result, gpu.in_order(prefix)), options.axis)
    program = after_program(text, len(extents), abs(steps[0][-1]) < abs(steps[0][0]))
    words = [block.size, block.shape[options.axis], options.leaf, options.skip, *extents]
    words += [step for own in steps for step in own]
    arguments = [*[np.int64(word) for word in words], block, result, gpu.in_order(prefix)]
    gpu.launch(program, blocks_for(block.size, gpu), arguments)
    return result


def _text(how: ScanSpec, block: Block, dtype: DType) -> ScanText:
    text = ScanText(how.function, block.dtype, how.state, dtype)
    if not text.is_known:
        raise KernelDeviceError(
            f"kernel scan: {how.function} of {block.dtype} in {how.state} is not supported on a GPU"
        )
    return text


def _along(block: Block, axis: int, part: slice) -> Block:
    return block[(*(slice(None),) * axis, part)]


def _scan_output(out: Block | None, block: Block, how: ScanSpec, dtype: DType) -> Block:
    """Where the scan of `block` is written, but for its first `how.skip` cells."""
    gpu = runtime()
    if out is not None and gpu.is_addressed_by_cells(out):
        return out
    extent = max(0, block.shape[how.axis] - how.skip)
    return _laid_as(block, (*block.shape[: how.axis], extent, *block.shape[how.axis + 1 :]), dtype)


def _laid_as(block: Block, shape: tuple[int, ...], dtype: DType) -> Block:
    """Memory for cells that lie in the order of those of a block."""
    order = sorted(range(block.ndim), key=lambda axis: -abs(block.strides[axis]))
    made = runtime().empty(tuple([shape[axis] for axis in order]), dtype)
    return made.transpose(np.argsort(order).tolist())


def _before(
    block: Block, carry: Block | None, how: ScanSpec, all_leaves: bool = False
) -> Block | None:
    """The totals of all before each leaf but the first, after `carry`; None if there are none."""
    axis, leaf = how.axis, how.leaf
    count = -(-block.shape[axis] // leaf) - (not all_leaves)
    if count + (carry is not None) <= 0:
        return None
    if not count:
        return carry
    totals = _totals(block, how, count, carry)
    one = ScanSpec(how.function, axis, totals.shape[axis], how.state)
    if one.leaf > 1:
        _walk(totals, totals, None, one)
    return totals


def _totals(block: Block, how: ScanSpec, count: int, carry: Block | None = None) -> Block:
    """Totals of the first leaves of a block, behind `carry` if there is one."""
    lead = int(carry is not None)
    shape = (*block.shape[: how.axis], count + lead, *block.shape[how.axis + 1 :])
    result = _laid_as(block, shape, how.state)
    if carry is not None:
        result[(*(slice(None),) * how.axis, slice(0, 1))] = carry
    _walk(_along(result, how.axis, slice(lead, None)), block, None, how, way=TOTALS)
    return result


def _walk(
    result: Block,
    block: Block,
    before: Block | None,
    how: ScanSpec,
    begun: int = 0,
    way: str | None = None,
) -> None:
    """Walk the leaves of `block` from that of cell ``how.skip`` on, and write what they yield.

    Parameters
    ----------
    before
        Totals before leaves: of the first too where it is `begun`.
    way
        What is written, if it does not follow from `before`.
    """
    text = _text(how, block, result.dtype)
    if not result.size:
        return
    gpu = runtime()
    block = block if gpu.is_addressed_by_cells(block) else gpu.in_order(block)
    blocks = [block, result, *([] if before is None else [gpu.in_order(before)])]
    way = way or (APART if before is None else AFTER)
    first = 0 if way == TOTALS else how.skip // how.leaf
    count = result.shape[how.axis] if way == TOTALS else -(-block.shape[how.axis] // how.leaf)
    leaves = count - first
    extents, steps = _across(blocks, how.axis)
    columns = extents[-1] >= WARP and abs(steps[0][-1]) < abs(steps[0][0])
    program = scan_program(text, way, len(extents), columns, gpu.threads)
    items = leaves * prod(extents)
    words = [items, leaves, first, how.leaf, block.shape[how.axis], how.skip, begun, *extents]
    words += [step for own in steps for step in own]
    arguments = [*[np.int64(word) for word in words], *blocks]
    gpu.launch(program, blocks_for(items, gpu, program.threads or None), arguments)


def _across(blocks: Sequence[Block], axis: int) -> tuple[list[int], list[list[int]]]:
    """Extents of the axes across, merged, in the order in which the first block lies.

    For each block strides in cells, that along `axis` first.
    """
    views = [
        SimpleNamespace(
            shape=(*b.shape[:axis], *b.shape[axis + 1 :]),
            strides=(*b.strides[:axis], *b.strides[axis + 1 :]),
            ndim=b.ndim - 1,
            itemsize=b.itemsize,
        )
        for b in reversed(blocks)
    ]
    extents, strides = merged(views, least=1)
    steps = [
        [s // b.itemsize for s in (b.strides[axis], *own)]
        for b, own in zip(blocks, reversed(strides), strict=True)
    ]
    return extents, steps


KERNELS: Final[dict[str, Kernel]] = {
    "scan": scan,
    "scan_on": scan_on,
    "leaf_scan": leaf_scan,
    "leaf_ends": leaf_ends,
    "leaf_totals": leaf_totals,
    "after_leaf": after_leaf,
}
