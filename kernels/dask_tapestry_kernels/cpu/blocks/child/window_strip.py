"""Sums of windows for a strip of neighbours at once, held in vector registers."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir
from numba import types
from numba.core import cgutils

from dask_tapestry_kernels.elementary.number_intrinsics import DOUBLE, FLOAT, Lowered, intrinsic

WIDTH: Final = 8  # doubles of a vector
VECTORS: Final = 4  # sums that do not wait for each other
INT32, INT64 = ir.IntType(32), ir.IntType(64)


def _splat(b: Any, scalar: Any, count: int) -> Any:
    """A number in all lanes of a vector."""
    kind = ir.VectorType(scalar.type, count)
    one = b.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(INT32, 0))
    return b.shuffle_vector(one, one, ir.Constant(ir.VectorType(INT32, count), None))


def _doubles(b: Any, address: Any, place: int, element: Any, signed: bool) -> Any:
    """A vector of cells, as doubles."""
    size = element.width // 8 if isinstance(element, ir.IntType) else {DOUBLE: 8, FLOAT: 4}[element]
    kind = ir.VectorType(element, WIDTH)
    here = b.add(address, ir.Constant(INT64, place * WIDTH * size))
    cells = b.load(b.inttoptr(here, kind.as_pointer()), align=size, typ=kind)
    wide = ir.VectorType(DOUBLE, WIDTH)
    if element == DOUBLE:
        return cells
    if element == FLOAT:
        return b.fpext(cells, wide)
    return b.sitofp(cells, wide) if signed else b.uitofp(cells, wide)


def _strip_sum(minus: bool) -> Any:
    def strip(
        context: Any,  # noqa: ARG001
        x: Any,  # noqa: ARG001
        first: Any,  # noqa: ARG001
        second: Any,  # noqa: ARG001
        weights: Any,  # noqa: ARG001
        singles: Any,  # noqa: ARG001
        terms: Any,  # noqa: ARG001
        out: Any,  # noqa: ARG001
        cell: Any,
    ) -> Lowered:
        signed = isinstance(cell, types.Integer) and bool(getattr(cell, "signed", False))

        def lower(_c: Any, b: Any, _s: Any, args: Any) -> Any:
            x, first, second, weights, singles, terms, out = args[:7]
            element, kind = args[7].type, ir.VectorType(DOUBLE, WIDTH)
            sums = [cgutils.alloca_once(b, kind) for _ in range(VECTORS)]
            for total in sums:
                b.store(ir.Constant(kind, [ir.Constant(DOUBLE, 0.0)] * WIDTH), total)

            def entry(table: Any, number: Any, word: Any) -> Any:
                pointer = b.gep(b.inttoptr(table, word.as_pointer()), [number], source_etype=word)
                return b.load(pointer, typ=word)

            with cgutils.for_range(b, singles) as loop:
                near = b.add(x, entry(first, loop.index, INT64))
                weight = _splat(b, entry(weights, loop.index, DOUBLE), WIDTH)
                for vector, total in enumerate(sums):
                    cells = _doubles(b, near, vector, element, signed)
                    b.store(b.fadd(b.load(total, typ=kind), b.fmul(cells, weight)), total)
            with cgutils.for_range_slice(b, singles, terms, ir.Constant(INT64, 1), inc=True) as (
                number,
                _count,
            ):
                near = b.add(x, entry(first, number, INT64))
                far = b.add(x, entry(second, number, INT64))
                weight = _splat(b, entry(weights, number, DOUBLE), WIDTH)
                for vector, total in enumerate(sums):
                    cells = _doubles(b, near, vector, element, signed)
                    others = _doubles(b, far, vector, element, signed)
                    both = b.fsub(cells, others) if minus else b.fadd(cells, others)
                    b.store(b.fadd(b.load(total, typ=kind), b.fmul(both, weight)), total)
            for vector, total in enumerate(sums):
                here = b.add(out, ir.Constant(INT64, vector * WIDTH * 8))
                b.store(b.load(total, typ=kind), b.inttoptr(here, kind.as_pointer()), align=8)
            return _c.get_dummy_value()

        return types.void(*[types.int64] * 7, cell), lower

    return intrinsic(strip)


strip_plus = _strip_sum(minus=False)  # (cells, first, second, weights, singles, terms, out, cell)
strip_minus = _strip_sum(minus=True)
