"""Every NumPy ufunc on arrays, under all of its names."""

from __future__ import annotations

from dask_tapestry.arrays.elementwise.ufunc_functions import binary, binary_pair, unary, unary_pair

absolute = unary("absolute")
add = binary("add")
arccos = unary("arccos")
arccosh = unary("arccosh")
arcsin = unary("arcsin")
arcsinh = unary("arcsinh")
arctan = unary("arctan")
arctan2 = binary("arctan2")
arctanh = unary("arctanh")
bitwise_and = binary("bitwise_and")
bitwise_count = unary("bitwise_count")
bitwise_or = binary("bitwise_or")
bitwise_xor = binary("bitwise_xor")
cbrt = unary("cbrt")
ceil = unary("ceil")
conjugate = unary("conjugate")
copysign = binary("copysign")
cos = unary("cos")
cosh = unary("cosh")
deg2rad = unary("deg2rad")
degrees = unary("degrees")
divide = binary("divide")
divmod = binary_pair("divmod")
equal = binary("equal")
exp = unary("exp")
exp2 = unary("exp2")
expm1 = unary("expm1")
fabs = unary("fabs")
float_power = binary("float_power")
floor = unary("floor")
floor_divide = binary("floor_divide")
fmax = binary("fmax")
fmin = binary("fmin")
fmod = binary("fmod")
frexp = unary_pair("frexp")
gcd = binary("gcd")
greater = binary("greater")
greater_equal = binary("greater_equal")
heaviside = binary("heaviside")
hypot = binary("hypot")
invert = unary("invert")
isfinite = unary("isfinite")
isinf = unary("isinf")
isnan = unary("isnan")
isnat = unary("isnat")
lcm = binary("lcm")
ldexp = binary("ldexp")
left_shift = binary("left_shift")
less = binary("less")
less_equal = binary("less_equal")
log = unary("log")
log10 = unary("log10")
log1p = unary("log1p")
log2 = unary("log2")
logaddexp = binary("logaddexp")
logaddexp2 = binary("logaddexp2")
logical_and = binary("logical_and")
logical_not = unary("logical_not")
logical_or = binary("logical_or")
logical_xor = binary("logical_xor")
maximum = binary("maximum")
minimum = binary("minimum")
modf = unary_pair("modf")
multiply = binary("multiply")
negative = unary("negative")
nextafter = binary("nextafter")
not_equal = binary("not_equal")
positive = unary("positive")
power = binary("power")
rad2deg = unary("rad2deg")
radians = unary("radians")
reciprocal = unary("reciprocal")
remainder = binary("remainder")
right_shift = binary("right_shift")
rint = unary("rint")
sign = unary("sign")
signbit = unary("signbit")
sin = unary("sin")
sinh = unary("sinh")
spacing = unary("spacing")
sqrt = unary("sqrt")
square = unary("square")
subtract = binary("subtract")
tan = unary("tan")
tanh = unary("tanh")
trunc = unary("trunc")
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
