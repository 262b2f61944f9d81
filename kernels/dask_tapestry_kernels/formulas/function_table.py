"""The table of functions that formulas call: cost, errors and loops of each, in one entry.

Here are NumPy's ufuncs by name, those of `dt.special`, and the steps of formulas that are no ufunc.
A function that is missing here is called by NumPy, counts as an elementary one, and may err.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np

NONE: Final = "none"  # no flag of floating point is raised
RANGE: Final = "range"  # overflow, underflow, division by zero, but never an invalid value
FAR: Final = "far"  # as RANGE, and an invalid value where an operand is infinite
ANY: Final = "any"
NO: Final = "no"
DIVIDE: Final = "divide"
INVALID: Final = "invalid"
INTEGER_DIVISIONS: Final = frozenset("floor_divide remainder fmod divmod.0 divmod.1".split())
POSITIVE: Final = (0.0, math.inf)
UNIT: Final = (-1.0, 1.0)


class Facts(NamedTuple):
    """What is known of one function."""

    #: multiples of the time of an add in cache, by AVX2 and in float64; None: see `cells/tuning.py`
    cost: int | None = None
    #: kinds of operands for which `elementary` has a function of our own: "f", "c"
    own: str = ""
    #: kinds of which that has a careful form: for far or wild ones, for complex ones not finite
    careful: str = ""
    #: errors of floating point that real numbers may cause
    errors: str = ANY
    #: whether the value is NaN if an operand is; the logarithms' poles raise no flag of their own
    keeps_nan: bool = False
    #: whether real numbers meet poles, and by what flag our code shows these: NO, DIVIDE, INVALID
    poles: str = DIVIDE
    #: from where to where a real operand is valid; nothing else than a pole is met there
    domain: tuple[float, float] | None = None
    #: a number for all operands that causes no error
    harmless: int = 1


FUNCTIONS: Final[Mapping[str, Facts]] = MappingProxyType(
    {
        "absolute": Facts(cost=1, own="c", errors=NONE, keeps_nan=True),
        "add": Facts(cost=1, errors=FAR, keeps_nan=True, poles=NO),
        "arccos": Facts(cost=48, own="fc", careful="c", keeps_nan=True, poles=NO, domain=UNIT),
        "arccosh": Facts(cost=112, own="fc", careful="c", keeps_nan=True),
        "arcsin": Facts(own="fc", careful="c", keeps_nan=True, poles=NO, domain=UNIT),
        "arcsinh": Facts(cost=112, own="fc", careful="c", errors=RANGE, keeps_nan=True),
        "arctan": Facts(cost=64, own="fc", careful="c", errors=RANGE, keeps_nan=True),
        "arctan2": Facts(cost=64, own="f", errors=RANGE, keeps_nan=True),
        "arctanh": Facts(
            cost=64, own="fc", careful="c", keeps_nan=True, harmless=0, poles=INVALID, domain=UNIT
        ),
        "bitwise_and": Facts(cost=1, errors=NONE),
        "bitwise_or": Facts(cost=1, errors=NONE),
        "bitwise_xor": Facts(cost=1, errors=NONE),
        "cast": Facts(cost=1, poles=NO),
        "cbrt": Facts(cost=64, own="f", errors=RANGE, keeps_nan=True),
        "ceil": Facts(cost=1, errors=NONE, keeps_nan=True),
        "complex": Facts(errors=NONE),
        "conjugate": Facts(cost=1, errors=NONE),
        "constant": Facts(cost=1, errors=NONE, keeps_nan=True),
        "coordinate": Facts(cost=1),
        "copysign": Facts(errors=NONE),
        "cos": Facts(cost=48, own="fc", careful="fc", errors=FAR, keeps_nan=True, poles=NO),
        "cosh": Facts(cost=48, own="fc", careful="c", errors=RANGE, keeps_nan=True),
        "deg2rad": Facts(errors=RANGE, keeps_nan=True),
        "degrees": Facts(errors=RANGE, keeps_nan=True),
        "divide": Facts(cost=8, own="c", keeps_nan=True),
        "divmod": Facts(cost=320),
        "equal": Facts(cost=1, errors=NONE),
        "erf": Facts(own="f", errors=NONE, keeps_nan=True),
        "erfc": Facts(own="f", errors=NONE, keeps_nan=True),
        "exp": Facts(own="fc", careful="fc", errors=RANGE, keeps_nan=True, poles=NO),
        "exp2": Facts(own="fc", careful="fc", errors=RANGE, keeps_nan=True, poles=NO),
        "expm1": Facts(cost=48, own="fc", careful="c", errors=RANGE, keeps_nan=True, poles=NO),
        "fabs": Facts(errors=NONE, keeps_nan=True),
        "float_power": Facts(cost=112, own="fc"),
        "floor": Facts(cost=1, errors=NONE, keeps_nan=True),
        "floor_divide": Facts(cost=320, keeps_nan=True),
        "fmax": Facts(cost=1, errors=NONE),
        "fmin": Facts(cost=1, errors=NONE),
        "fmod": Facts(cost=320, keeps_nan=True),
        "greater": Facts(cost=1, errors=NONE),
        "greater_equal": Facts(cost=1, errors=NONE),
        "heaviside": Facts(errors=NONE),
        "hypot": Facts(own="f", errors=RANGE, poles=NO),
        "imag": Facts(errors=NONE),
        "invert": Facts(cost=1, errors=NONE),
        "isfinite": Facts(cost=1, errors=NONE),
        "isinf": Facts(cost=1, errors=NONE),
        "isnan": Facts(cost=1, errors=NONE),
        "left_shift": Facts(cost=1, errors=NONE),
        "less": Facts(cost=1, errors=NONE),
        "less_equal": Facts(cost=1, errors=NONE),
        "log": Facts(cost=48, own="fc", poles=INVALID, domain=POSITIVE),
        "log10": Facts(cost=48, own="fc", poles=INVALID, domain=POSITIVE),
        "log1p": Facts(cost=48, own="fc", poles=INVALID, domain=(-1.0, math.inf)),
        "log2": Facts(cost=48, own="fc", poles=INVALID, domain=POSITIVE),
        "logaddexp": Facts(cost=144, own="f"),
        "logaddexp2": Facts(cost=144, own="f"),
        "logical_and": Facts(cost=1, errors=NONE),
        "logical_not": Facts(cost=1, errors=NONE),
        "logical_or": Facts(cost=1, errors=NONE),
        "logical_xor": Facts(cost=1, errors=NONE),
        "maximum": Facts(cost=1, errors=NONE, keeps_nan=True),
        "minimum": Facts(cost=1, errors=NONE, keeps_nan=True),
        "multiply": Facts(cost=1, errors=FAR, keeps_nan=True, poles=NO),
        "negative": Facts(cost=1, errors=NONE, keeps_nan=True),
        "nextafter": Facts(cost=112),
        "not_equal": Facts(cost=1, errors=NONE),
        "positive": Facts(cost=1, errors=NONE, keeps_nan=True),
        "power": Facts(cost=112, own="fc"),
        "rad2deg": Facts(errors=RANGE, keeps_nan=True),
        "radians": Facts(errors=RANGE, keeps_nan=True),
        "real": Facts(errors=NONE),
        "reciprocal": Facts(cost=8, own="c", errors=RANGE, keeps_nan=True),
        "remainder": Facts(cost=320, keeps_nan=True),
        "right_shift": Facts(cost=1, errors=NONE),
        "rint": Facts(cost=1, errors=NONE, keeps_nan=True),
        "sign": Facts(cost=1, own="c", careful="c", errors=NONE),
        "signbit": Facts(cost=1, errors=NONE),
        "sin": Facts(cost=48, own="fc", careful="fc", errors=FAR, keeps_nan=True, poles=NO),
        "sinh": Facts(cost=48, own="fc", careful="c", errors=RANGE, keeps_nan=True),
        "sqrt": Facts(own="c", careful="c", keeps_nan=True, poles=NO, domain=POSITIVE),
        "square": Facts(cost=1, errors=RANGE, keeps_nan=True, poles=NO),
        "subtract": Facts(cost=1, errors=FAR, keeps_nan=True, poles=NO),
        "tan": Facts(cost=64, own="fc", careful="fc", errors=FAR, keeps_nan=True),
        "tanh": Facts(cost=64, own="fc", careful="c", errors=RANGE, keeps_nan=True),
        "trunc": Facts(cost=1, errors=NONE, keeps_nan=True),
        "where": Facts(cost=1, errors=NONE),
    }
)
UNKNOWN: Final = Facts()


def facts_of(function: str) -> Facts:
    """What is known of a function, of which output k may be named as ``name.k``.

    Examples
    --------
    >>> facts_of("erf").own, facts_of("divmod.1").cost, facts_of("spacing").errors
    ('f', 320, 'any')
    """
    return FUNCTIONS.get(function) or FUNCTIONS.get(function.partition(".")[0], UNKNOWN)


def is_quiet_step(function: str, operands: Sequence[np.dtype[Any]], result: np.dtype[Any]) -> bool:
    """Whether no cells of some dtypes make a step of a formula err.

    Examples
    --------
    >>> f8, i8 = np.dtype("f8"), np.dtype("i8")
    >>> is_quiet_step("maximum", [f8, f8], f8), is_quiet_step("add", [f8, f8], f8)
    (True, False)
    >>> is_quiet_step("add", [i8, i8], i8), is_quiet_step("remainder", [i8, i8], i8)
    (True, False)
    """
    if function == "cast":
        return result.kind == "b" or bool(np.can_cast(operands[0], result))
    if facts_of(function).errors == NONE:
        return function != "absolute" or operands[0].kind != "c"
    integers = all(dtype.kind in "biu" for dtype in (*operands, result))
    return integers and function not in INTEGER_DIVISIONS
