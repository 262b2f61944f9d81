"""Scans along an axis: each leaf from its start, after the total of the leaves before.

Where many cells lie beside one another across the axis, it is walked in steps, all of them at once;
so are many lines or leaves, copied to lie apart; a few are run along with NumPy's `accumulate`. All
combine the same cells in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.cells.interpreter import tiles
from dask_tapestry_kernels.cpu.scan import scan_compiled
from dask_tapestry_kernels.cpu.scan.scan_functions import function_named
from dask_tapestry_kernels.floating_point import checking_fp_errors
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.scan_spec import ScanSpec

Block = np.ndarray[Any, Any]
Function = Callable[..., Block]
WIDE: Final = 256  # cells across the axis from which a step costs more than its call
STEP_CELLS: Final = 8_192  # of a step: 64 KiB of float64, which stay in a core's first caches
LINE_CELLS: Final = 32_768  # scanned and then combined with their prefixes while still in a cache
MANY_CELLS: Final = 262_144  # of lines walked side by side: steps of 2,048 cells cost their calls
MANY_LINES: Final = 1_024  # from which they are: 1.8 to 2.1 ns a cell of float64 against 3.4
APART: Final = 8  # cells between such lines: a power of two apart they would share cache lines
TOTAL_LINES: Final = 256  # leaves laid side by side: 256 KiB of float64


def scan(
    out: Block | None,
    block: Block,
    prefix: Block | None = None,
    *,
    dtype: np.dtype[Any],
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
    """
    options = ScanSpec(**how)
    carry = None
    if prefix is not None and not begins:
        carry = np.moveaxis(prefix, options.axis, 0)[0]
    result = _scan_output(out, block, options, dtype)
    if scan_compiled.scan(result, block, carry, options):
        return result
    combine = function_named(options.function, options.state)
    if _any_order(combine, options.state):
        options = options._replace(leaf=max(options.leaf, LINE_CELLS))  # which spares calls
    _walk(result, block, carry, combine, options)
    return result


def scan_on(
    out: Block | None,
    block: Block,
    carry: Block,
    *,
    begins: bool,
    dtype: np.dtype[Any],
    **how: Any,
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
    if not block.shape[options.axis]:
        return result
    if result.dtype == options.state:
        np.moveaxis(carry, options.axis, 0)[0] = np.moveaxis(result, options.axis, 0)[-1]
        return result
    totals = leaf_totals(None, block, **how)  # the result has fewer digits
    if not begins:
        totals = np.concatenate([carry, totals], axis=options.axis)
    one = options._replace(leaf=totals.shape[options.axis])
    ends = scan(None, totals, dtype=options.state, **one._asdict())
    carry[...] = ends.take([-1], axis=options.axis)
    return result


def leaf_scan(out: Block | None, block: Block, **how: Any) -> Block:
    """Scan each leaf of `block`, which begins with one, by itself.

    `how` has the fields of `ScanSpec`; the first `skip` cells along the axis are left out.
    """
    options = ScanSpec(**how, apart=True)
    result = _scan_output(out, block, options, options.state)
    if not scan_compiled.scan(result, block, None, options):
        _walk(result, block, None, function_named(options.function, options.state), options)
    return result


def leaf_ends(out: Block | None, block: Block, *, axis: int, leaf: int, count: int) -> Block:  # noqa: ARG001
    """The last cells of `count` leaves of `block`, which begins with one.

    They are copied: a view would hold the whole block.
    """
    return block[(*(slice(None),) * axis, slice(leaf - 1, count * leaf, leaf))].copy()


def after_leaf(
    out: Block | None, block: Block, prefix: Block, *, dtype: np.dtype[Any], **how: Any
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
    _, axis, leaf, state, skip, _ = options
    result = np.empty(block.shape, dtype) if out is None else out
    if not block.size:
        return result
    combine = function_named(options.function, options.state)
    cells, values = np.moveaxis(block, axis, 0), np.moveaxis(result, axis, 0)
    before, extent = np.moveaxis(prefix, axis, 0)[:, None], len(cells)
    first = min(-skip % leaf, extent)  # cells of a leaf that began before
    full = first + (extent - first) // leaf * leaf
    for lo, hi in ((0, first), (first, full), (full, extent)):
        if lo == hi:
            continue
        if skip + lo < leaf:  # no leaf is before the first one
            values[lo : min(hi, lo + leaf)] = cells[lo : min(hi, lo + leaf)]
            lo = min(hi, lo + leaf)
        count = -(-(hi - lo) // leaf)
        shape = (count, (hi - lo) // max(count, 1), *cells.shape[1:])
        target, local = values[lo:hi].reshape(shape), cells[lo:hi].reshape(shape)
        _combine(combine, before[:count], local, target, state)
        before = before[count:]
    return result


def _combine(
    combine: Function, before: Block, local: Block, target: Block, state: np.dtype[Any]
) -> None:
    """Write ``combine(before, local)``, rounded once."""
    if target.dtype == state:
        combine(before, local, out=target)
    else:
        target[...] = combine(before, local)


def leaf_totals(out: Block | None, block: Block, **how: Any) -> Block:  # noqa: ARG001
    """Totals of the leaves of `block`, which begins with one; `how`: the fields of `ScanSpec`."""
    options = ScanSpec(**how)
    _, axis, leaf, state, _, _ = options
    count = -(-block.shape[axis] // leaf)
    result = np.empty((*block.shape[:axis], count, *block.shape[axis + 1 :]), state)
    if scan_compiled.totals(result, block, options):
        return result
    combine = function_named(options.function, options.state)
    cells, totals = np.moveaxis(block, axis, 0), np.moveaxis(result, axis, 0)
    full = len(cells) // leaf * leaf
    whole = cells[:full].reshape(full // leaf, leaf, *cells.shape[1:])
    wide = totals[:1].size >= WIDE and not _is_inner(block, axis)
    _total(whole, totals[: full // leaf], combine, wide)
    if full < len(cells):
        _total(cells[None, full:], totals[full // leaf :], combine, wide)
    return result


def _is_inner(block: Block, axis: int) -> bool:
    """Whether neighbours along `axis` are the nearest in memory."""
    strides = [abs(s) for s, n in zip(block.strides, block.shape, strict=True) if n > 1]
    return bool(strides) and abs(block.strides[axis]) == min(strides)


def _any_order(combine: Function, state: np.dtype[Any]) -> bool:
    """Whether cells have one total in any order; multiples that wrap around have not."""
    return isinstance(combine, np.ufunc) and combine is not np.lcm and state.kind in "biu"


def _is_slow(combine: Function, state: np.dtype[Any]) -> bool:
    """Whether `accumulate` waits for each cell; it does not for integers."""
    return isinstance(combine, np.ufunc) and state.kind not in "biu"


def _total(cells: Block, totals: Block, combine: Function, wide: bool) -> None:
    """Combine axis 1 of cells (leaves, n, ...), from left to right."""
    if _any_order(combine, totals.dtype):
        combine.reduce(cells, axis=1, dtype=totals.dtype, out=totals)  # type: ignore[attr-defined]
        return
    across = (len(cells), *cells.shape[2:])
    for tile in tiles(across, STEP_CELLS if wide else TOTAL_LINES):
        part = cells[tile[0], :, *tile[1:]]
        walk = _side_by_side if isinstance(combine, np.ufunc) and not wide else _walked
        totals[tile] = walk(part, combine, totals.dtype)


def _walked(part: Block, combine: Function, state: np.dtype[Any]) -> Block:
    """Combine axis 1, a call for each step."""
    total = part[:, 0].astype(state)
    for place in range(1, part.shape[1]):
        combine(total, part[:, place], out=total)
    return total


def _side_by_side(part: Block, combine: Any, state: np.dtype[Any]) -> Block:
    """Combine axis 1, laid out so that NumPy's reduction goes from left to right too.

    It does where neighbours in memory are of different lines; along a lone line it would not.
    (1.3 ns a cell of float64, against 2.0 in steps and 3.4 with `accumulate`.)
    """
    count = len(part)
    if part.size < 2 * part.shape[1]:
        part = np.concatenate([part, part])
    lines = np.ascontiguousarray(np.moveaxis(part, 1, 0), state)
    total: Block = combine.reduce(lines, axis=0, initial=None)
    return total[:count]


def _walk(
    result: Block, block: Block, carry: Block | None, combine: Function, how: ScanSpec
) -> None:
    """Scan `block` but for `how.skip` cells into `result`."""
    axis, leaf, skip = how.axis, how.leaf, how.skip
    if skip and block.size:  # the leaf that holds the first cell of the result
        cut = min((skip // leaf + 1) * leaf, block.shape[axis])
        before = (*(slice(None),) * axis,)
        begun = block[(*before, slice(cut))]
        first = np.empty(begun.shape, how.state)
        _walk(first, begun, carry, combine, how._replace(skip=0))
        result[(*before, slice(cut - skip))] = first[(*before, slice(skip, None))]
        result = result[(*before, slice(cut - skip, None))]
        block = block[(*before, slice(cut, None))]
        carry = None if how.apart else np.moveaxis(first, axis, 0)[-1]
    if not block.size:
        return
    across = block.size // block.shape[axis]
    walk = _steps if across >= WIDE and not _is_inner(block, axis) else _lines
    walk(result, block, carry, combine, how)


def _scan_output(out: Block | None, block: Block, how: ScanSpec, dtype: np.dtype[Any]) -> Block:
    """Where the scan of `block` is written, but for its first `how.skip` cells."""
    if out is not None:
        return out
    axis, skip = how.axis, how.skip
    shape = (*block.shape[:axis], max(0, block.shape[axis] - skip), *block.shape[axis + 1 :])
    return np.empty(shape, dtype)


def _steps(
    result: Block, block: Block, carry: Block | None, combine: Function, how: ScanSpec
) -> None:
    """Walk along the axis, all cells across it at once."""
    _, axis, leaf, state, _, separate = how
    cells, values = np.moveaxis(block, axis, 0), np.moveaxis(result, axis, 0)
    for tile in tiles(cells.shape[1:], STEP_CELLS):
        source, target = cells[:, *tile], values[:, *tile]
        before = None if carry is None else carry[tile].astype(state)
        local = np.empty(source.shape[1:], state)
        for index in range(len(source)):
            if index % leaf:
                combine(local, source[index], out=local)
            else:
                if index and not separate:
                    before = local.copy() if before is None else combine(before, local)
                local[...] = source[index]
            if before is None:
                target[index] = local
            else:
                combine(before, local, out=target[index])


def _lines(
    result: Block, block: Block, carry: Block | None, combine: Function, how: ScanSpec
) -> None:
    """Scan lines along the axis one by one, as many leaves at a time as a cache holds."""
    _, axis, leaf, state, _, separate = how
    cells, values = np.moveaxis(block, axis, -1), np.moveaxis(result, axis, -1)
    extent = cells.shape[-1]
    most = MANY_CELLS if _is_slow(combine, state) else LINE_CELLS
    rows = max(1, most // min(extent, most))
    for tile in tiles(cells.shape[:-1], rows):
        tile_cells, tile_values = cells[tile], values[tile]
        group = max(1, most // (leaf * max(1, prod(tile_cells.shape[:-1]))))
        before = None if carry is None else carry[tile].astype(state)
        leaf_start = 0
        while leaf_start < extent:
            count = max(1, min(group, (extent - leaf_start) // leaf))
            stop = min(leaf_start + count * leaf, extent)
            shape = (*tile_cells.shape[:-1], count, (stop - leaf_start) // count)
            target, source = (
                x[..., leaf_start:stop].reshape(shape) for x in (tile_values, tile_cells)
            )
            if separate:
                local = _scanned(target, source, combine, state)
                if local is not target:
                    target[...] = local
            else:
                before = _leaves(target, source, before, combine, state)
            leaf_start = stop


def _leaves(
    target: Block, cells: Block, before: Block | None, combine: Function, state: np.dtype[Any]
) -> Block:
    """Scan cells (..., leaves, n) into `target`; return the total up to their end."""
    local = _scanned(target, cells, combine, state)
    totals = local[..., -1]
    if before is not None:
        totals = np.concatenate([before[..., None], totals], axis=-1)
    ends = np.empty(totals.shape, state)
    _accumulate(combine, totals, ends)
    lone = int(before is None)  # the first leaf has none before
    if lone:
        target[..., :1, :] = local[..., :1, :]
    _combine(combine, ends[..., :-1, None], local[..., lone:, :], target[..., lone:, :], state)
    return ends[..., -1]


def _scanned(target: Block, cells: Block, combine: Function, state: np.dtype[Any]) -> Block:
    """Scan the last axis of cells, in `target` where that is no slower than elsewhere."""
    lines = prod(cells.shape[:-1])
    if _is_slow(combine, state) and lines >= MANY_LINES:
        extent = cells.shape[-1]
        local = np.empty((*cells.shape[:-1], extent + APART), state)[..., :extent]
        local[...] = cells
        for place in range(1, extent):
            combine(local[..., place - 1], local[..., place], out=local[..., place])
        return local
    local = target if target.dtype == state else np.empty(cells.shape, state)
    _accumulate(combine, cells, local)
    return local


def _accumulate(combine: Function, cells: Block, result: Block) -> None:
    """Scan the last axis."""
    if isinstance(combine, np.ufunc):
        loop = None if result.dtype.kind in "mM" else result.dtype  # NumPy takes no unit of time
        combine.accumulate(cells, axis=-1, dtype=loop, out=result)
        return
    result[..., 0] = cells[..., 0]
    for place in range(1, cells.shape[-1]):
        result[..., place] = combine(result[..., place - 1], cells[..., place])


def _reporting_kernel(kernel: Kernel) -> Kernel:
    """The kernel, which tells what goes wrong; flags are exact where nothing is compared."""

    @wraps(kernel)
    def told(*blocks: Any, **how: Any) -> Block:
        with checking_fp_errors(needless=how["function"] not in ("add", "multiply")) as suspicion:
            result = kernel(*blocks, **how)
        if suspicion is not None:
            suspicion.tell_flags("accumulate")
        return result

    return told


KERNELS: Final[dict[str, Kernel]] = {
    "scan": _reporting_kernel(scan),
    "scan_on": _reporting_kernel(scan_on),
    "leaf_totals": _reporting_kernel(leaf_totals),
    "leaf_scan": _reporting_kernel(leaf_scan),
    "leaf_ends": leaf_ends,
    "after_leaf": _reporting_kernel(after_leaf),
}
