"""LLVM vectors of cells: constants, conversions, comparisons.

Everything here writes instructions by an `llvmlite` builder. A number is one vector, a complex
number two (its parts); float16 is `half` in memory and `float` in registers, bool is a byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from llvmlite import ir

Value = Any  # of llvmlite, which has no types for mypy
Vectors = list[Value]
DType = np.dtype[Any]

DOUBLE, FLOAT, HALF = ir.DoubleType(), ir.FloatType(), ir.HalfType()
BIT: Final = ir.IntType(1)
BYTE, INT32, INT64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
FLOATS: Final = {2: FLOAT, 4: FLOAT, 8: DOUBLE}


def real(dtype: DType) -> DType:
    """Dtype of the parts of a complex number; itself of any other."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def parts(dtype: DType) -> int:
    """Numbers that a cell is made of."""
    return 2 if dtype.kind == "c" else 1


def stored(dtype: DType) -> Value:
    """Type of a number of `dtype` in memory."""
    if dtype == np.float16:
        return HALF
    return FLOATS[real(dtype).itemsize] if dtype.kind in "fc" else ir.IntType(8 * dtype.itemsize)


def held(dtype: DType) -> Value:
    """Type of a number of `dtype` in registers."""
    return FLOAT if dtype == np.float16 else stored(dtype)


def every(value: Value, number: Any) -> Value:
    """A vector like `value`, or of that type, with `number` in all lanes."""
    kind: Any = value.type if isinstance(value, ir.Value) else value
    return ir.Constant(kind, [ir.Constant(kind.element, number)] * kind.count)


def iota(count: int, first: int = 0) -> Value:
    """Numbers of lanes, counted from `first`."""
    return ir.Constant(
        ir.VectorType(INT32, count), [ir.Constant(INT32, first + i) for i in range(count)]
    )


def splat(b: Value, scalar: Value, count: int) -> Value:
    """`scalar` in all lanes."""
    kind = ir.VectorType(scalar.type, count)
    one = b.insert_element(ir.Constant(kind, ir.Undefined), scalar, ir.Constant(INT32, 0))
    return b.shuffle_vector(one, one, ir.Constant(ir.VectorType(INT32, count), None))


def lanes(b: Value, value: Value, chosen: Sequence[int]) -> Value:
    """The `chosen` lanes of a vector."""
    mask = ir.Constant(ir.VectorType(INT32, len(chosen)), [ir.Constant(INT32, i) for i in chosen])
    return b.shuffle_vector(value, value, mask)


def is_float(value: Value) -> bool:
    """Whether a vector is of floats."""
    return value.type.element in (DOUBLE, FLOAT, HALF)


def add(b: Value, x: Value, y: Value) -> Value:
    """``x + y``, of integers or floats."""
    return b.fadd(x, y) if is_float(x) else b.add(x, y)


def is_nan(b: Value, number: Vectors) -> Value:
    """Whether some part is not a number; None for integers."""
    if not is_float(number[0]):
        return None
    found = [b.fcmp_unordered("uno", x, x) for x in number]
    return b.or_(*found) if len(found) == 2 else found[0]


def equal(b: Value, x: Vectors, y: Vectors) -> Value:
    """``x == y``."""
    if not is_float(x[0]):
        return b.icmp_signed("==", x[0], y[0])
    found = [b.fcmp_ordered("==", p, q) for p, q in zip(x, y, strict=True)]
    return b.and_(*found) if len(found) == 2 else found[0]


def before(b: Value, sign: str, x: Vectors, y: Vectors, signed: bool) -> Value:
    """Whether x is less (`sign` "<") or greater (">") than y; complex numbers by parts."""
    if not is_float(x[0]):
        return (b.icmp_signed if signed else b.icmp_unsigned)(sign, x[0], y[0])
    found = b.fcmp_ordered(sign, x[0], y[0])
    if len(x) == 2:
        later = b.and_(b.fcmp_ordered("==", x[0], y[0]), b.fcmp_ordered(sign, x[1], y[1]))
        found = b.or_(found, later)
    return found


def choose(b: Value, condition: Value, x: Vectors, y: Vectors) -> Vectors:
    """``condition ? x : y`` of all parts."""
    return [b.select(condition, p, q) for p, q in zip(x, y, strict=True)]


def converter(source: DType, target: DType) -> Callable[[Value, Vectors], Vectors]:
    """How vectors of cells as stored become numbers as held, where they are `convertible`."""
    if source == target:
        return _widened if source == np.float16 else _as_is
    if target.kind == "b":
        return _truth
    return lambda b, x: _converted(b, x, source, target)


def _as_is(b: Value, x: Vectors) -> Vectors:  # noqa: ARG001
    return x


def _widened(b: Value, x: Vectors) -> Vectors:
    return [b.fpext(p, ir.VectorType(FLOAT, p.type.count)) for p in x]


def _truth(b: Value, x: Vectors) -> Vectors:
    byte = ir.VectorType(BYTE, x[0].type.count)
    if is_float(x[0]):
        found = [b.fcmp_unordered("!=", p, every(p, 0.0)) for p in x]
        return [b.zext(b.or_(*found) if len(found) == 2 else found[0], byte)]
    return [b.zext(b.icmp_unsigned("!=", x[0], every(x[0], 0)), byte)]


def _converted(b: Value, x: Vectors, source: DType, target: DType) -> Vectors:
    kind = ir.VectorType(stored(target), x[0].type.count)
    numbers = [_number(b, p, kind, source, target) for p in x]
    if target.kind == "c" and len(numbers) == 1:
        numbers.append(every(kind, 0.0))
    return numbers


def _number(b: Value, x: Value, kind: Value, source: DType, target: DType) -> Value:
    if is_float(x):
        before_, after = real(source).itemsize, real(target).itemsize
        if before_ == after:
            return x
        return b.fpext(x, kind) if after > before_ else b.fptrunc(x, kind)
    signed = source.kind == "i"
    if target.kind in "fc":
        return b.sitofp(x, kind) if signed else b.uitofp(x, kind)
    return resized(b, x, kind.element, signed)


def resized(b: Value, x: Value, element: Value, signed: bool) -> Value:
    """Integers of another width."""
    kind = ir.VectorType(element, x.type.count)
    if element.width == x.type.element.width:
        return x
    if element.width < x.type.element.width:
        return b.trunc(x, kind)
    return b.sext(x, kind) if signed else b.zext(x, kind)
