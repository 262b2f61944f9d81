"""Bounds of distributions' parameters: NumPy's checks, now or when a block is computed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.tuning import MOST_BALLS
from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry.first import first_of
from dask_tapestry.operators.cells.assert_condition import assert_condition
from dask_tapestry.operators.cells.elementwise import Operand, astype, elementwise
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.teg import Tensor

Apply = Callable[..., Any]  # of the name of a ufunc and its operands, NumPy's or tensors
MOST_EVENTS: Final = float(2**63 - 1 - np.sqrt(2.0**63 - 1) * 10)  # that are expected: counts fit
REAL, COUNT = np.dtype(np.float64), np.dtype(np.int64)


class Bound(NamedTuple):
    """A condition on each cell of a parameter.

    {Attributes}
        text: What is said where it does not hold; ``{name}`` is the parameter's.
        holds: The condition, made of ufuncs: called with what applies them, and the cells.
        number_text: What is said of one number instead.
    """

    text: str
    holds: Callable[[Apply, Any], Any]
    number_text: str | None = None


def _not_negative(apply: Apply, x: Any) -> Any:
    return apply("logical_or", apply("isnan", x), apply("logical_not", apply("signbit", x)))


def _positive(apply: Apply, x: Any) -> Any:
    return apply("logical_not", apply("less_equal", x, 0))


def _from_to(least: float, most: float, strict: str = "") -> Callable[[Apply, Any], Any]:
    """From one number to another, neither of them where `strict` says ``low`` or ``high``."""

    def holds(apply: Apply, x: Any) -> Any:
        low = apply("greater" if "low" in strict else "greater_equal", x, least)
        return apply(
            "logical_and", low, apply("less" if "high" in strict else "less_equal", x, most)
        )

    return holds


NOT_NEGATIVE: Final = Bound("{name} < 0", _not_negative)
POSITIVE: Final = Bound("{name} <= 0", _positive)
NO_DEBT: Final = Bound("{name} < 0", lambda apply, x: apply("greater_equal", x, 0))
PROBABILITY: Final = Bound(
    "{name} < 0, {name} > 1 or {name} contains NaNs",
    _from_to(0, 1),
    "{name} < 0, {name} > 1 or {name} is NaN",
)
SHARES: Final = Bound("{name} < 0, {name} > 1 or {name} contains NaNs", _from_to(0, 1))
POSITIVE_PROBABILITY: Final = Bound(
    "{name} <= 0, {name} > 1 or {name} contains NaNs", _from_to(0, 1, "low")
)
PROBABILITY_BELOW_ONE: Final = Bound(
    "{name} < 0, {name} >= 1 or {name} contains NaNs",
    _from_to(0, 1, "high"),
    "{name} < 0, {name} >= 1 or {name} is NaN",
)
ABOVE_ONE: Final = Bound(
    "{name} <= 1 or {name} contains NaNs",
    _from_to(1, np.inf, "low"),
    "{name} <= 1 or {name} is NaN",
)
AT_LEAST_ZERO: Final = Bound(
    "{name} < 0 or {name} contains NaNs", _from_to(0, np.inf), "{name} < 0 or {name} is NaN"
)
FEW_ENOUGH: Final = Bound("{name} value too large", _from_to(-np.inf, MOST_EVENTS))
NO_NAN: Final = Bound("{name} must not be NaN", _from_to(-np.inf, np.inf))
FEW_BALLS: Final = Bound(
    f"both ngood and nbad must be less than {MOST_BALLS}", _from_to(-np.inf, MOST_BALLS, "high")
)


def is_lazy(value: object) -> bool:
    """Whether the cells of `value` are not known before it is computed."""
    return hasattr(value, "__dask_graph__")


def real_parameter(value: ArrayLike, name: str = "", *bounds: Bound) -> Operand:
    """A parameter of a distribution, as float64.

    {Parameters}
        value: A number or an array; cells that are computed later are checked then.
        name: Its name for error messages.
        bounds: What it must keep to.
    {Raises}
        ValueError: If a cell does not keep to a bound.
        DTypeError: If cells that are computed later are no real numbers.
    """
    if is_lazy(value):
        tensor = asarray(value).node
        if tensor.type.dtype.kind not in "biuf":
            raise DTypeError(f"parameters are real numbers, not {tensor.type}")
        return checked_later(astype(tensor, REAL), name, bounds)
    with reading(name):
        cells = np.asarray(value, REAL)
    _check(cells, name, bounds)
    return float(cells) if not cells.ndim else asarray(cells).node


def count_parameter(value: ArrayLike, name: str, *bounds: Bound) -> int | Tensor:
    """A parameter of a distribution that is a count, as int64; else as `real_parameter`.

    {Raises} DTypeError: If an array is not one of integers that fit int64.
    """
    if is_lazy(value):
        tensor = asarray(value).node
        _check_counts(tensor.type.dtype, name)
        return checked_later(astype(tensor, COUNT), name, bounds)
    with reading(name):
        numbers = np.asarray(value)
    if not numbers.ndim:
        with reading(name):
            number = int(numbers)
            cells = np.asarray(np.int64(number))
        _check(cells, name, bounds)
        return number
    _check_counts(numbers.dtype, name)
    cells = numbers.astype(COUNT)
    _check(cells, name, bounds)
    return asarray(cells).node


def _check_counts(dtype: np.dtype[Any], name: str) -> None:
    if dtype.kind not in "biu" or not np.can_cast(dtype, COUNT):
        raise DTypeError(f"{name}: counts are integers that fit int64, not {dtype}")


def _check(cells: np.ndarray[Any, Any], name: str, bounds: tuple[Bound, ...]) -> None:
    for bound in bounds:
        if not np.all(bound.holds(_apply_eagerly, cells)):
            text = bound.text if cells.ndim else bound.number_text or bound.text
            raise ArgumentError(text.format(name=name))


def checked_later(tensor: Tensor, name: str, bounds: tuple[Bound, ...]) -> Tensor:
    """`tensor`, of which blocks cannot be computed that do not keep to the bounds."""
    for bound in bounds:
        tensor = assert_condition(
            tensor, bound.holds(elementwise, tensor), bound.text.format(name=name)
        )
    return tensor


def _apply_eagerly(ufunc: str, *operands: Any) -> Any:
    return getattr(np, ufunc)(*operands)


def checked_together(
    values: Sequence[ArrayLike], operands: Sequence[Operand], holds: Callable[..., Any], text: str
) -> list[Operand]:
    """The parameters `operands`, made of `values`, that must keep to a condition together.

    {Parameters}
        holds: The condition, made of ufuncs: called with what applies them, and the parameters.
        text: What is said where it does not hold; if any cells are computed later, that is then.
    {Raises} ValueError: If all cells are known, and do not keep to it.
    """
    checked_operands = list(operands)
    if not any(map(is_lazy, values)):
        if not np.all(holds(_apply_eagerly, *map(np.asarray, values))):
            raise ArgumentError(text)
        return checked_operands
    cells = [p if isinstance(p, Tensor) else asarray(p).node for p in checked_operands]
    condition = holds(elementwise, *cells)
    lazy = ((n, p) for n, p in enumerate(checked_operands) if isinstance(p, Tensor))
    place, first = first_of(lazy, "parameter that is computed")
    checked_operands[place] = assert_condition(
        broadcast(first, condition.type.shape), condition, text
    )
    return checked_operands
