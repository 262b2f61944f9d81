"""Functions that hold where conditions do: `piecewise`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import listed
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.errors import ArgumentError, IndexingError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.teg import Tensor

__all__ = ["piecewise"]


@dataclass(frozen=True)
class Pieces:
    """`numpy.piecewise` with its functions in place, called on blocks."""

    functions: tuple[Any, ...]
    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...]

    def __call__(self, cells: Any, *conditions: Any) -> Any:
        return np.piecewise(
            cells, list(conditions), list(self.functions), *self.args, **dict(self.kwargs)
        )


@implements(np.piecewise)
def piecewise(
    x: ArrayLike,
    condlist: ArrayLike | Sequence[ArrayLike],
    funclist: Sequence[Callable[..., Any] | complex],
    *args: Any,
    **kw: Any,
) -> Array:
    """Return the value of the function whose condition holds for a cell, as `numpy.piecewise`.

    {Parameters}
        {x}
        condlist: Boolean arrays of its shape; where several hold, the last one counts.
        funclist: For each condition a number, or a function, which is called with the cells of a
            block for which it holds; one more is for cells of which none does, and is zero by
            default.
        *args, **kw: Further arguments of the functions.
    {Returns} Array: Of the shape and dtype of `x`.
    {Raises} ArgumentError: If there are neither as many functions as conditions nor one more.
    {See Also} select, where, numpy.piecewise
    {Examples}
    >>> x = dt.arange(-2.0, 3.0)
    >>> dt.piecewise(x, [x < 0, x >= 1], [lambda cells: -cells, 7]).compute()
    array([2., 1., 0., 7., 7.])
    """
    array = asarray(x)
    table = asarray(condlist)
    alone = not table.ndim or (table.ndim == 1 and array.ndim > 0)
    conditions = [table] if alone else list(table)
    funclist = listed(funclist, "functions")
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ArgumentError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or "
            f"{len(conditions) + 1} functions are expected"
        )
    pieces = Pieces(tuple(funclist), args, tuple(kw.items()))
    truths = [_truth(condition, array.shape) for condition in conditions]
    return Array(called_on_cells(pieces, array.dtype, [array.node, *truths]))


def _truth(condition: Array, shape: tuple[int, ...]) -> Tensor:
    """A condition as booleans for cells of a shape, of which it has the first dimensions."""
    if condition.shape != shape[: condition.ndim]:
        raise IndexingError(f"a condition of shape {condition.shape} for cells of shape {shape}")
    rest = (1,) * (len(shape) - condition.ndim)
    return astype(condition.reshape(*condition.shape, *rest).node, np.dtype(bool))
