"""Products of matrices of which cells are hidden: hidden cells add nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from dask_tapestry.arrays import linalg
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.ma.mask_creation import asarray
from dask_tapestry.arrays.ma.masked_array import FUNCTIONS, MaskedArray
from dask_tapestry.arrays.ma.parts import call

__all__ = ["dot"]


def dot(a: ArrayLike | MaskedArray, b: ArrayLike | MaskedArray) -> MaskedArray:
    """Multiply matrices or vectors; a sum of which every product has a hidden cell is hidden.

    {Parameters} a, b: As of `dask_tapestry.dot`.
    {Returns} MaskedArray: Without a mask if neither has one.
    {Raises} ShapeError: If the summed dimensions differ in length.
    {See Also} numpy.ma.dot
    {Examples}
    >>> x = dt.ma.masked_array([[1, 2], [3, 4]], [[0, 1], [1, 1]])
    >>> dt.ma.dot(x, [10, 1]).compute().tolist()
    [10, None]
    """
    return _product(linalg.dot, a, b)


def _tensordot(a: Any, b: Any, axes: Any = 2) -> MaskedArray:
    return _product(linalg.tensordot, a, b, axes)


def _product(function: Callable[..., Array], a: Any, b: Any, *more: Any) -> MaskedArray:
    """A product of cells, and where no product of two shown cells takes part."""
    x, y = asarray(a), asarray(b)
    cells = function(x._with(0), y._with(0), *more)
    if x.hidden is None and y.hidden is None:
        return MaskedArray(cells)
    shown = [call("logical_not", one._mask_cells()).astype("f4") for one in (x, y)]
    return MaskedArray(cells, call("equal", function(*shown, *more), 0))


FUNCTIONS.update(dot=dot, tensordot=_tensordot)
