"""Code generation of a row: what each step of a cell expression is in the text of a loop.

The text is NumPy's loop of that dtype written for numba, bit for bit. float16 is held as the
float32 of the same value and rounded after each step, as NumPy does. A function or dtype that is
not here has no compiled meaning; NumPy runs it over tiles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.formulas.function_table import facts_of

DType = np.dtype[Any]
Meaning = Callable[[Sequence[str], DType], str | None]

TYPES: Final = MappingProxyType(
    {
        "?": "np.bool_", "b": "np.int8", "B": "np.uint8", "h": "np.int16", "H": "np.uint16",
        "i": "np.int32", "I": "np.uint32", "l": "np.int64", "L": "np.uint64", "q": "np.int64",
        "Q": "np.uint64", "e": "np.float32", "f": "np.float32", "d": "np.float64",
        "F": "np.complex64", "D": "np.complex128",
    }
)  # fmt: skip

IMPORTS: Final = """\
import numpy as np
from dask_tapestry_kernels.elementary.number_intrinsics import (
    cut_off, double_to_half, float32_bits, float32_of, float64_bits, float64_of, float_to_half,
    half_to_float, nearest, root, round_down, round_up,
)
from dask_tapestry_kernels.formulas.child import ufunc_loops
"""  # what the text of steps takes


def is_elementary(function: str, operand: DType) -> bool:
    """Whether a function of cells of a dtype is our own, so that NumPy cannot stand in for it."""
    return is_known(operand) and operand.kind in facts_of(function).own


def is_careful(function: str, operand: DType) -> bool:
    """Whether a function of cells of a dtype has a careful form for some arguments."""
    return operand.kind in facts_of(function).careful


def is_known(dtype: DType) -> bool:
    """Whether cells of `dtype` can be computed with."""
    return dtype.char in TYPES and dtype.isnative


def held_type_text(dtype: DType) -> str:
    """Text of the type in which a value is held."""
    return TYPES[dtype.char]


def stored(dtype: DType) -> str:
    """Text of the type in which a cell lies in memory."""
    return "np.uint16" if dtype.char == "e" else TYPES[dtype.char]


def loaded(cell: str, dtype: DType) -> str:
    """Text of the value of a cell in memory."""
    return f"half_to_float({cell})" if dtype.char == "e" else cell


def to_store(value: str, dtype: DType) -> str:
    """Text of the cell that is written to memory for a value."""
    return f"float_to_half({value})" if dtype.char == "e" else value


def constant(value: np.generic) -> str:
    """Text of a constant: a float is given by its bits."""
    kind = value.dtype
    if kind.char in "ef":
        return f"float32_of(np.int32({int(np.float32(value).view(np.int32))}))"
    if kind.char == "d":
        return f"float64_of(np.int64({int(value.view(np.int64))}))"
    if kind.kind == "c":
        return f"{held_type_text(kind)}(complex({constant(value.real)}, {constant(value.imag)}))"
    return f"{held_type_text(kind)}({value.item()})"


def bits_slot(value: str, dtype: DType) -> tuple[str, str] | None:
    """Where the bits of a float are gathered, and the text that gathers them; None of others."""
    if dtype.kind not in "fc":
        return None
    wide = dtype.char in "dD"
    to, bits = ("kept64", "float64_bits") if wide else ("kept32", "float32_bits")
    parts = [f"{value}.real", f"{value}.imag"] if dtype.kind == "c" else [value]
    return to, " | ".join([to, *[f"{bits}({part})" for part in parts]])


def needs_care(function: str, operand: str, dtype: DType) -> str:
    """Text of the test whether an argument needs the careful form."""
    return f"ufunc_loops.{_precision(dtype)}_{function}_needs_care({operand})"


def step(
    function: str,
    operands: Sequence[str],
    dtypes: Sequence[DType],
    dtype: DType,
    careful: bool = False,
) -> str | None:
    """Text of a step whose operands, of `dtypes`, are named; None if it has no compiled meaning."""
    if function == "cast":
        return _cast(operands[0], dtypes[0], dtype)
    if function == "where" and dtype.kind == "b":  # a choice of bool is a jump: 5 ns a cell
        return "({0} & {1}) | ((not {0}) & {2})".format(*operands)
    if function == "where":
        return f"{operands[1]} if {operands[0]} else {operands[2]}"
    kind = dtypes[-1]
    if any(d != kind for d in dtypes):
        return None  # loops of mixed dtypes: shifts of times, comparisons of int64 with uint64
    if is_elementary(function, kind):
        way = "_careful" * (careful and is_careful(function, kind))
        return _elementary(function + way, operands, kind)
    meaning = MEANINGS.get(kind.kind, {}).get(function)
    text = meaning(operands, kind) if meaning else None
    return text and _rounded(text, dtype)


def _rounded(text: str, dtype: DType) -> str:
    """`text` in the dtype of the result: numba widens integers, and has no float16."""
    if dtype.char == "e":
        return f"ufunc_loops.rounded({text})"
    return f"{held_type_text(dtype)}({text})" if dtype.kind in "iu" else text


def _elementary(function: str, operands: Sequence[str], kind: DType) -> str:
    return _rounded(f"ufunc_loops.{_precision(kind)}_{function}({', '.join(operands)})", kind)


def _precision(kind: DType) -> str:
    return "float32" if kind.char == "e" else kind.name


def _cast(value: str, source: DType, target: DType) -> str | None:
    """``astype``; what C leaves undefined is as x86 has it, as in NumPy."""
    if source.kind == "c" and target.kind != "c":
        part = np.dtype(source.char.lower())
        if target.kind == "b":
            return f"({value}.real != 0) | ({value}.imag != 0)"
        return _cast(f"{value}.real", part, target)
    if target.kind == "b":
        return f"{value} != 0"
    if target.char == "e":
        to_half = "double_to_half" if source.char == "d" else "float_to_half"
        wide = value if source.kind == "f" else f"np.float32({value})"
        return f"half_to_float({to_half}({wide}))"
    if source.kind == "f" and target.kind in "iu":
        return _integer_of(value, target)
    return f"{held_type_text(target)}({value})"


def _integer_of(value: str, target: DType) -> str | None:
    if target == np.uint64:
        return None
    wide = target.itemsize == 8 or target == np.uint32
    return f"{held_type_text(target)}(ufunc_loops.to_int{64 if wide else 32}(np.float64({value})))"


def _infix(sign: str) -> Meaning:
    return lambda x, _kind: f"{x[0]} {sign} {x[1]}"


def _call(name: str) -> Meaning:
    return lambda x, _kind: f"ufunc_loops.{name}({', '.join(x)})"


def _extreme(name: str) -> Meaning:
    """Minimum or maximum; of zeros of two signs float16 takes the first, others the second."""
    return lambda x, kind: f"ufunc_loops.{name}{'_half' * (kind.char == 'e')}({x[0]}, {x[1]})"


def _shift(name: str) -> Meaning:
    return lambda x, kind: f"ufunc_loops.{name}({x[0]}, {x[1]}, {8 * kind.itemsize})"


def _division(name: str) -> Meaning:
    """Division of integers, of narrow ones by way of floats that are exact for them."""

    def meaning(x: Sequence[str], kind: DType) -> str:
        wide = "unsigned" if kind.kind == "u" else "integer"
        if kind.itemsize > (4 if kind.kind == "i" else 2):
            return f"ufunc_loops.{name}_{wide}({x[0]}, {x[1]})"
        real = "np.float32" if kind.itemsize <= 2 else "np.float64"
        return f"ufunc_loops.{name}_narrow({x[0]}, {x[1]}, {real})"

    return meaning


def _wrapping(sign: str) -> Meaning:
    """Signed arithmetic as unsigned: numba tells LLVM that its own never overflows (``nsw``)."""
    return lambda x, _kind: f"np.uint64({x[0]}) {sign} np.uint64({x[-1]})"


def _text(template: str) -> Meaning:
    """A template over the operands {0} and {1} and the type {t} in which they are held."""
    return lambda x, kind: template.format(*x, t=held_type_text(kind))


_ORDER: Final[dict[str, Meaning]] = {
    "equal": _infix("=="), "not_equal": _infix("!="), "less": _infix("<"),
    "less_equal": _infix("<="), "greater": _infix(">"), "greater_equal": _infix(">="),
}  # fmt: skip

_TRUTH: Final[dict[str, Meaning]] = {
    "logical_and": _text("({0} != 0) & ({1} != 0)"),
    "logical_or": _text("({0} != 0) | ({1} != 0)"),
    "logical_xor": _text("({0} != 0) != ({1} != 0)"),
    "logical_not": _text("{0} == 0"),
}

_FLOATS: Final[dict[str, Meaning]] = _ORDER | _TRUTH | {
    "add": _infix("+"), "subtract": _infix("-"), "multiply": _infix("*"), "divide": _infix("/"),
    "true_divide": _infix("/"), "negative": _text("-{0}"), "positive": _text("{0}"),
    "conjugate": _text("{0}"), "conj": _text("{0}"), "square": _text("{0} * {0}"),
    "reciprocal": _text("{t}(1) / {0}"), "sqrt": _text("root({0})"),
    "absolute": _text("abs({0})"), "fabs": _text("abs({0})"), "rint": _text("nearest({0})"),
    "floor": _text("round_down({0})"), "ceil": _text("round_up({0})"),
    "trunc": _text("cut_off({0})"),
    "sign": _call("sign"), "minimum": _extreme("minimum"), "maximum": _extreme("maximum"),
    "fmin": _call("fmin"), "fmax": _call("fmax"), "isnan": _text("{0} != {0}"),
    "isinf": _text("abs({0}) == {t}(np.inf)"), "isfinite": _text("abs({0}) < {t}(np.inf)"),
    "signbit": _call("signbit"), "copysign": _call("copysign"), "heaviside": _call("heaviside"),
    "fmod": _call("fmod"), "floor_divide": _call("floor_divide"), "remainder": _call("remainder"),
    "divmod.0": _call("floor_divide"), "divmod.1": _call("remainder"),
    "deg2rad": _text("{0} * ({t}(np.pi) / {t}(180))"),
    "radians": _text("{0} * ({t}(np.pi) / {t}(180))"),
    "rad2deg": _text("{0} * ({t}(180) / {t}(np.pi))"),
    "degrees": _text("{0} * ({t}(180) / {t}(np.pi))"),
    "complex": _text("complex({0}, {1})"),
}  # fmt: skip

# Real parts decide, then imaginary ones; where one of these is a NaN nothing is in order.
_BY_PARTS: Final = (
    "(({{0}}.real {strict} {{1}}.real) & ({{0}}.imag == {{0}}.imag) & ({{1}}.imag == {{1}}.imag))"
    " | (({{0}}.real == {{1}}.real) & ({{0}}.imag {sign} {{1}}.imag))"
)
_COMPLEX_ORDER: Final = {
    name: _BY_PARTS.format(strict=sign[0], sign=sign)
    for name, sign in [
        ("less", "<"), ("less_equal", "<="), ("greater", ">"), ("greater_equal", ">="),
    ]
}  # fmt: skip


def _complex_extreme(order: str, unknown: int) -> Meaning:
    """The first of two complex numbers where they are in order, or where one of them is a NaN."""
    nan = f"({{{unknown}}}.real != {{{unknown}}}.real) | ({{{unknown}}}.imag != {{{unknown}}}.imag)"
    return _text(f"({{0}} if {nan} | {_COMPLEX_ORDER[order]} else {{1}})")


_INTEGERS: Final[dict[str, Meaning]] = _ORDER | _TRUTH | {
    "floor_divide": _division("floor_divide"), "remainder": _division("remainder"),
    "divmod.0": _division("floor_divide"), "divmod.1": _division("remainder"),
    "add": _infix("+"), "subtract": _infix("-"), "multiply": _infix("*"),
    "negative": _text("-{0}"), "positive": _text("{0}"), "conjugate": _text("{0}"),
    "conj": _text("{0}"), "square": _text("{0} * {0}"),
    "minimum": _text("{0} if {0} < {1} else {1}"), "maximum": _text("{0} if {0} > {1} else {1}"),
    "fmin": _text("{0} if {0} < {1} else {1}"), "fmax": _text("{0} if {0} > {1} else {1}"),
    "bitwise_and": _infix("&"), "bitwise_or": _infix("|"), "bitwise_xor": _infix("^"),
    "invert": _text("~{0}"), "isnan": _text("False"), "isinf": _text("False"),
    "isfinite": _text("True"), "floor": _text("{0}"), "ceil": _text("{0}"),
    "trunc": _text("{0}"), "rint": lambda _x, _kind: None, "gcd": _call("gcd"), "lcm": _call("lcm"),
}  # fmt: skip

MEANINGS: Final[Mapping[str, Mapping[str, Meaning]]] = MappingProxyType(
    {
        "f": _FLOATS,
        "i": _INTEGERS
        | {
            "add": _wrapping("+"),
            "subtract": _wrapping("-"),
            "multiply": _wrapping("*"),
            "square": _wrapping("*"),
            "absolute": _text("-{0} if {0} < 0 else {0}"),
            "sign": _text("{t}({0} > 0) - {t}({0} < 0)"),
            "left_shift": _shift("left_shift"),
            "right_shift": _shift("right_shift"),
        },
        "u": _INTEGERS
        | {
            "absolute": _text("{0}"),
            "sign": _text("{t}({0} > 0)"),
            "left_shift": _shift("left_shift"),
            "right_shift": _shift("right_shift"),
        },
        "b": _TRUTH
        | {
            "add": _infix("|"),
            "multiply": _infix("&"),
            "bitwise_and": _infix("&"),
            "bitwise_or": _infix("|"),
            "bitwise_xor": _infix("!="),
            "not_equal": _infix("!="),
            "equal": _infix("=="),
            "less": _text("(not {0}) & {1}"),
            "less_equal": _text("(not {0}) | {1}"),
            "greater": _text("{0} & (not {1})"),
            "greater_equal": _text("{0} | (not {1})"),
            "minimum": _infix("&"),
            "maximum": _infix("|"),
            "fmin": _infix("&"),
            "fmax": _infix("|"),
            "logical_and": _infix("&"),
            "logical_or": _infix("|"),
            "logical_xor": _infix("!="),
            "logical_not": _text("not {0}"),
            "invert": _text("not {0}"),
            "absolute": _text("{0}"),
            "isnan": _text("False"),
            "isinf": _text("False"),
            "isfinite": _text("True"),
        },
        "c": {name: _text(text) for name, text in _COMPLEX_ORDER.items()}
        | {
            "minimum": _complex_extreme("less_equal", 0),
            "maximum": _complex_extreme("greater_equal", 0),
            "fmin": _complex_extreme("less_equal", 1),
            "fmax": _complex_extreme("greater_equal", 1),
            "add": _infix("+"),
            "subtract": _infix("-"),
            "multiply": _call("multiply_complex"),
            "square": _text("ufunc_loops.multiply_complex({0}, {0})"),
            "negative": _text("-{0}"),
            "positive": _text("{0}"),
            "conjugate": _text("{t}(complex({0}.real, -{0}.imag))"),
            "real": _text("{0}.real"),
            "imag": _text("{0}.imag"),
            "equal": _text("({0}.real == {1}.real) & ({0}.imag == {1}.imag)"),
            "not_equal": _text("({0}.real != {1}.real) | ({0}.imag != {1}.imag)"),
            "isnan": _text("({0}.real != {0}.real) | ({0}.imag != {0}.imag)"),
            "isfinite": _text("(abs({0}.real) < np.inf) & (abs({0}.imag) < np.inf)"),
            "isinf": _text("(abs({0}.real) == np.inf) | (abs({0}.imag) == np.inf)"),
        },
    }
)
