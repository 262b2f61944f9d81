"""Ufuncs of cells that a mask may hide: a result is hidden where a cell of an operand is.

Functions that are not defined for all numbers, such as `log`, hide results beside their domain,
and all that are not finite. What lies beneath a mask is what `numpy.ma` leaves there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.ma.parts import (
    call,
    cells_of,
    checked_fill,
    chosen,
    combined_mask,
    fitting_fill,
    mask_of,
    spread,
)
from dask_tapestry.arrays.tuning import ARCTANH_EDGE
from dask_tapestry.cells.ufuncs import safe_operand

Outside = Callable[[Array], Array]
KEEPS: Final = "same_kind"  # the rule by which NumPy puts operands back beneath the mask


def _is_below(bound: float, x: Array) -> Array:
    return call("less", x, bound)


def _not_above(bound: float, x: Array) -> Array:
    return call("less_equal", x, bound)


def _is_outside(low: float, high: float, x: Array) -> Array:
    return call("logical_or", call("greater", x, high), call("less", x, low))


def _no_tangent(x: Array) -> Array:
    return call("less", call("absolute", call("cos", x)), 1e-35)


DOMAINS: Final[dict[str, Outside]] = {
    "sqrt": partial(_is_below, 0.0),
    "log": partial(_not_above, 0.0),
    "log2": partial(_not_above, 0.0),
    "log10": partial(_not_above, 0.0),
    "tan": _no_tangent,
    "arcsin": partial(_is_outside, -1.0, 1.0),
    "arccos": partial(_is_outside, -1.0, 1.0),
    "arccosh": partial(_is_below, 1.0),
    "arctanh": partial(_is_outside, -1.0 + ARCTANH_EDGE, 1.0 - ARCTANH_EDGE),
}
DIVISIONS: Final = frozenset({"divide", "floor_divide", "remainder", "fmod"})
FILLS: Final = dict.fromkeys([*DOMAINS], 0.0) | dict.fromkeys(  # where they are not defined
    ["log", "log2", "log10", "arccosh", *DIVISIONS], 1.0
)
EQUALITIES: Final = frozenset({"equal", "not_equal"})
ORDERS: Final = frozenset({"less", "less_equal", "greater", "greater_equal"})


def masked_results(
    name: str, operands: Sequence[Any], fill: Any, plain: bool, **kwargs: Any
) -> list[tuple[Array, Array | None]]:
    """Cells and mask of each result of a ufunc.

    {Parameters}
        name: Of the ufunc.
        operands: Masked arrays, arrays, and Python scalars, which promote as such.
        fill: What powers that are not finite become.
        plain: Whether as NumPy's ufuncs do of masked arrays, ``np.log(x)``; else as `numpy.ma`
            does, and its operators: these hide what is not finite too.
        **kwargs: For our function: ``dtype``.
    """
    cells = [_plain(operand) for operand in operands]
    masks = [mask_of(operand) for operand in operands]
    undefined = _undefined(name, cells) if name in FILLS else None
    given = cells if plain or undefined is None else _in_domain(name, cells, undefined)
    made = FUNCTIONS[name](*given, **kwargs)
    results = list(made) if isinstance(made, tuple) else [made]
    if len(results) == 1 and not plain:
        return [_one_result(name, results[0], cells, masks, fill, undefined)]
    mask = combined_mask(*masks)
    if undefined is None:
        return [(operand, spread(mask, operand.shape)) for operand in results]
    (result,) = results
    undefined = spread(undefined, result.shape)
    return [
        (
            chosen(undefined, FILLS[name], result),
            combined_mask(spread(mask, result.shape), undefined),
        )
    ]


def _undefined(name: str, cells: Sequence[Any]) -> Array:
    """Where a ufunc with a domain is not defined."""
    if name in DOMAINS:
        return DOMAINS[name](cells_of(cells[0]))
    x, y = map(cells_of, cells)
    tiny = np.float64(np.finfo(float).tiny)
    least = call("multiply", call("absolute", x), tiny)
    return call("greater_equal", least, call("absolute", y))


def _in_domain(name: str, cells: Sequence[Any], undefined: Array) -> list[Any]:
    """Operands whose last, the divisor of two, is harmless where a ufunc is not defined."""
    *before, last = cells
    if not isinstance(last, Array):
        return list(cells)
    return [*before, chosen(undefined, safe_operand(name), last)]


def _plain(operand: Any) -> Any:
    """The cells of an operand; Python's scalars as they are."""
    is_scalar = isinstance(operand, bool | int | float | complex | np.generic)
    return operand if is_scalar else cells_of(operand)


def _one_result(
    name: str,
    result: Array,
    cells: list[Any],
    masks: list[Array | None],
    fill: Any,
    undefined: Array | None,
) -> tuple[Array, Array | None]:
    mask = spread(combined_mask(*masks), result.shape)
    if name in DOMAINS:
        mask = combined_mask(_not_finite(result), undefined, mask)
        return _restore_masked(result, cells[0], mask), mask
    if name in DIVISIONS:
        mask = combined_mask(_not_finite(result), undefined, mask)
        return _quotient(result, cells_of(cells[0]), mask), mask
    if name == "power":
        return _powers(result, cells, mask, fill)
    if name in EQUALITIES and mask is not None:
        same = FUNCTIONS[name](*[np.False_ if one is None else one for one in masks])
        return where(mask, same, result), mask
    if name in ORDERS or mask is None:
        return result, mask
    return _restore_masked(result, cells[0], mask, "unsafe" if len(cells) > 1 else KEEPS), mask


def _not_finite(x: Array) -> Array:
    return call("logical_not", call("isfinite", x))


def _restore_masked(result: Array, x: Any, mask: Array | None, casting: Any = KEEPS) -> Array:
    """The first operand where a mask hides the result, if it has a value of that dtype."""
    cells = cells_of(x)
    return (
        chosen(mask, cells, result) if np.can_cast(cells.dtype, result.dtype, casting) else result
    )


def _quotient(result: Array, x: Array, mask: Array | None) -> Array:
    """A quotient, with the dividend where it is hidden, if it has a value of that dtype."""
    result = chosen(mask, np.zeros((), result.dtype), result)
    kept = call("multiply", mask, x)
    if not np.can_cast(kept.dtype, result.dtype, "safe"):
        return result
    return call("add", result, kept)


def _powers(
    result: Array, cells: list[Any], mask: Array | None, fill: Any
) -> tuple[Array, Array | None]:
    """A power, hidden and replaced by the fill value where it is not finite."""
    if mask is not None:
        result = where(mask, cells[0], result)
    invalid = _not_finite(result)
    other = checked_fill(fitting_fill(fill, result.dtype), result.dtype)
    return chosen(invalid, other, result), combined_mask(mask, invalid)
