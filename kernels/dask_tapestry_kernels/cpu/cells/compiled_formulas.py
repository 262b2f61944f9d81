"""Formulas run as compiled rows: straight through memory where cells lie in order, else strided.

`interpreter.py` asks whether there is such a loop, and goes tile by tile until there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.cells import rows
from dask_tapestry_kernels.cpu.jit.compile_service import Native, compiled, required
from dask_tapestry_kernels.formulas.merged_dims import merged

Block = np.ndarray[Any, Any]
STRIP: Final = 512  # cells packed at a time: operands and result of a formula stay in first cache
# Cells packed where an operand is turned: 8 rows of float64, which are read in pieces of 8 KiB.
# x + x.T of 4243 x 4243 float64 takes 39 ms of a thread, 43 a row of 512 cells after the other, and
# 44 with 2048 cells; of float32 23, 30 and 30.
TURNED_STRIP: Final = 8_192
LONG: Final = 64  # cells of a row that are worth a call
SMALLEST_PLANE: Final = 16  # cells; smaller ones cost more to walk than to compute
WALK_ARITY: Final = 6
WALK: Final = "from dask_tapestry_kernels.cpu.cells.child.strided_loop import kernel\n"


def run(expression: Any, out: Block, blocks: Sequence[Block]) -> bool:
    """Evaluate `expression` into `out`, if that is compiled; return whether it was done."""
    still = still_operands(out, blocks)
    row = rows.row_of(expression, still)
    if row is None:
        return False
    native = compiled(row.source, rows.ARITY, rows.text(expression), out.size)
    if native is None and not _in_order(out, blocks):
        _walk_loop(out.size)  # so that both are compiled by the next time
    return native is not None and run_row(native, out, blocks, row.scalars, still)


def apply(function: str, out: Block, *operands: Any) -> None:
    """Write an elementary function of `operands`, all of one dtype, into `out`.

    It is compiled like any formula, as there is no other definition of it: the first use on a
    machine waits for that.
    """
    blocks = [np.require(np.broadcast_to(x, out.shape), None, ["C", "A"]) for x in operands]
    source = rows.call_source(function, len(operands), blocks[0].dtype, out.dtype)
    assert source is not None
    row = required(source, rows.ARITY, function)
    result = out if out.flags.carray else np.empty(out.shape, out.dtype)
    run_row(row, result, blocks)
    if result is not out:
        out[...] = result


def still_operands(out: Block, blocks: Sequence[Block]) -> tuple[int, ...]:
    """Numbers of the operands that are the same along rows, of which only one cell is read.

    They need not be packed: ``exp(x - m) / s``, where `m` and `s` are of rows of 16,384 float32,
    takes .65 instead of .77 ns a cell. Of several rows that are packed together none is still.
    """
    arrays = (*blocks, out)
    if _in_order(out, blocks) or not all(a.flags.aligned for a in arrays):
        return ()
    extents, strides = merged(arrays, 2)
    still = tuple([p for p, own in enumerate(strides[:-1]) if own[-1] == 0])
    straight = _is_straight(arrays, strides, still)
    long = extents[-1] >= LONG if straight else 2 * extents[-1] > STRIP
    return still if long and len(still) < len(blocks) else ()


def _is_straight(
    arrays: Sequence[Block], strides: Sequence[Sequence[int]], still: tuple[int, ...]
) -> bool:
    """Whether all cells lie side by side along rows, but for the `still` operands."""
    steps = enumerate(zip(arrays, strides, strict=True))
    return all(p in still or own[-1] == a.itemsize for p, (a, own) in steps)


def run_row(
    row: Native,
    out: Block,
    blocks: Sequence[Block],
    scalars: Sequence[Block] = (),
    still: tuple[int, ...] = (),
) -> bool:
    """Run a row over blocks of the shape of `out`; return whether that was possible.

    The row is one for operands that are `still`, as `still_operands` tells.
    """
    if _in_order(out, blocks):
        table = np.array([b.ctypes.data for b in (*blocks, *scalars)], np.int64)
        row(out.size, table.ctypes.data, out.ctypes.data)
        return True
    walk = _walk_loop(out.size)
    return walk is not None and _walk(walk, row, out, blocks, scalars, still)


def _in_order(out: Block, blocks: Sequence[Block]) -> bool:
    return all(b.flags.c_contiguous and b.flags.aligned for b in (out, *blocks))


def _walk_loop(cells: int) -> Native | None:
    return compiled(WALK, WALK_ARITY, "strided operands", cells)


def _walk(
    walk: Native,
    row: Native,
    out: Block,
    blocks: Sequence[Block],
    scalars: Sequence[Block],
    still: tuple[int, ...],
) -> bool:
    operands = [b if b.flags.aligned else np.ascontiguousarray(b) for b in blocks]
    layout = layout_of([*operands, out], scalars, still)
    if layout is None:
        return False
    scratch = layout.scratch()
    places = layout.table.ctypes.data, scratch.ctypes.data
    walk(row.address, layout.arrays - 1, layout.rank, layout.strip, *places)
    return True


class Layout(NamedTuple):
    """How operands and a result lie, as `strided_loop.walk` takes it."""

    arrays: int
    rank: int
    strip: int
    packed: int  # cells of a strip of which some arrays have a copy
    table: Block

    def scratch(self) -> Block:
        """Memory for the strided loop to work in."""
        return np.empty((24 + 16 * min(self.strip, self.packed)) * self.arrays, np.uint8)


def layout_of(
    arrays: Sequence[Block], scalars: Sequence[Block] = (), still: tuple[int, ...] = ()
) -> Layout | None:
    """Layout of operands and, last, their result; None where the strided loop does not pay.

    The `scalars` come between operands and result; they are cells of no bytes and the same for all.
    So are the `still` operands along a row.
    """
    last = arrays[-1]
    if not all(a.flags.aligned for a in arrays):
        return None
    extents, strides = merged(arrays, 2)
    if extents[-1] * extents[-2] < SMALLEST_PLANE and last.size > SMALLEST_PLANE:
        return None
    sizes = [0 if p in still else a.itemsize for p, a in enumerate(arrays)]
    straight = _is_straight(arrays, strides, still)
    turned = any(0 < abs(own[-2]) < abs(own[-1]) for own in strides)
    packed = TURNED_STRIP if turned else STRIP
    strip = extents[-1] if straight and extents[-1] >= LONG else packed
    *operands, result = [(size, *s) for size, s in zip(sizes, strides, strict=True)]
    constant = [(0,) * (1 + len(extents))] * len(scalars)
    lines = [n for line in (*operands, *constant, result) for n in line]
    addresses = [a.ctypes.data for a in (*arrays[:-1], *scalars, last)]
    table = np.array([*lines, 0, *extents, *addresses], np.int64)
    return Layout(len(arrays) + len(scalars), len(extents), strip, packed, table)
