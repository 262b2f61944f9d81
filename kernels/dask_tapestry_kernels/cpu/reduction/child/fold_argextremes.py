"""Folds to the place of the least or greatest cell: argmin, argmax and those of the numbers.

Of one column the best value is found first, then its first place, while the leaf lies in the first
cache. Columns side by side carry value and place along together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from llvmlite import ir

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import write_cell
from dask_tapestry_kernels.cpu.reduction.child import vector_ir as v
from dask_tapestry_kernels.cpu.reduction.child.fold_one_pass import pass_folder, run_length
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import Record, call_at
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import COMBINES, INDEX, LeafPass
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import LANES, LaneOps, first_lane
from dask_tapestry_kernels.cpu.reduction.child.vector_ir import DType, Value, Vectors
from dask_tapestry_kernels.elementary.compiled_functions import called, inlined, room

TRUTH: Final = np.dtype(bool)


def place_folder(monoid: str, cell: DType) -> Any:
    """``fold(call)`` as `fold_sources.fold_source` says."""
    cell = INDEX if cell.kind in "mM" else cell
    best, carried = _best(monoid, cell), _carried(monoid, cell)
    over, run, search = (
        pass_folder(best, carried),
        run_length(cell.itemsize),
        _searcher(best, carried),
    )

    @called(1)
    def fold(address: int) -> None:
        call, leaf = call_at(address), 0
        while leaf < call.leaves:
            count = run(leaf, call)
            over(leaf, count, 0, call.kept, 0, call)
            if call.kept == 1:
                for i in range(leaf, leaf + count):
                    search(i, call)
            leaf += count

    return fold


def _numbers(monoid: str, cell: DType) -> Any:
    """(builder, cells) -> the cells as they are compared, and bytes that say which are numbers.

    A NaN counts as the worst number where numbers are asked for.
    """
    convert = v.converter(cell, cell)
    if not monoid.startswith("nan"):
        return lambda b, x: (convert(b, x), [])
    worst = np.inf if monoid == "nanargmin" else -np.inf

    def numbers(b: Value, x: Vectors) -> tuple[Vectors, Vectors]:
        lost, held = v.is_nan(b, x), convert(b, x)
        instead = [v.every(p, number) for p, number in zip(held, (worst, 0.0), strict=False)]
        byte = ir.VectorType(v.BYTE, lost.type.count)
        return v.choose(b, lost, instead, held), [b.zext(b.not_(lost), byte)]

    return numbers


def _best(monoid: str, cell: DType) -> LeafPass:
    """The best value, and for the numbers whether there is one."""
    k, numbers = v.parts(cell), _numbers(monoid, cell)
    extreme = COMBINES["min" if monoid.endswith("min") else "max"](cell)
    fields = (v.held(v.real(cell)),) * k
    of_numbers = monoid.startswith("nan")

    def combine(b: Value, x: Vectors, y: Vectors) -> Vectors:
        some = [b.or_(p, q) for p, q in zip(x[k:], y[k:], strict=True)]
        return [*extreme(b, x[:k], y[:k]), *some]

    def read(b: Value, x: Vectors, _c: Vectors, _i: Value) -> Vectors:
        held, some = numbers(b, x)
        return [*held, *some]

    return LeafPass(
        cell,
        read,
        (*fields, v.BYTE) if of_numbers else fields,
        combine,
        (cell, TRUTH) if of_numbers else (cell,),
        places=(0, 2) if of_numbers else (0,),
    )


def _carried(monoid: str, cell: DType) -> LeafPass:
    """Value, place, and for the numbers whether there is one."""
    k, numbers, signed = v.parts(cell), _numbers(monoid, cell), cell.kind == "i"
    sign = "<" if monoid.endswith("min") else ">"
    of_numbers = monoid.startswith("nan")
    more = (v.BYTE,) if of_numbers else ()
    fields = (v.held(v.real(cell)),) * k

    def read(b: Value, x: Vectors, lane: Vectors, i: Value) -> Vectors:
        held, some = numbers(b, x)
        first = v.splat(b, b.trunc(i, v.INT32), lane[0].type.count)
        return [*held, b.add(first, lane[0]), *some]

    def better(b: Value, x: Vectors, y: Vectors, tie: bool) -> Value:
        """Whether y beats x: a NaN beats every number; at a `tie` the lower place."""
        wins = v.before(b, sign, y[:k], x[:k], signed)
        ties = v.equal(b, x[:k], y[:k])
        if v.is_float(x[0]):
            nan_x, nan_y = v.is_nan(b, x[:k]), v.is_nan(b, y[:k])
            wins = b.and_(b.or_(wins, nan_y), b.not_(nan_x))
            ties = b.or_(ties, b.and_(nan_x, nan_y))
        return b.or_(wins, b.and_(ties, b.icmp_signed("<", y[k], x[k]))) if tie else wins

    def join(tie: bool) -> Any:
        def combine(b: Value, x: Vectors, y: Vectors) -> Vectors:
            some = [b.or_(p, q) for p, q in zip(x[k + 1 :], y[k + 1 :], strict=True)]
            best = v.choose(b, better(b, x, y, tie), y[: k + 1], x[: k + 1])
            return [*best, *some]

        return combine

    return LeafPass(
        cell, read, (*fields, v.INT32, *more), join(True),
        (cell, INDEX, TRUTH) if of_numbers else (cell, INDEX),
        places=(0, 1, 2) if of_numbers else (0, 1),
        far=(*fields, v.INT64, *more),
        step=join(False),
        settle=lambda b, x: [*x[:k], v.resized(b, x[k], v.INT64, True), *x[k + 1 :]],
        context=np.dtype(np.int32),
        counts=True,
    )  # fmt: skip


def _searcher(best: LeafPass, carried: LeafPass) -> Any:
    """Find the best value of a leaf, which is in the state already, and write its place."""
    lanes, single = LaneOps(best, LANES), LaneOps(best, 1)
    read, read_some, match = lanes.read(), lanes.read_some(), lanes.match()
    tell, read_one, nothing = lanes.context(True), single.read(), single.context(False)
    k, item = v.parts(carried.cell), carried.cell.itemsize
    written = carried.written[:2]
    found = LaneOps(replace(carried, written=written, places=(0, 1), finish=_first(k + 1)), 1)
    take, settle, write, zero = found.read(), found.settle(), found.write(), found.context(False)
    zero_room = room(64)

    @inlined
    def search(leaf: int, call: Record) -> None:
        address = call.cells + leaf * call.leaf_stride
        n, round_stride = call.n, call.round_stride
        parts, context = call.parts, tell(0, 0)
        value = read_one(get(parts, 0) + leaf * item, nothing(0, 0), 0)
        place, rounds = 0, n // LANES
        for i in range(rounds + 1):
            at = address + i * round_stride
            if i < rounds:
                bits = match(read(at, context, 0), value)
            else:
                rest = n - rounds * LANES
                bits = match(read_some(at, rest, context, 0), value) & ((1 << rest) - 1)
            if bits:
                place = i * LANES + first_lane(bits)
                break
        at = address + place // LANES * round_stride + place % LANES * item
        none = zero_room()
        write_cell(none, 0, np.int32(0))
        write(settle(take(at, zero(none, 0), place)), n, parts, leaf, 1)

    return search


def _first(count: int) -> Any:
    return lambda _b, fields, _n: fields[:count]
