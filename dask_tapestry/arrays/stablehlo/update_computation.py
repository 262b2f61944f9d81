"""Update computations: what cells become of themselves and of updates, by name or by a function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.cells import CellExpression
from dask_tapestry.errors import ArgumentError, TraceError
from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry.operators.cells.traced_expression import traced_expression
from dask_tapestry.operators.functions.user_function import name_of
from dask_tapestry.operators.generators.symbol import symbol

UpdateComputation = str | Callable[..., Any]
NAMES: Final = ("add", "mul", "min", "max", "update")
ADVICE: Final = "choose with where, not with if, and use ufuncs, not functions of numbers"


def expressions_of(
    computation: UpdateComputation, dtypes: Sequence[np.dtype[Any]]
) -> list[CellExpression] | None:
    """What each cell becomes; None for a name, which updates each input by itself.

    A function may return another number of cells than it should, and of other dtypes: that breaks
    a constraint.

    {Parameters} dtypes: Of the results, and of the updates.
    {Raises}
        ArgumentError: For what is neither a name nor a function.
        TraceError: If the function does more than compute with cells.
    """
    if isinstance(computation, str) or not callable(computation):
        if computation not in NAMES:
            known = ", ".join(map(repr, NAMES))
            raise ArgumentError(
                f"update_computation must be a function or one of {known}, not {computation!r}"
            )
        return None
    name = name_of(computation)
    cells = [symbol("a cell", ADVICE, dtype) for dtype in (*dtypes, *dtypes)]
    try:
        returned = computation(*map(Array, cells))
    except TraceError as error:
        why = str(error).partition("\n")[0]
        raise TraceError(f"{name} cannot be traced: {why}") from error
    values = list(returned) if isinstance(returned, tuple | list) else [returned]
    wanted = [*dtypes, *[dtypes[-1]] * len(values)]
    return [
        traced_expression(_cell(value, dtype, name), cells, name)
        for value, dtype in zip(values, wanted, strict=False)
    ]


def by_name(computation: str, dtypes: Sequence[np.dtype[Any]]) -> list[CellExpression]:
    """What a cell of each dtype becomes, updated by itself."""
    return [cell_update(computation, dtype) for dtype in dtypes]


def _cell(value: Any, dtype: np.dtype[Any], name: str) -> Any:
    """What a function returned, as a tensor without dimensions; numbers of Python are weak."""
    if isinstance(value, bool | int | float | complex):
        return asarray(value, dtype=dtype).node
    if not isinstance(value, Array | np.generic):
        raise TraceError(f"{name} returned {type(value).__name__}, not a cell")
    node = asarray(value).node
    if node.type.ndim:
        raise TraceError(f"{name} returned an array of shape {node.type.shape}, not a cell")
    return node
