"""Laws that a monoid's functions must keep, tried on cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.tuning import SINGLE_CELLS
from dask_tapestry.arrays.user_functions.cell_differences import Closeness, same_bits
from dask_tapestry.errors import ConstraintError, TapestryError

Cells = np.ndarray[Any, Any]
Value = tuple[Cells, ...]  # what is combined: an array, or several of one shape
Combine = Callable[[Value, Value], Value]

LAWS: Final = (
    "combine_is_repeatable",
    "combine_leaves_its_arguments",
    "combine_works_cell_by_cell",
    "identity_is_neutral",
    "combine_is_associative",
)


def check_monoid(
    name: str, combine: Combine, cells: Value, identity: Value | None, closeness: Closeness
) -> tuple[str, ...]:
    """Try the laws on some cells; return the names of those that were tried.

    {Parameters}
        cells: Arrays of one dimension.
        identity: A cell of each; None where there is none.
    {Raises} ConstraintError: Names the law that is broken, and the cells.
    """
    first, second, third = cells, _rotated(cells, 1), _rotated(cells, 2)
    before = [x.copy() for x in (*first, *second)]

    def combined(a: Value, b: Value) -> Value:
        try:
            return combine(a, b)
        except TapestryError:
            raise
        except Exception as error:
            raise _broken("combine_takes_cells", name, f"it raises {error!r}") from error

    def require(law: str, actual: Value, expected: Value, text: str) -> None:
        for left, other in zip(actual, expected, strict=True):
            difference = closeness.difference(left, other)
            if difference:
                raise _broken(law, name, f"{text}: {difference}")

    both = combined(first, second)
    if not all(map(same_bits, combined(first, second), both)):
        raise _broken("combine_is_repeatable", name, "called twice, it returns different values")
    if not all(map(same_bits, (*first, *second), before)):
        raise _broken("combine_leaves_its_arguments", name, "it writes to its arguments")
    for at in range(min(SINGLE_CELLS, len(first[0]))):
        one = combined(_cell(first, at), _cell(second, at))
        require("combine_works_cell_by_cell", one, _cell(both, at), f"of cell {at} alone")
    if identity is not None:
        empty = tuple(np.full_like(x, e) for x, e in zip(first, identity, strict=True))
        require("identity_is_neutral", combined(empty, first), first, "combine(identity, x) is x")
        require("identity_is_neutral", combined(first, empty), first, "combine(x, identity) is x")
    left, right = combined(both, third), combined(first, combined(second, third))
    text = "combine(combine(a, b), c) is combine(a, combine(b, c))"
    require("combine_is_associative", left, right, text)
    return LAWS if identity is not None else tuple(x for x in LAWS if not x.startswith("identity"))


def _rotated(cells: Value, count: int) -> Value:
    return tuple(np.roll(x, count) for x in cells)


def _cell(cells: Sequence[Cells], at: int) -> Value:
    return tuple(x[at : at + 1] for x in cells)


def _broken(law: str, name: str, text: str) -> ConstraintError:
    return ConstraintError(f"{law}: {name}: {text}")
