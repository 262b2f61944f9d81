"""Elementary functions of our own: the same bits from every machine, thread and vector width.

Each is a function of scalars for numba, without branches, that is inlined and vectorised where a
loop over cells calls it. `FUNCTIONS` has them by the name of NumPy's ufunc, `COMPLEX_FUNCTIONS`
those of complex numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from dask_tapestry_kernels.elementary import (
    argument_reduction,
    complex_arithmetic,
    complex_exponentials,
    complex_hyperbolic,
    complex_inverses,
    complex_logarithms,
    complex_parts,
    complex_powers,
    erf,
    exponentials,
    float_parts,
    hyperbolic,
    inverse_hyperbolic,
    inverse_trigonometric,
    logaddexp,
    logarithms,
    powers,
    trigonometric,
)

Function = Callable[..., Any]


@dataclass(frozen=True)
class FallbackFunction:
    """What to call where a function is not for every argument."""

    needed: Function  #: whether the argument needs the careful function
    careful: Function  #: right for every argument, with the same bits where no care is needed


@dataclass(frozen=True)
class Elementary:
    """A function of cells, compiled for either precision."""

    float64: Function
    float32: Function
    arity: int = 1
    care_float64: FallbackFunction | None = None  #: None: the function itself is right everywhere
    care_float32: FallbackFunction | None = None


FUNCTIONS: Final[Mapping[str, Elementary]] = MappingProxyType(
    {
        "exp": Elementary(
            exponentials.exp_normal,
            exponentials.exp_normal_f32,
            1,
            FallbackFunction(exponentials.is_wild, exponentials.exp),
            FallbackFunction(exponentials.is_wild_f32, exponentials.exp_f32),
        ),
        "exp2": Elementary(
            exponentials.exp2_normal,
            exponentials.exp2_normal_f32,
            1,
            FallbackFunction(exponentials.is_wild_exp2, exponentials.exp2),
            FallbackFunction(exponentials.is_wild_exp2_f32, exponentials.exp2_f32),
        ),
        "expm1": Elementary(exponentials.expm1, exponentials.expm1_f32),
        "log": Elementary(logarithms.log, logarithms.log_f32),
        "log2": Elementary(logarithms.log2, logarithms.log2_f32),
        "log10": Elementary(logarithms.log10, logarithms.log10_f32),
        "log1p": Elementary(logarithms.log1p, logarithms.log1p_f32),
        "logaddexp": Elementary(logaddexp.logaddexp, logaddexp.logaddexp_f32, 2),
        "logaddexp2": Elementary(logaddexp.logaddexp2, logaddexp.logaddexp2_f32, 2),
        "sin": Elementary(
            trigonometric.sin,
            trigonometric.sin_f32,
            1,
            FallbackFunction(argument_reduction.is_far, trigonometric.sin_careful),
            FallbackFunction(trigonometric.is_far_f32, trigonometric.sin_f32_careful),
        ),
        "cos": Elementary(
            trigonometric.cos,
            trigonometric.cos_f32,
            1,
            FallbackFunction(argument_reduction.is_far, trigonometric.cos_careful),
            FallbackFunction(trigonometric.is_far_f32, trigonometric.cos_f32_careful),
        ),
        "tan": Elementary(
            trigonometric.tan,
            trigonometric.tan_f32,
            1,
            FallbackFunction(argument_reduction.is_far, trigonometric.tan_careful),
            FallbackFunction(argument_reduction.is_far, trigonometric.tan_f32_careful),
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
        "erf": Elementary(erf.erf, erf.erf_f32),
        "erfc": Elementary(erf.erfc, erf.erfc_f32),
    }
)


@dataclass(frozen=True)
class ComplexElementary:
    """A function of complex cells, compiled for either precision."""

    complex128: Function
    complex64: Function
    arity: int = 1
    care_complex128: FallbackFunction | None = (
        None  #: None: the function itself is right everywhere
    )
    care_complex64: FallbackFunction | None = None


def _of_number(function: Function) -> ComplexElementary:
    """A function of one number that is right everywhere."""
    return ComplexElementary(function, complex_parts.narrowed(function, float_parts.compiled))


def _with_care(module: Any, name: str, needed: Function) -> ComplexElementary:
    """A function of one number, and the careful one for numbers that need it."""
    function, careful = getattr(module, name), getattr(module, f"{name}_careful")
    narrow = complex_parts.narrowed(careful, complex_parts.apart)
    return ComplexElementary(
        function,
        complex_parts.narrowed(function, float_parts.compiled),
        care_complex128=FallbackFunction(needed, careful),
        care_complex64=FallbackFunction(complex_parts.widened(needed), narrow),
    )


def _with_ends(module: Any, *names: str) -> dict[str, ComplexElementary]:
    """Functions of one number, of which those not finite need care."""
    return {name: _with_care(module, name, complex_parts.is_not_finite) for name in names}


_POWER: Final = ComplexElementary(complex_powers.power, complex_powers.power_f32, 2)

COMPLEX_FUNCTIONS: Final[Mapping[str, ComplexElementary]] = MappingProxyType(
    {
        "absolute": ComplexElementary(complex_arithmetic.absolute, complex_arithmetic.absolute_f32),
        "divide": ComplexElementary(complex_arithmetic.divide, complex_arithmetic.divide_f32, 2),
        "reciprocal": ComplexElementary(
            complex_arithmetic.reciprocal, complex_arithmetic.reciprocal_f32
        ),
        **_with_ends(complex_arithmetic, "sign", "sqrt"),
        "power": _POWER,
        "float_power": _POWER,
        "exp": _with_care(complex_exponentials, "exp", complex_parts.is_wild),
        "exp2": _with_care(complex_exponentials, "exp2", complex_exponentials.is_wild_exp2),
        "expm1": _with_care(complex_exponentials, "expm1", complex_parts.is_wild),
        "log": _of_number(complex_logarithms.log),
        "log2": _of_number(complex_logarithms.log2),
        "log10": _of_number(complex_logarithms.log10),
        "log1p": _of_number(complex_logarithms.log1p),
        "sinh": _with_care(complex_hyperbolic, "sinh", complex_parts.is_wild),
        "cosh": _with_care(complex_hyperbolic, "cosh", complex_parts.is_wild),
        "tanh": _with_care(complex_hyperbolic, "tanh", complex_parts.is_wild),
        "sin": _with_care(complex_hyperbolic, "sin", complex_parts.is_wild_turned),
        "cos": _with_care(complex_hyperbolic, "cos", complex_parts.is_wild_turned),
        "tan": _with_care(complex_hyperbolic, "tan", complex_parts.is_wild_turned),
        **_with_ends(complex_inverses, "arcsin", "arccos", "arcsinh", "arccosh"),
        "arctan": _with_care(
            complex_inverses, "arctan", complex_inverses.needs_care_of_tangent_turned
        ),
        "arctanh": _with_care(complex_inverses, "arctanh", complex_inverses.needs_care_of_tangent),
    }
)
