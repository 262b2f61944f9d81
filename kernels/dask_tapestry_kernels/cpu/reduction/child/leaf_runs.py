"""Runs of leaves that are packed together: lines of memory are read whole.

A leaf of several axes is many short pieces of memory, which come one by one. Those of the leaves
that follow each other along one axis are long lines. So a run of leaves is packed line by line,
each line of a formula being evaluated before, and then each leaf is folded from the second cache.
36 M float64 as 6000 x 6000, squared and summed, in seconds of one thread: leaf by leaf .068, in
runs whose lines are 64 cells .077, 128 cells .057, 512 cells .039, as long as fits .033.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_row
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.jit.child.strided_copy import (
    STEPS,
    Steps,
    copy_line,
    copy_pieces,
    copy_plane,
)
from dask_tapestry_kernels.cpu.jit.child.turned_tiles import TILE
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import BLOCK, PLAN, Record, call_at
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES
from dask_tapestry_kernels.elementary.compiled_functions import I64, called, keep_apart, room

ALIGNED: Final = 64  # bytes; cells and lines begin at multiples
STATE_BYTES: Final = 16  # of one part of a state, at most
TURNED: Final = 262_144  # bytes of leaves packed together where lines go across their rows
LONGEST: Final = 4096  # cells of a line
MOST_DIMS: Final = 72
place_room = room(8 * MOST_DIMS)


@called(1, result=I64)
def leaf_pitch(length: int) -> int:
    """Bytes from one packed leaf of so many bytes to the next.

    A power of two would have the same pieces of all leaves share a few lines of the first cache.
    """
    return length + ALIGNED


@called(3, result=I64)
def nearest_axis(operand: int, shape: int, reduced: int) -> int:
    """The reduced axis along which the cells of an operand lie closest, the last one at a tie.

    `operand` is the address of its address, size of a cell, and strides.
    """
    keep_apart()
    found, least = reduced - 1, -1
    for axis in range(reduced - 1, -1, -1):
        stride = abs(get(operand, 2 + axis))
        if get(shape, axis) > 1 and (least < 0 or stride < least):
            found, least = axis, stride
    return found


@called(BLOCK, result=I64)
def axis_of_runs(block: Record) -> int:
    """The axis along which all operands lie closest; where they differ, the last one."""
    keep_apart()
    reduced, width = block.reduced, block.ndim + 2
    found: int = nearest_axis(block.operands, block.shape, reduced)
    for i in range(1, block.count):
        operand = block.operands + 8 * i * width
        if get(operand, 1) and nearest_axis(operand, block.shape, reduced) != found:
            found = reduced - 1
            break
    return found


@called(BLOCK, PLAN, result=I64)
def _in_rounds(block: Record, plan: Record) -> int:
    """Whether each line of a run holds one round of all its leaves."""
    last = block.reduced - 1
    return 1 if plan.run_axis == last and get(plan.box, last) == LANES else 0


@called(BLOCK, PLAN, result=I64)
def packed_at_once(block: Record, plan: Record) -> int:
    """How many of the leaves of a run are packed together: those that fit the scratch memory."""
    keep_apart()
    axis, line = plan.run_axis, block.item
    for i in range(block.count):
        line += get(block.operands, i * (block.ndim + 2) + 1)
    side = get(plan.box, axis)
    of_one = leaf_pitch(plan.n * block.item) + side * line + block.part_count * STATE_BYTES
    free = block.size - ALIGNED * (block.count + 3)
    if _in_rounds(block, plan):
        free -= ALIGNED * (plan.n // LANES)
    if axis < block.reduced - 1:
        if block.row:
            of_one += side * block.item * (get(plan.box, block.reduced - 1) - 1)
        free = min(free, TURNED)
    run: int = min(plan.run, free // of_one, LONGEST // side)
    return max(1, run)


@called(PLAN, 3, result=I64)
def _go_to(plan: Record, line: int, reduced: int, place: int) -> int:
    """Write the place in a leaf where a line begins; return the number of the cell there."""
    keep_apart()
    box, number, weight = plan.box, 0, 1
    for axis in range(reduced - 1, -1, -1):
        extent, at = get(box, axis), 0
        if axis != plan.run_axis:
            at = line % extent
            line //= extent
        put(place, axis, at)
        number += at * weight
        weight *= extent
    return number


@called(BLOCK, PLAN, 2, result=I64)
def _first_of_line(block: Record, plan: Record, operand: int, place: int) -> int:
    """Address of the first cell of an operand in a line."""
    at: int = get(operand, 0)
    for axis in range(block.reduced):
        first = get(plan.place, axis) * get(block.sides, axis) + get(place, axis)
        at += first * get(operand, 2 + axis)
    return at


@called(BLOCK, PLAN, 3)
def _evaluate(block: Record, plan: Record, place: int, cells: int, free: int) -> None:
    """Evaluate a formula in a line of `cells` cells, written at `free`; operands are packed."""
    keep_apart()
    packed = free + cells * block.item
    for i in range(block.count):
        operand = block.operands + 8 * i * (block.ndim + 2)
        at, size, step = (
            _first_of_line(block, plan, operand, place), get(operand, 1),
            get(operand, 2 + plan.run_axis),
        )  # fmt: skip
        if step != size:
            copy_line(at, packed, cells, size, step, size)
            at = packed
            packed += (cells * size + ALIGNED - 1) // ALIGNED * ALIGNED
        put(plan.addresses, i, at)
    call_row(block.row, (cells, plan.addresses, free))


@called(BLOCK, PLAN, 3)
def _copy_line(block: Record, plan: Record, place: int, target: int, cells: int) -> None:
    """Bring a line of `cells` cells to `target`."""
    keep_apart()
    item, first = block.item, _first_of_line(block, plan, block.operands, place)
    copy_line(first, target, cells, item, get(block.operands, 2 + plan.run_axis), item)


@called(BLOCK, PLAN, 3)
def _pack_lines(block: Record, plan: Record, place: int, packed: int, line: int) -> None:
    """Pack a run along the last axis; a line of a formula is evaluated at `line`."""
    keep_apart()
    item, n, run, axis = block.item, plan.n, plan.run, plan.run_axis
    side = get(plan.box, axis)
    for number in range(n // side):
        target = packed + _go_to(plan, number, block.reduced, place) * item
        at = line
        if block.row:
            _evaluate(block, plan, place, run * side, line)
        elif get(block.operands, 2 + axis) == item:
            at = _first_of_line(block, plan, block.operands, place)
        else:
            _copy_line(block, plan, place, line, run * side)
        length = side * item
        copy_pieces(at, target, run, length, length, leaf_pitch(n * item))


@called(BLOCK, PLAN, 2)
def _pack_rounds(block: Record, plan: Record, place: int, packed: int) -> None:
    """Pack a run along the last axis whose lines are rounds of all leaves, one below the other."""
    keep_apart()
    cells = plan.run * LANES
    for number in range(plan.n // LANES):
        _go_to(plan, number, block.reduced, place)
        target = packed + number * leaf_pitch(cells * block.item)
        if block.row:
            _evaluate(block, plan, place, cells, target)
        else:
            _copy_line(block, plan, place, target, cells)


@called(7, STEPS)
def _turn_leaves(
    source: int, target: int, run: int, pitch: int, side: int, across: int, item: int, steps: Steps
) -> None:
    """Turn planes of `side` rows and `across` columns, one of each leaf of a run.

    A tile's columns come at a time, of all leaves: each is one long line of memory, and processors
    ask ahead in so many, not in 32. Sums of 3000 x 3000 float64 in order F take 25 ms of a thread
    plane by plane, 12 so, and 9 in runs of all leaves that fit the scratch memory.
    """
    keep_apart()
    down, along, _, to_along = steps
    for first in range(0, across, TILE):
        at, to, some = source + first * along, target + first * to_along, min(TILE, across - first)
        for _ in range(run):
            copy_plane(at, to, side, some, item, steps)
            at += side * down
            to += pitch


@called(BLOCK, PLAN, 3)
def _pack_turned(block: Record, plan: Record, place: int, packed: int, sheet: int) -> None:
    """Pack a run along another axis: planes of that axis and the last one are turned.

    The lines of a plane of a formula are evaluated at `sheet`.
    """
    keep_apart()
    item, n, run, axis, last = block.item, plan.n, plan.run, plan.run_axis, block.reduced - 1
    side, across, after = get(plan.box, axis), get(plan.box, last), 1
    for later in range(axis + 1, block.reduced):
        after *= get(plan.box, later)
    line = run * side * item
    for number in range(0, n // side, across):
        target = packed + _go_to(plan, number, block.reduced, place) * item
        at = _first_of_line(block, plan, block.operands, place)
        down, along = get(block.operands, 2 + axis), get(block.operands, 2 + last)
        if block.row:
            at, down, along = sheet, item, line
            for one in range(across):
                put(place, last, one)
                _evaluate(block, plan, place, run * side, sheet + one * line)
        steps = (down, along, after * item, item)
        _turn_leaves(at, target, run, leaf_pitch(n * item), side, across, item, steps)


@called(BLOCK, PLAN, result=I64)
def packed_run(block: Record, plan: Record) -> int:
    """Pack the cells of a run of leaves, and return where they lie; say how in the plan's call.

    Leaf by leaf, but where a line holds one round of each, line by line.
    """
    keep_apart()
    item, n, run, call = block.item, plan.n, plan.run, call_at(plan.call)
    packed: int = (plan.free + ALIGNED - 1) // ALIGNED * ALIGNED
    length = run * leaf_pitch(n * item)
    line = packed + (length + ALIGNED - 1) // ALIGNED * ALIGNED
    call.cell_stride, call.round_stride = item, LANES * item
    call.leaf_stride = leaf_pitch(n * item)
    if _in_rounds(block, plan):
        _pack_rounds(block, plan, place_room(), packed)
        call.round_stride, call.leaf_stride = leaf_pitch(run * LANES * item), LANES * item
    elif plan.run_axis == block.reduced - 1:
        _pack_lines(block, plan, place_room(), packed, line)
    else:
        _pack_turned(block, plan, place_room(), packed, line)
    return packed
