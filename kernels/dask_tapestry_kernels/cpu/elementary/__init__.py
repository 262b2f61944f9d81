"""Elementary functions of our own: the same bits from every machine, thread and vector width.

Each is a function of scalars for numba, without branches, that is inlined and vectorised where a
loop over cells calls it. `FUNCTIONS` has them by the name of NumPy's ufunc.

Importing this package imports numba, so only what compiles does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from . import (
    errors,
    exponentials,
    hyperbolic,
    inverse_hyperbolic,
    inverse_trigonometric,
    log_sums,
    logarithms,
    powers,
    reduction,
    trigonometric,
)

Function = Callable[..., Any]


@dataclass(frozen=True)
class Care:
    """What to call where a function is not for every argument."""

    needed: Function  #: whether the argument needs the careful function
    careful: Function  #: right for every argument, with the same bits where no care is needed


@dataclass(frozen=True)
class Elementary:
    """A function of cells, compiled for either precision."""

    float64: Function
    float32: Function
    arity: int = 1
    care_float64: Care | None = None  #: None: the function itself is right everywhere
    care_float32: Care | None = None


FUNCTIONS: Final[Mapping[str, Elementary]] = MappingProxyType(
    {
        "exp": Elementary(exponentials.exp, exponentials.exp_f32),
        "exp2": Elementary(exponentials.exp2, exponentials.exp2_f32),
        "expm1": Elementary(exponentials.expm1, exponentials.expm1_f32),
        "log": Elementary(logarithms.log, logarithms.log_f32),
        "log2": Elementary(logarithms.log2, logarithms.log2_f32),
        "log10": Elementary(logarithms.log10, logarithms.log10_f32),
        "log1p": Elementary(logarithms.log1p, logarithms.log1p_f32),
        "logaddexp": Elementary(log_sums.logaddexp, log_sums.logaddexp_f32, 2),
        "logaddexp2": Elementary(log_sums.logaddexp2, log_sums.logaddexp2_f32, 2),
        "sin": Elementary(
            trigonometric.sin,
            trigonometric.sin_f32,
            1,
            Care(reduction.is_far, trigonometric.sin_careful),
            Care(trigonometric.is_far_f32, trigonometric.sin_f32_careful),
        ),
        "cos": Elementary(
            trigonometric.cos,
            trigonometric.cos_f32,
            1,
            Care(reduction.is_far, trigonometric.cos_careful),
            Care(trigonometric.is_far_f32, trigonometric.cos_f32_careful),
        ),
        "tan": Elementary(
            trigonometric.tan,
            trigonometric.tan_f32,
            1,
            Care(reduction.is_far, trigonometric.tan_careful),
            Care(reduction.is_far, trigonometric.tan_f32_careful),
        ),
        "arcsin": Elementary(inverse_trigonometric.arcsin, inverse_trigonometric.arcsin_f32),
        "arccos": Elementary(inverse_trigonometric.arccos, inverse_trigonometric.arccos_f32),
        "arctan": Elementary(inverse_trigonometric.arctan, inverse_trigonometric.arctan_f32),
        "arctan2": Elementary(inverse_trigonometric.arctan2, inverse_trigonometric.arctan2_f32, 2),
        "sinh": Elementary(hyperbolic.sinh, hyperbolic.sinh_f32),
        "cosh": Elementary(hyperbolic.cosh, hyperbolic.cosh_f32),
        "tanh": Elementary(hyperbolic.tanh, hyperbolic.tanh_f32),
        "arcsinh": Elementary(inverse_hyperbolic.arcsinh, inverse_hyperbolic.arcsinh_f32),
        "arccosh": Elementary(inverse_hyperbolic.arccosh, inverse_hyperbolic.arccosh_f32),
        "arctanh": Elementary(inverse_hyperbolic.arctanh, inverse_hyperbolic.arctanh_f32),
        "power": Elementary(powers.power, powers.power_f32, 2),
        "float_power": Elementary(powers.power, powers.power_f32, 2),
        "cbrt": Elementary(powers.cbrt, powers.cbrt_f32),
        "hypot": Elementary(powers.hypot, powers.hypot_f32, 2),
        "erf": Elementary(errors.erf, errors.erf_f32),
        "erfc": Elementary(errors.erfc, errors.erfc_f32),
    }
)
