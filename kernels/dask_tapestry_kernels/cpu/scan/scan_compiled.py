"""Scans of blocks by the compiled loops of `scan_texts`."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells.turned_copy import copy_cells
from dask_tapestry_kernels.cpu.jit.compile_service import Native, compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, is_readable, lines
from dask_tapestry_kernels.cpu.scan.scan_texts import APART, BODIES, GROUP, MOST_LEAF, STRIP, source
from dask_tapestry_kernels.parameters.scan_spec import ScanSpec

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
IDENTITY: Final = {"multiply": 1}  # of others 0: loops may combine with it, and then choose not to


def scan(result: Block, block: Block, carry: Block | None, how: ScanSpec) -> bool:
    """Scan `block` but for `how.skip` cells into `result`; False where that takes NumPy.

    `carry` is what comes before, without the axis.
    """
    function, axis, leaf, state, skip, separate = how
    if block.size < SMALL:
        return False
    block = block if _runs_with(block, result, axis) else _in_order(block)
    along = _is_along(block, result, axis)
    native = _native("scan", along, function, block.dtype, state, result.dtype, block.size)
    if native is None:
        return False
    target = result if along or _is_dense(result, axis) else np.empty(result.shape, result.dtype)
    scratch = np.empty(max(GROUP * (min(leaf, MOST_LEAF) + APART), 2 * STRIP), state)
    line_shape = (*block.shape[:axis], *block.shape[axis + 1 :])
    first = np.full(line_shape, IDENTITY.get(function, 0), state) if carry is None else carry
    before = np.ascontiguousarray(first, state)
    options = [block.shape[axis], skip, leaf, int(carry is not None), int(separate)]
    for part in lines(block, target, axis, not along):
        (a, line_a, row_a), (b, line_b, row_b) = part.first, part.second
        carried = np.ascontiguousarray(before[part.place])
        numbers = [address(block) + a, address(target) + b, address(carried), address(scratch)]
        numbers += [*options, part.lines, line_a, line_b]
        native(*numbers, *([] if along else [part.columns, row_a, row_b]))
    if target is not result:
        copy_cells(result, target)
    return True


def totals(result: Block, block: Block, how: ScanSpec) -> bool:
    """Write the totals of the leaves of `block`; False where that takes NumPy."""
    function, axis, leaf, state, _, _ = how
    if block.size < SMALL:
        return False
    block = block if _runs_with(block, result, axis) else _in_order(block)
    along = _is_along(block, result, axis)
    native = _native("total", along, function, block.dtype, state, state, block.size)
    if native is None:
        return False
    for part in lines(block, result, axis, not along):
        (a, line_a, row_a), (b, line_b, row_b) = part.first, part.second
        numbers = [address(block) + a, address(result) + b, block.shape[axis], leaf]
        numbers += [part.lines, line_a, line_b]
        native(*numbers, *([] if along else [part.columns, row_a, row_b]))
    return True


def _runs_with(block: Block, result: Block, axis: int) -> bool:
    """Whether loops go through a block and its result side by side, in whichever order they lie."""
    plain = block.flags.aligned and block.dtype.isnative
    dense = _is_dense(block, axis) and (_is_dense(result, axis) or is_readable(block))
    return _is_along(block, result, axis) or (plain and dense)


def _in_order(block: Block) -> Block:
    """A copy of a block in C's order; compiled code turns it, in a third of NumPy's time."""
    return copy_cells(np.empty(block.shape, block.dtype.newbyteorder("=")), block)


def _native(
    what: str,
    along: bool,
    function: str,
    cell: np.dtype[Any],
    state: np.dtype[Any],
    value: np.dtype[Any],
    cells: int,
) -> Native | None:
    body = f"{what}_{'lines' if along else 'columns'}"
    text = source(body, function, cell, state, value)
    return None if text is None else compiled(text, BODIES[body][1], f"a scan ({function})", cells)


def _is_dense(result: Block, axis: int) -> bool:
    """Whether rows across `axis` are runs of neighbours, if there is more than one cell in them."""
    inner = [dim for dim in range(result.ndim) if dim != axis and result.shape[dim] > 1]
    return not inner or result.strides[inner[-1]] == result.itemsize


def _is_along(block: Block, result: Block, axis: int) -> bool:
    """Whether neighbours along `axis` are neighbours in memory."""
    plain = block.flags.aligned and block.dtype.isnative
    return plain and all(b.strides[axis] == b.itemsize for b in (block, result))
