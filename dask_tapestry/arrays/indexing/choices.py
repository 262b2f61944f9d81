"""Choices between several arrays, cell by cell: `choose` by number, `select` by condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import promoted
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.indexing.take import Mode, places_within, take_along_axis
from dask_tapestry.errors import ArgumentError, ArgumentTypeError, DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.cell_function import called_on_cells

__all__ = ["choose", "select"]


@dataclass(frozen=True)
class NumbersBelow:
    """Numbers of choices as they are, of which none is out of bounds; called on blocks.

    {Attributes} count: Of the choices.
    """

    count: int

    def __call__(self, numbers: Any) -> Any:
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < self.count:
            raise ArgumentError("invalid entry in choice array")
        return numbers


@implements(np.choose)
def choose(
    a: ArrayLike,
    choices: Sequence[ArrayLike] | Array,
    out: Array | None = None,
    mode: Mode = "raise",
) -> Array:
    """Return cells of one of several arrays, by number, as `numpy.choose`.

    {Parameters}
        a: For each cell the number of the array to choose, from 0.
        choices: The arrays; they broadcast with `a`.
        out: An array that takes the result's value.
        mode: What a number out of bounds means: ``"raise"`` an error, ``"wrap"`` around, or
            ``"clip"`` to the nearest one.
    {Returns} Array: The common shape of all arguments, the common dtype of the choices.
    {Raises}
        ArgumentError: For a number that is out of bounds, when it is computed unless it is known;
            for an unknown mode.
        DTypeError: For numbers that `int64` does not hold: floats, `uint64`.
    {See Also} select, where
    {Examples}
    >>> dt.choose([0, 1, 1], [[1, 2, 3], [40, 50, 60]]).compute()
    array([ 1, 50, 60])
    """
    number = asarray(a)
    if not np.can_cast(number.dtype, np.intp):
        raise DTypeError(f"numbers of choices: {number.dtype} is not cast safely to int64")
    choices = listed(choices, "choices")
    if not choices:
        raise ArgumentError("choices are needed")
    candidates = [asarray(c) for c in choices]
    shape = broadcast_shape([number.shape, *[c.shape for c in candidates]])
    dtype = promoted(*[_kind(c) for c in choices])
    spread = [np.broadcast_to(c.astype(dtype), shape)[None] for c in candidates]
    table = np.concatenate(spread)
    if not isinstance(a, Array):
        numbers = places_within(a, len(candidates), mode)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(candidates):
            raise ArgumentError("invalid entry in choice array")
        number = asarray(numbers)
    else:
        number = asarray(places_within(number, len(candidates), mode))
        if mode == "raise":
            checked = NumbersBelow(len(candidates))
            number = Array(called_on_cells(checked, number.dtype, [number.node]))
    wide = np.broadcast_to(number, shape)[None]
    return assigned_to_out(out, take_along_axis(table, wide, 0)[0])


@implements(np.select)
def select(
    condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0
) -> Array:
    """Return cells of the first array whose condition holds, as `numpy.select`.

    {Parameters}
        condlist: The conditions, boolean arrays that broadcast.
        choicelist: An array for each condition.
        default: The cells where no condition holds.
    {Returns} Array: The common shape of all arguments, the common dtype of the choices and the
        default.
    {Raises}
        ArgumentError: If there are not as many conditions as choices, or none.
        TypeError: For a condition that is not boolean.
    {See Also} choose, where
    {Examples}
    >>> x = dt.arange(5)
    >>> dt.select([x < 2, x > 3], [x, x * 10], default=-1).compute()
    array([ 0,  1, -1, -1, 40])
    """
    condlist, choicelist = list(listed(condlist, "conditions")), list(listed(choicelist, "choices"))
    if len(condlist) != len(choicelist):
        raise ArgumentError("list of cases must be same length as list of conditions")
    if not condlist:
        raise ArgumentError("select with an empty condition list is not possible")
    conditions = [asarray(c) for c in condlist]
    for place, condition in enumerate(conditions):
        if condition.dtype != bool:
            raise ArgumentTypeError(f"invalid entry {place} in condlist: should be boolean ndarray")
    dtype = promoted(*map(_kind, [*choicelist, default]))
    result = asarray(default).astype(dtype)
    for condition, choice in zip(conditions[::-1], list(choicelist)[::-1], strict=True):
        result = where(condition, asarray(choice).astype(dtype), result)
    return result


def _kind(choice: ArrayLike) -> complex | np.dtype[Any]:
    """What tells the dtype of a choice: a Python number takes that of the others."""
    return choice if isinstance(choice, int | float | complex) else asarray(choice).dtype
