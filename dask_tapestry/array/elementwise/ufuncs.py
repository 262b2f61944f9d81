"""Every NumPy ufunc on arrays, under all of its names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import UFUNC_FUNCTIONS
from dask_tapestry.array.core.dtypes import as_dtype
from dask_tapestry.cells import UFUNCS
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.broadcast import broadcast_shape
from dask_tapestry.operators.elementwise import Operand, elementwise
from dask_tapestry.operators.full import full
from dask_tapestry.teg import Tensor

DOCUMENTATION = """{summary}

    Cell by cell, as `numpy.{name}`: shapes broadcast, dtypes promote as in NumPy (NEP 50).

    Parameters
    ----------
    *operands
        {nin} array(s) or scalar(s).
    dtype
        Of the result, which chooses the loop.

    Raises
    ------
    ShapeError
        If the shapes do not broadcast.
    DTypeError
        If there is no loop for these dtypes.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.{name}({example}){pick}.shape
    (2,)
    """


EXAMPLES = {  # of those that take neither integers nor floats throughout
    "isnat": 'dt.zeros(2, "datetime64[D]")',
    "ldexp": "dt.ones(2), dt.asarray([1, 1])",
}

OPERATOR_POWERS = {("b", 2): "square", ("c", 0.5): "sqrt", ("c", -1): "reciprocal"}

FUNCTIONS: dict[str, Callable[..., Any]] = {}


def operand(value: object) -> Operand:
    """`value` as a tensor or a scalar that takes part in promotion."""
    if isinstance(value, Array):
        return value.node
    if isinstance(value, bool | int | float | complex | np.generic):
        return value
    if isinstance(value, str | bytes):
        return np.asarray(value).flat[0]  # type: ignore[no-any-return]
    return asarray(value).node


def _operands(values: tuple[Any, ...]) -> list[Operand]:
    found = [operand(value) for value in values]
    if not any(isinstance(o, Tensor) for o in found):
        found[0] = asarray(values[0]).node
    return found


def _function(name: str) -> Callable[..., Any]:
    ufunc = UFUNCS[name]

    def function(*operands: Any, dtype: Any = None) -> Any:
        if len(operands) != ufunc.nin:
            raise TypeError(f"{name}() takes {ufunc.nin} operands but {len(operands)} were given")
        values = _operands(operands)
        wanted = None if dtype is None else as_dtype(dtype)
        results = tuple(
            Array(elementwise(name, *values, output=place, dtype=wanted))
            for place in range(ufunc.nout)
        )
        return results[0] if ufunc.nout == 1 else results

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = _documentation(name, ufunc)
    UFUNC_FUNCTIONS[name] = FUNCTIONS[name] = function
    return function


def _documentation(name: str, ufunc: np.ufunc) -> str:
    text = (ufunc.__doc__ or name).strip().splitlines()
    summary = next((t.strip() for t in text[1:] if t.strip()), name)
    sample = "dt.asarray([1, 1])" if any(t[0] in "bl" for t in ufunc.types) else "dt.ones(2)"
    return DOCUMENTATION.format(
        summary=summary if summary.endswith(".") else summary + ".",
        name=name,
        nin=ufunc.nin,
        example=EXAMPLES.get(name, ", ".join([sample] * ufunc.nin)),
        pick="[0]" if ufunc.nout > 1 else "",
    )


def equals(x: Any, y: Any) -> Any:
    """``x == y``: cells of kinds that cannot be compared are unequal, as in NumPy."""
    return _or_all(FUNCTIONS["equal"], x, y, unequal=False)


def differs(x: Any, y: Any) -> Any:
    """``x != y``: cells of kinds that cannot be compared are unequal, as in NumPy."""
    return _or_all(FUNCTIONS["not_equal"], x, y, unequal=True)


def raised(x: Any, y: Any) -> Any:
    """``x ** y``: for some numbers NumPy's operator, unlike `power`, takes another function."""
    kind = x.dtype.kind if isinstance(x, Array) else ""
    if type(y) is int or (type(y) is float and kind == "c"):
        simple = OPERATOR_POWERS.get((kind, y))
        if simple is not None:
            return FUNCTIONS[simple](x)
    return FUNCTIONS["power"](x, y)


def _or_all(compare: Callable[..., Any], x: Any, y: Any, unequal: bool) -> Any:
    if x is None or y is None:
        return Array(full(asarray(y if x is None else x).shape, np.bool_(unequal)))
    try:
        return compare(x, y)
    except DTypeError:
        tensors = [o for o in map(operand, (x, y)) if isinstance(o, Tensor)]
        shape = broadcast_shape([tensor.type.shape for tensor in tensors])
        return Array(full(shape, np.bool_(unequal)))


absolute = _function("absolute")
add = _function("add")
arccos = _function("arccos")
arccosh = _function("arccosh")
arcsin = _function("arcsin")
arcsinh = _function("arcsinh")
arctan = _function("arctan")
arctan2 = _function("arctan2")
arctanh = _function("arctanh")
bitwise_and = _function("bitwise_and")
bitwise_count = _function("bitwise_count")
bitwise_or = _function("bitwise_or")
bitwise_xor = _function("bitwise_xor")
cbrt = _function("cbrt")
ceil = _function("ceil")
conjugate = _function("conjugate")
copysign = _function("copysign")
cos = _function("cos")
cosh = _function("cosh")
deg2rad = _function("deg2rad")
degrees = _function("degrees")
divide = _function("divide")
divmod = _function("divmod")
equal = _function("equal")
exp = _function("exp")
exp2 = _function("exp2")
expm1 = _function("expm1")
fabs = _function("fabs")
float_power = _function("float_power")
floor = _function("floor")
floor_divide = _function("floor_divide")
fmax = _function("fmax")
fmin = _function("fmin")
fmod = _function("fmod")
frexp = _function("frexp")
gcd = _function("gcd")
greater = _function("greater")
greater_equal = _function("greater_equal")
heaviside = _function("heaviside")
hypot = _function("hypot")
invert = _function("invert")
isfinite = _function("isfinite")
isinf = _function("isinf")
isnan = _function("isnan")
isnat = _function("isnat")
lcm = _function("lcm")
ldexp = _function("ldexp")
left_shift = _function("left_shift")
less = _function("less")
less_equal = _function("less_equal")
log = _function("log")
log10 = _function("log10")
log1p = _function("log1p")
log2 = _function("log2")
logaddexp = _function("logaddexp")
logaddexp2 = _function("logaddexp2")
logical_and = _function("logical_and")
logical_not = _function("logical_not")
logical_or = _function("logical_or")
logical_xor = _function("logical_xor")
maximum = _function("maximum")
minimum = _function("minimum")
modf = _function("modf")
multiply = _function("multiply")
negative = _function("negative")
nextafter = _function("nextafter")
not_equal = _function("not_equal")
positive = _function("positive")
power = _function("power")
rad2deg = _function("rad2deg")
radians = _function("radians")
reciprocal = _function("reciprocal")
remainder = _function("remainder")
right_shift = _function("right_shift")
rint = _function("rint")
sign = _function("sign")
signbit = _function("signbit")
sin = _function("sin")
sinh = _function("sinh")
spacing = _function("spacing")
sqrt = _function("sqrt")
square = _function("square")
subtract = _function("subtract")
tan = _function("tan")
tanh = _function("tanh")
trunc = _function("trunc")
abs = absolute
acos = arccos
acosh = arccosh
asin = arcsin
asinh = arcsinh
atan = arctan
atan2 = arctan2
atanh = arctanh
bitwise_invert = invert
bitwise_left_shift = left_shift
bitwise_not = invert
bitwise_right_shift = right_shift
conj = conjugate
mod = remainder
pow = power
true_divide = divide

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "divmod",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "isnat",
    "lcm",
    "ldexp",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "modf",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "radians",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
]
