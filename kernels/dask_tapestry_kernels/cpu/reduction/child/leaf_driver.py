"""All leaves of a block: where their cells lie, or packed side by side, folded through an address.

One compiled function serves every dtype and monoid, as it only moves bytes. A leaf is folded where
it lies if its cells are a stride apart, or its rows are 32 cells, and either its cells or its kept
columns are contiguous. Otherwise its cells go into a buffer of the second cache, for as many kept
columns as fit. With a formula, its operands go there unless they are contiguous, and then its
values.

Importing this module imports numba, so only what compiles, or loads what was compiled, does.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_fold, call_row, copy_bytes
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.reduction.child.box_copy import copy_box
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import (
    I64,
    LANES,
    called,
    keep_apart,
    room,
)

FEW_CELLS: Final = 64  # of a leaf, up to which a leaf by itself is not worth a call
FEW_COLUMNS: Final = 8  # side by side, up to which they are not
COLUMNS, SINGLE = 1, 2  # ways to fold in place
MOST_DIMS: Final = 72
MOST_RUN: Final = 1024  # leaves in a run: their states fit in the scratch memory

parts_room, row_room, dims_room = room(64), room(8 * 1024), room(16 * MOST_DIMS)
place_room, box_room, start_room = room(8 * MOST_DIMS), room(8 * MOST_DIMS), room(8 * MOST_DIMS)
some_room, inner_room = room(8 * MOST_DIMS), room(8 * MOST_DIMS)


@called(4, I64)
def _cell_stride(box: int, strides: int, reduced: int, item: int) -> int:
    """Stride of the cells of a round where two strides describe the leaf, else 0."""
    keep_apart()
    axes, last = 0, 0
    for axis in range(reduced):
        if get(box, axis) > 1:
            axes += 1
            last = axis
    if axes == 0:
        return item
    if axes > 2 or (axes == 2 and get(box, last) != LANES):
        return 0
    stride: int = get(strides, last)
    return stride


@called(4, I64)
def _round_stride(box: int, strides: int, reduced: int, item: int) -> int:
    """Stride of the rounds of such a leaf."""
    keep_apart()
    axes, first = 0, 0
    for axis in range(reduced - 1, -1, -1):
        if get(box, axis) > 1:
            axes += 1
            first = axis
    if axes == 0:
        return LANES * item
    stride: int = get(strides, first)
    return stride * (LANES if axes == 1 else 1)


@called(4, I64)
def _cells_lie_closer(box: int, strides: int, ndim: int, reduced: int) -> int:
    """Whether neighbours in the leaf are nearer than neighbouring columns."""
    keep_apart()
    leaf, columns = 0, 0
    for axis in range(ndim):
        if get(box, axis) > 1:
            if axis < reduced:
                leaf = abs(get(strides, axis))
            else:
                columns = abs(get(strides, axis))
    return 1 if leaf < columns else 0


@called(7, I64)
def _corner(
    operands: int, i: int, width: int, place: int, sides: int, start: int, reduced: int
) -> int:
    """Address of the first cell of operand i in a strip of a leaf."""
    keep_apart()
    at: int = get(operands, i * width)
    for axis in range(width - 2):
        first = get(place, axis) * get(sides, axis) if axis < reduced else get(start, axis)
        at += first * get(operands, i * width + 2 + axis)
    return at


@called(9, I64)
def _dims(
    dims: int, operands: int, i: int, width: int, box: int, reduced: int, axis: int, long: int,
    side_by_side: int,
) -> int:  # fmt: skip
    """Write (size, stride) of a strip, last first, neighbours merged; return how many.

    The leaf's axes come last where leaves lie side by side, else the kept ones.
    """
    keep_apart()
    ndim, used = width - 2, 0
    for turn in range(2):
        leaf = (turn == 0) == (side_by_side != 0)
        k = reduced - 1 if leaf else ndim - 1
        stop = 0 if leaf else axis
        while k >= stop:
            size = get(box, k) if leaf or k != axis else long
            stride = get(operands, i * width + 2 + k)
            k -= 1
            if size == 1:
                continue
            if used and stride == get(dims, 2 * used - 2) * get(dims, 2 * used - 1):
                put(dims, 2 * used - 2, get(dims, 2 * used - 2) * size)
                continue
            put(dims, 2 * used, size)
            put(dims, 2 * used + 1, stride)
            used += 1
    return used


@called(6, I64)
def _in_place(box: int, strides: int, ndim: int, reduced: int, item: int, n: int) -> int:
    """Whether a leaf can be folded where it lies: its columns together, or each by itself."""
    keep_apart()
    n_stride = _cell_stride(box, strides, reduced, item)
    if n_stride == 0:
        return 0
    if ndim == reduced:
        return SINGLE if n_stride == item else 0
    inner, width = get(strides, ndim - 1), get(box, ndim - 1)
    if inner == item and (width >= FEW_COLUMNS or ndim == reduced + 1 or n_stride == width * item):
        return COLUMNS
    return SINGLE if n_stride == item and n >= FEW_CELLS else 0


@called(5, I64)
def _runs_along_columns(operands: int, count: int, width: int, reduced: int, row: int) -> int:
    """Whether a formula can read its operands where they lie, a row of columns at a time."""
    keep_apart()
    if row == 0 or reduced != 1 or width != 4:
        return 0
    for i in range(count):
        if get(operands, i * width + 1) != get(operands, i * width + 3):
            return 0
    return 1


@called(8)
def _rows_of_formula(
    row: int, n: int, cells: int, line: int, addresses: int, operands: int, count: int, free: int
) -> None:
    """Evaluate a formula in n rows of `cells` columns, each of `line` bytes."""
    keep_apart()
    for i in range(n):
        call_row(row, (cells, addresses, free + i * line))
        for p in range(count):
            put(addresses, p, get(addresses, p) + get(operands, p * 4 + 2))


@called(19, I64)
def _fold_leaf(
    fold: int, row: int, operands: int, count: int, box: int, place: int, sides: int,
    n: int, ndim: int, reduced: int, item: int, parts: int, part_items: int, part_count: int,
    index: int, pitch: int, run: int, scratch: int, size: int,
) -> int:  # fmt: skip
    """Fold the leaf at `place`, or a `run` of leaves from there on; return how many it was."""
    keep_apart()
    width, strides = ndim + 2, operands + 16
    n_stride = _cell_stride(box, strides, reduced, item)
    round_stride = _round_stride(box, strides, reduced, item)
    inner = get(strides, ndim - 1) if ndim > reduced else 0
    way = _in_place(box, strides, ndim, reduced, item, n)
    columns, single = way == COLUMNS, way == SINGLE
    in_place = row == 0 and (columns or single)
    along = _runs_along_columns(operands, count, width, reduced, row)
    side_by_side = ndim == reduced or (
        not columns and n >= FEW_CELLS and _cells_lie_closer(box, strides, ndim, reduced)
    )
    axis, step, whole = ndim - 1, 1, 1  # a strip is `step` of `axis` and all of the axes after
    if in_place:
        step = get(box, axis) if ndim > reduced else 1
    else:
        run, budget = 1, item
        for i in range(0 if along else count):
            budget += get(operands, i * width + 1)
        room_for = max(1, (size - 64 * (count + 1)) // (n * budget))
        while axis > reduced and whole * get(box, axis) <= room_for:
            whole *= get(box, axis)
            axis -= 1
        step = max(1, room_for // whole)
    table, addresses, start = parts_room(), row_room(), start_room()
    for k in range(ndim):
        put(start, k, 0)
    dims = dims_room()
    while True:
        long = min(step, get(box, axis) - get(start, axis)) if ndim > reduced else 1
        cells = long * whole
        apart_states = run > 1 and pitch > 1  # then they are written side by side first
        free = scratch
        for part in range(part_count):
            at = get(parts, part) + index * get(part_items, part)
            if apart_states:
                at = free
                free += run * 16
            put(table, part, at)
        at = _corner(operands, 0, width, place, sides, start, reduced)
        if in_place and columns:
            call_fold(fold, (at, 1, 0, n, round_stride, n_stride, cells, table, 0))
        elif in_place and ndim == reduced:
            apart = get(sides, reduced - 1) * get(strides, reduced - 1) if reduced else 0
            call_fold(fold, (at, run, apart, n, round_stride, n_stride, 1, table, 0))
        elif in_place:
            call_fold(fold, (at, cells, inner, n, round_stride, n_stride, 1, table, 0))
        else:
            for i in range(count):
                at = _corner(operands, i, width, place, sides, start, reduced)
                put(addresses, i, at)
                if along:
                    continue
                bytes_ = get(operands, i * width + 1)
                used = _dims(dims, operands, i, width, box, reduced, axis, long, side_by_side)
                if used > 1 or (used == 1 and get(dims, 1) != bytes_):
                    copy_box(free, at, dims, used, bytes_)
                    at = free
                    free += (n * cells * bytes_ + 63) // 64 * 64
                put(addresses, i, at)
            at = get(addresses, 0)
            if along:
                _rows_of_formula(row, n, cells, cells * item, addresses, operands, count, free)
            elif row:
                call_row(row, (n * cells, addresses, free))
            if row:
                at = free
            if side_by_side:
                call_fold(fold, (at, cells, n * item, n, LANES * item, item, 1, table, 0))
            else:
                line = cells * item
                call_fold(fold, (at, 1, 0, n, LANES * line, line, cells, table, 0))
        if apart_states:
            for part in range(part_count):
                bytes_ = get(part_items, part)
                at = get(parts, part) + index * bytes_
                states = get(table, part)
                for i in range(run):
                    copy_bytes(at + i * pitch * bytes_, states + i * bytes_, bytes_)
        index += cells
        if ndim == reduced:
            return run
        put(start, axis, get(start, axis) + (step))
        k = axis
        while get(start, k) >= get(box, k):
            put(start, k, 0)
            k -= 1
            if k < reduced:
                return run
            put(start, k, get(start, k) + (1))


@called(16)
def _fold_box(
    fold: int, row: int, operands: int, count: int, shape: int, ndim: int, reduced: int,
    sides: int, item: int, parts: int, part_items: int, part_count: int, scratch: int, size: int,
    pitch: int, base: int,
) -> None:  # fmt: skip
    """Fold leaf by leaf; the states of a leaf are `pitch` apart and begin at `base`."""
    keep_apart()
    place, box = place_room(), box_room()
    single = ndim == reduced and row == 0 and reduced > 0
    for axis in range(ndim):
        put(box, axis, get(shape, axis))
        if axis < reduced:
            put(place, axis, 0)
    number = 0
    while True:
        n = 1
        for axis in range(reduced):
            side = get(sides, axis)
            put(box, axis, min(side, get(shape, axis) - get(place, axis) * side))
            n *= get(box, axis)
        run, last = 1, reduced - 1
        if single:
            run = max(1, get(shape, last) // get(sides, last) - get(place, last))
            run = min(run, MOST_RUN)
        run = _fold_leaf(
            fold, row, operands, count, box, place, sides, n, ndim, reduced, item, parts,
            part_items, part_count, number * pitch + base, pitch, run, scratch, size,
        )  # fmt: skip
        number += run
        axis, step = last, run
        while axis >= 0:
            put(place, axis, get(place, axis) + (step))
            if get(place, axis) * get(sides, axis) < get(shape, axis):
                break
            put(place, axis, 0)
            axis -= 1
            step = 1
        if axis < 0:
            return


@called(11)
def _fold_rows(
    fold: int, at: int, rows: int, stride: int, extent: int, side: int, item: int, parts: int,
    part_items: int, part_count: int, scratch: int,
) -> None:  # fmt: skip
    """Fold the leaves of one row after the other, each row's cells being contiguous.

    The states of a row are written side by side, then each to its leaf's.
    """
    keep_apart()
    table, leaf_bytes, round_bytes = parts_room(), side * item, LANES * item
    for number in range(rows):
        first = 0
        while first < extent:
            whole = min((extent - first) // side, MOST_RUN)
            n, leaves = (side, whole) if whole else (extent - first, 1)
            for part in range(part_count):
                put(table, part, scratch + part * MOST_RUN * 16)
            cells = at + number * stride + first * item
            call_fold(fold, (cells, leaves, leaf_bytes, n, round_bytes, item, 1, table, 0))
            for part in range(part_count):
                bytes_, states = get(part_items, part), scratch + part * MOST_RUN * 16
                to = get(parts, part) + (first // side * rows + number) * bytes_
                for leaf in range(leaves):
                    copy_bytes(to + leaf * rows * bytes_, states + leaf * bytes_, bytes_)
            first += leaves * n


@called(14)
def fold_leaves(
    fold: int, row: int, operands: int, count: int, shape: int, ndim: int, reduced: int,
    sides: int, item: int, parts: int, part_items: int, part_count: int, scratch: int, size: int,
) -> None:  # fmt: skip
    """Fold leaf by leaf; see `fold_texts.leaves_source`.

    Where leaves are folded in place, the last axis comes fastest and the outer kept axes slowest,
    so that memory is read in order; else all columns of a leaf come before the next leaf.
    """
    keep_apart()
    extents, strides = shape, operands + 16
    box = box_room()
    kept, leaves, n = 1, 1, 1
    for axis in range(ndim):
        put(box, axis, get(extents, axis))
        if axis < reduced:
            side = get(sides, axis)
            put(box, axis, min(side, get(extents, axis)))
            leaves *= (get(extents, axis) + side - 1) // side
            n *= get(box, axis)
        else:
            kept *= get(extents, axis)
    if kept == 0 or leaves == 0:
        return
    way = _in_place(box, strides, ndim, reduced, item, n)
    columns, single = way == COLUMNS, way == SINGLE
    if row or leaves == 1 or n < FEW_CELLS or not (columns or single):
        _fold_box(
            fold, row, operands, count, shape, ndim, reduced, sides, item, parts, part_items,
            part_count, scratch, size, kept, 0,
        )  # fmt: skip
        return
    if single and ndim == 2 and reduced == 1:
        _fold_rows(
            fold, get(operands, 0), kept, get(strides, 1), get(extents, 0), get(sides, 0), item,
            parts, part_items, part_count, scratch,
        )  # fmt: skip
        return
    inner_ndim = reduced + 1 if columns else reduced
    inner = get(extents, ndim - 1) if columns else 1
    some, inner_shape = some_room(), inner_room()
    for axis in range(ndim + 2):
        put(some, axis, get(operands, axis))
    for axis in range(reduced):
        put(inner_shape, axis, get(extents, axis))
    if columns:
        put(some, 2 + reduced, get(strides, ndim - 1))
        put(inner_shape, reduced, inner)
    for outer in range(kept // inner):
        at, left = get(operands, 0), outer
        for axis in range(ndim - 2 if columns else ndim - 1, reduced - 1, -1):
            at += left % get(extents, axis) * get(strides, axis)
            left //= get(extents, axis)
        put(some, 0, at)
        _fold_box(
            fold, 0, some, 1, inner_shape, inner_ndim, reduced,
            sides, item, parts, part_items, part_count, scratch, size, kept, outer * inner,
        )  # fmt: skip
