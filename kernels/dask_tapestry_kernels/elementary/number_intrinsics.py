"""Numbers as LLVM has them: fused multiply-add, bits, half precision, polynomials, selects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import extending, njit, types
from numba.core import cgutils
from numba.core.typing.templates import Signature

intrinsic: Callable[[Callable[..., Any]], Any] = extending.intrinsic  # called without its context
Lowered = tuple[Signature, Callable[..., Any]]
DOUBLE, FLOAT, HALF = ir.DoubleType(), ir.FloatType(), ir.HalfType()


def _on_gpu(builder: Any) -> bool:
    """Whether the code is for a GPU, where NVVM lacks instructions that its library has."""
    return "nvptx" in builder.module.triple


def _libdevice(builder: Any, name: str, args: Any) -> Any:
    """Call an exact function of NVIDIA's library whose arguments and result are of one type."""
    kind = ir.FunctionType(args[0].type, [arg.type for arg in args])
    full_name = f"__nv_{name}f" if args[0].type == FLOAT else f"__nv_{name}"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, full_name), args)


def _numeric(builder: Any, name: str, args: Any) -> Any:
    """Call a function of LLVM whose arguments and result are of one type of floats."""
    if _on_gpu(builder) and name != "sqrt":
        return _libdevice(builder, name, args)
    kind = args[0].type
    declared = ir.FunctionType(kind, [kind] * len(args))
    return builder.call(builder.module.declare_intrinsic(f"llvm.{name}", [kind], declared), args)


def _bitcast(source: Any, target: Any, to: ir.Type) -> Callable[..., Any]:
    def bitcast(context: Any, x: Any) -> Lowered:  # noqa: ARG001
        return target(source), lambda _c, builder, _s, args: builder.bitcast(args[0], to)

    return bitcast


float64_bits = intrinsic(_bitcast(types.float64, types.int64, ir.IntType(64)))
float64_of = intrinsic(_bitcast(types.int64, types.float64, DOUBLE))
float32_bits = intrinsic(_bitcast(types.float32, types.int32, ir.IntType(32)))
float32_of = intrinsic(_bitcast(types.int32, types.float32, FLOAT))


@intrinsic
def fma(context: Any, x: Any, y: Any, z: Any) -> Lowered:  # noqa: ARG001
    """``x * y + z``, rounded once; all float64 or all float32."""
    kind = types.float64 if x == types.float64 else types.float32
    return kind(kind, kind, kind), lambda _c, builder, _s, args: builder.fma(*args)


@intrinsic
def fmod(context: Any, x: Any, y: Any) -> Lowered:  # noqa: ARG001
    """The exact remainder of ``x / y`` with the sign of `x`, of float64 or float32."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        if _on_gpu(builder):
            return _libdevice(builder, "fmod", args)
        return builder.frem(*args)

    return x(x, x), lower


@intrinsic
def half_to_float(context: Any, x: Any) -> Lowered:  # noqa: ARG001
    """The float32 of a float16, given as its bits: numba has no float16 on the CPU."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        return builder.fpext(builder.bitcast(args[0], HALF), FLOAT)

    return types.float32(types.uint16), lower


@intrinsic
def float_to_half(context: Any, x: Any) -> Lowered:  # noqa: ARG001
    """Bits of the float16 nearest to a float32."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        return builder.bitcast(builder.fptrunc(args[0], HALF), ir.IntType(16))

    return types.uint16(types.float32), lower


@njit(forceinline=True, error_model="numpy")
def double_to_half(x: Any) -> Any:
    """Bits of the float16 nearest to a float64, rounded once: by way of a float32 rounded to odd.

    LLVM would call a function of the compiler's runtime, which is not there.
    """
    near = np.float32(x)
    off = x - np.float64(near)
    bits = float32_bits(near)
    inexact = (off != 0) & (near != 0) & (abs(near) < np.inf) & (bits & 1 == 0)
    away = np.int32(1) if (off > 0) == (near > 0) else np.int32(-1)
    return float_to_half(float32_of(np.int32(bits + (away if inexact else np.int32(0)))))


@intrinsic
def choose(context: Any, condition: Any, yes: Any, no: Any) -> Lowered:  # noqa: ARG001
    """``yes if condition else no`` of two values at hand: a select, never a branch."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        return builder.select(*args)

    return yes(types.boolean, yes, yes), lower


def _terms(builder: Any, kind: Any, coefficients: Any, values: Any) -> list[Any]:
    """Take a tuple of float64 apart into numbers of a kind."""
    terms = [builder.extract_value(values, i) for i in range(len(coefficients))]
    return terms if kind == types.float64 else [builder.fptrunc(term, FLOAT) for term in terms]


@intrinsic
def horner(context: Any, x: Any, coefficients: Any) -> Lowered:  # noqa: ARG001
    """Polynomial in x, from a tuple of coefficients, the constant one first: a chain of `fma`."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        terms = _terms(builder, x, coefficients, args[1])
        value = terms.pop()
        while terms:
            value = builder.fma(value, args[0], terms.pop())
        return value

    return x(x, coefficients), lower


@intrinsic
def estrin(context: Any, x: Any, coefficients: Any) -> Lowered:  # noqa: ARG001
    """The polynomial by Estrin's scheme: more products, a shorter chain of dependencies."""

    def lower(_c: Any, builder: Any, _s: Any, args: Any) -> Any:
        terms = _terms(builder, x, coefficients, args[1])
        power = args[0]
        while len(terms) > 1:
            pairs = [
                builder.fma(high, power, low)
                for low, high in zip(terms[::2], terms[1::2], strict=False)
            ]
            terms = pairs + terms[len(pairs) * 2 :]
            power = builder.fmul(power, power)
        return terms[0]

    return x(x, coefficients), lower


def _unary(name: str) -> Callable[..., Any]:
    def declare(context: Any, x: Any) -> Lowered:  # noqa: ARG001
        return x(x), lambda _c, builder, _s, args: _numeric(builder, name, args)

    return declare


root = intrinsic(_unary("sqrt"))
nearest = intrinsic(_unary("rint"))
round_down = intrinsic(_unary("floor"))
round_up = intrinsic(_unary("ceil"))
cut_off = intrinsic(_unary("trunc"))
magnitude = intrinsic(_unary("fabs"))


@intrinsic
def signed(context: Any, x: Any, sign: Any) -> Lowered:  # noqa: ARG001
    """``|x|`` with the sign of ``sign``."""
    return x(x, x), lambda _c, builder, _s, args: _numeric(builder, "copysign", args)


@intrinsic
def wide_product(context: Any, x: Any, y: Any) -> Lowered:  # noqa: ARG001
    """The high and the low half of the product of two uint64."""

    def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide, narrow = ir.IntType(128), ir.IntType(64)
        if _on_gpu(builder):
            high = _libdevice(builder, "umul64hi", arguments)
            halves = [high, builder.mul(*arguments)]
        else:
            a, b = (builder.zext(argument, wide) for argument in arguments)
            product = builder.mul(a, b)
            high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), narrow)
            halves = [high, builder.trunc(product, narrow)]
        return context.make_tuple(builder, signature.return_type, halves)

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), lower
