"""What the compiled folds do to one cell: each monoid as instructions on vectors.

A `LeafPass` says how cells are read into *fields* (one vector, two for a complex number, one more
for
a count), how two accumulators combine, and what is written at the end; `fold_leaf` has the order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from llvmlite import ir

from dask_tapestry_kernels.cpu.reduction.child import vector_ir as v
from dask_tapestry_kernels.cpu.reduction.child.vector_ir import DType, Value, Vectors

Combine = Callable[[Value, Vectors, Vectors], Vectors]
INDEX: Final = np.dtype(np.int64)


def _settled(b: Value, x: Vectors) -> Vectors:  # noqa: ARG001
    return x


def _finished(b: Value, x: Vectors, n: Value) -> Vectors:  # noqa: ARG001
    return x


@dataclass(frozen=True)
class LeafPass:
    """One pass over the cells of a leaf.

    Attributes
    ----------
    cell
        Dtype of the cells.
    read
        (builder, cells as stored, context, number of the cell in its leaf) -> fields.
    near, far
        Types of the fields while rounds are folded, and from the fold by halves on.
    combine
        Of two accumulators, the earlier cells' first.
    step
        Of an accumulator and cells that come after it.
    settle
        Near fields to far ones.
    finish
        (builder, fields, cells of the leaf) -> parts of the state.
    written
        Dtypes of these parts, and `places` their numbers in the state.
    context
        What `read` is told for each column: a dtype (the mean), or None.
    """

    cell: DType
    read: Callable[[Value, Vectors, Vectors, Value], Vectors]
    near: tuple[Value, ...]
    combine: Combine
    written: tuple[DType, ...]
    places: tuple[int, ...] = (0,)
    far: tuple[Value, ...] = ()
    step: Combine | None = None
    settle: Callable[[Value, Vectors], Vectors] = _settled
    finish: Callable[[Value, Vectors, Value], Vectors] = _finished
    context: DType | None = None
    counts: bool = field(default=False)  # whether `context` is the number of the lane

    @property
    def ended(self) -> tuple[Value, ...]:
        """Types of the far fields."""
        return self.far or self.near


def passes(monoid: str, cell: DType, state: DType) -> tuple[LeafPass, ...]:
    """The passes over a leaf that make its state; times are integers, as NaT is the least."""
    if cell.kind in "mM":
        cell, state = INDEX, INDEX if state.kind in "mM" else state
    if monoid in ("sum", "add", "mean"):
        return (_sum(cell, state),)
    if monoid in COMBINES:
        return (_plain(monoid, cell, state),)
    if monoid == "ptp":
        return (_range(cell),)
    if monoid == "nanmean":
        return (_numbers(cell, state["sum"], (0, 1), divide=False),)
    return _variance(cell, state, "nan" in monoid)


def _held(dtype: DType) -> tuple[Value, ...]:
    return (v.held(v.real(dtype)),) * v.parts(dtype)


# ---- order of two numbers, as NumPy's loops have it


def _extreme(sign: str, signed: bool, half: bool) -> Combine:
    """``np.minimum``, ``np.maximum``: a NaN before a number; of equals the later one.

    Of float16 and complex numbers the first.
    """

    def combine(b: Value, x: Vectors, y: Vectors) -> Vectors:
        if not v.is_float(x[0]):
            return v.choose(b, v.before(b, sign, x, y, signed), x, y)
        if len(x) == 1 and not half:
            best = v.choose(b, v.before(b, sign, x, y, signed), x, y)
            return v.choose(b, v.is_nan(b, x), x, best)
        return v.choose(b, b.or_(v.is_nan(b, x), _ahead(b, sign, x, y, signed)), x, y)

    return combine


def _number_extreme(sign: str, signed: bool) -> Combine:
    """``fmin``, ``fmax``: a number before a NaN; of equals the first."""

    def combine(b: Value, x: Vectors, y: Vectors) -> Vectors:
        ahead = _ahead(b, sign, x, y, signed)
        if v.is_float(x[0]):
            ahead = b.or_(ahead, v.is_nan(b, y))
        return v.choose(b, ahead, x, y)

    return combine


def _ahead(b: Value, sign: str, x: Vectors, y: Vectors, signed: bool) -> Value:
    """Whether x is before y or equal to it, and both are numbers."""
    ahead = b.or_(v.before(b, sign, x, y, signed), v.equal(b, x, y))
    if len(x) == 1:
        return ahead
    return b.and_(ahead, b.not_(b.or_(v.is_nan(b, x), v.is_nan(b, y))))


def _add(b: Value, x: Vectors, y: Vectors) -> Vectors:
    return [v.add(b, p, q) for p, q in zip(x, y, strict=True)]


def _multiply(b: Value, x: Vectors, y: Vectors) -> Vectors:
    if len(x) == 1:
        return [b.fmul(x[0], y[0]) if v.is_float(x[0]) else b.mul(x[0], y[0])]
    (xr, xi), (yr, yi) = x, y
    return [
        b.fsub(b.fmul(xr, yr), b.fmul(xi, yi)),
        b.fadd(b.fmul(xr, yi), b.fmul(xi, yr)),
    ]


def _bits(name: str) -> Combine:
    return lambda b, x, y: [getattr(b, name)(x[0], y[0])]


COMBINES: Final[dict[str, Callable[[DType], Combine]]] = {
    "prod": lambda state: _bits("and_") if state.kind == "b" else _multiply,
    "min": lambda state: _extreme("<", state.kind == "i", state == np.float16),
    "max": lambda state: _extreme(">", state.kind == "i", state == np.float16),
    "fmin": lambda state: _number_extreme("<", state.kind == "i"),
    "fmax": lambda state: _number_extreme(">", state.kind == "i"),
    "any": lambda _: _bits("or_"),
    "all": lambda _: _bits("and_"),
    "xor": lambda _: _bits("xor"),
    "bitwise_and": lambda _: _bits("and_"),
    "bitwise_or": lambda _: _bits("or_"),
    "bitwise_xor": lambda _: _bits("xor"),
}


def _plain(monoid: str, cell: DType, state: DType) -> LeafPass:
    convert = v.converter(cell, state)
    combine = COMBINES[monoid](state)
    return LeafPass(cell, lambda b, x, _c, _i: convert(b, x), _held(state), combine, (state,))


def _sum(cell: DType, state: DType) -> LeafPass:
    convert = v.converter(cell, state)
    if cell.kind in "biu" and cell.itemsize <= 2 and state in (INDEX, np.uint64, np.float64):
        return _narrow_sum(cell, state)
    combine = _bits("or_") if state.kind == "b" else _add
    return LeafPass(cell, lambda b, x, _c, _i: convert(b, x), _held(state), combine, (state,))


def _narrow_sum(cell: DType, state: DType) -> LeafPass:
    """Sums of one or two bytes, exact in any order, also as float64.

    Twice as many bits hold the sum of a lane of a leaf: int8 adds at 3 times the speed of int64.
    """
    signed = cell.kind == "i"
    near = ir.IntType(16 * cell.itemsize)

    def finish(b: Value, x: Vectors, _n: Value) -> Vectors:
        if state.kind != "f":
            return x
        return [b.sitofp(x[0], ir.VectorType(v.DOUBLE, x[0].type.count))]

    return LeafPass(
        cell,
        lambda b, x, _c, _i: [v.resized(b, x[0], near, signed)],
        (near,),
        _add,
        (state,),
        far=(v.INT64,),
        settle=lambda b, x: [v.resized(b, x[0], v.INT64, signed)],
        finish=finish,
    )


def _range(cell: DType) -> LeafPass:
    k = v.parts(cell)
    convert = v.converter(cell, cell)
    least, greatest = COMBINES["min"](cell), COMBINES["max"](cell)
    return LeafPass(
        cell,
        lambda b, x, _c, _i: convert(b, x) * 2,
        _held(cell) * 2,
        lambda b, x, y: least(b, x[:k], y[:k]) + greatest(b, x[k:], y[k:]),
        (cell, cell),
        places=(0, 1),
    )


# ---- means, variances, and those of the numbers among NaNs


def _without_nan(
    cell: DType, work: DType
) -> Callable[[Value, Vectors, float], tuple[Vectors, Value]]:
    """Cells as numbers, NaNs replaced; and where these are."""
    convert = v.converter(cell, work)

    def numbers(b: Value, x: Vectors, instead: float) -> tuple[Vectors, Value]:
        lost = v.is_nan(b, x)
        return [b.select(lost, v.every(p, instead), p) for p in convert(b, x)], lost

    return numbers


def _numbers(cell: DType, work: DType, places: tuple[int, int], divide: bool) -> LeafPass:
    """Sum, or mean, and count of the numbers."""
    numbers = _without_nan(cell, work)

    def read(b: Value, x: Vectors, _c: Vectors, _i: Value) -> Vectors:
        held, lost = numbers(b, x, -0.0)
        return [*held, b.zext(b.not_(lost), ir.VectorType(v.INT32, lost.type.count))]

    def finish(b: Value, x: Vectors, _n: Value) -> Vectors:
        *total, count = x
        if divide:
            some = b.select(b.icmp_signed(">", count, v.every(count, 1)), count, v.every(count, 1))
            total = _divided(b, total, b.sitofp(some, total[0].type))
        return [*total, count]

    return LeafPass(
        cell,
        read,
        (*_held(work), v.INT32),
        _add,
        (work, INDEX),
        places=places,
        far=(*_held(work), v.INT64),
        settle=lambda b, x: [*x[:-1], v.resized(b, x[-1], v.INT64, False)],
        finish=finish,
    )


def _divided(b: Value, total: Vectors, count: Value) -> Vectors:
    """``total / count`` as NumPy divides: complex numbers by way of the reciprocal.

    The count is then a complex number itself, whose imaginary part is 0.
    """
    if len(total) == 1:
        return [b.fdiv(total[0], count)]
    re, im = total
    nothing = v.every(re, 0.0)
    share = b.fdiv(v.every(re, 1.0), count)
    return [
        b.fmul(b.fadd(re, b.fmul(im, nothing)), share),
        b.fmul(b.fsub(im, b.fmul(re, nothing)), share),
    ]


def _variance(cell: DType, state: DType, of_numbers: bool) -> tuple[LeafPass, ...]:
    work, m2 = state["mean"], state["m2"]
    first = _numbers(cell, work, (0, 2), divide=True) if of_numbers else _mean(cell, work)
    convert = v.converter(cell, work)

    def read(b: Value, x: Vectors, mean: Vectors, _i: Value) -> Vectors:
        off = [b.fsub(p, m) for p, m in zip(convert(b, x), mean, strict=True)]
        squares = [b.fmul(p, p) for p in off]
        square = b.fadd(*squares) if len(squares) == 2 else squares[0]
        if of_numbers:
            square = b.select(v.is_nan(b, x), v.every(square, 0.0), square)
        return [square]

    second = LeafPass(cell, read, _held(m2), _add, (m2,), places=(1,), context=work)
    return first, second


def _mean(cell: DType, work: DType) -> LeafPass:
    total = _sum(cell, work)

    def finish(b: Value, x: Vectors, n: Value) -> Vectors:
        sums = total.finish(b, x, n)
        kind = sums[0].type
        count = v.splat(b, b.sitofp(n, kind.element), kind.count)
        return _divided(b, sums, count)

    return LeafPass(
        cell, total.read, total.near, total.combine, (work,),
        far=total.far, settle=total.settle, finish=finish,
    )  # fmt: skip
