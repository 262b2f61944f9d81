"""Values within a function of cells: places, constants and choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.cells.fixed_dtype import fixed_dtype
from dask_tapestry.errors import ArgumentError, TraceError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype, scalar_of
from dask_tapestry.operators.generators.coordinates import INDEX_DTYPE, coordinates
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Node, Tensor

__all__ = ["Attributes", "imm", "iteridx", "select"]

ADVICE = "choose with where or select, not with if, and use ufuncs, not functions of numbers"


@final
class Attributes:
    """The first argument of a function of cells: where in the arrays a cell lies.

    Give it to `iteridx`.

    {Parameters} shape: To which the arrays broadcast.
    {Attributes} shape: To which the arrays broadcast.
    {Examples}
    >>> dt.patterns.Attributes((2, 3)).ndim
    2
    """

    def __init__(self, shape: Sequence[int]) -> None:
        self.shape = tuple(shape)
        self._places: dict[int, Tensor] = {}

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return len(self.shape)

    def place(self, dim: int) -> Tensor:
        """Return the symbol of a cell's coordinate along a dimension."""
        axis = normalize_axis(dim, self.ndim, "dim")
        if axis not in self._places:
            self._places[axis] = symbol("a place", ADVICE, INDEX_DTYPE)
        return self._places[axis]

    def coordinates(self) -> dict[Node, Tensor]:
        """Return for each symbol that was asked for the coordinates along its dimension."""
        by_dim = {}
        for axis, place in self._places.items():
            others = [dim - axis for dim in range(self.ndim) if dim != axis]
            line = coordinates((self.shape[axis],), 0)
            sides = tuple(dim + axis for dim in others)
            by_dim[place] = unsqueeze(line, sides) if sides else line
        return by_dim


def iteridx(dim: int, attrs: Attributes, dtype: DTypeLike = np.int64) -> Array:
    """Return a cell's coordinate along a dimension; for functions that `zipmapreduce` calls.

    Source: parallel patterns of SambaFlow, "sn_iteridx".

    {Parameters}
        dim: The dimension, of the shape to which the arrays broadcast, before they are reduced;
            negative ones count from the last.
        attrs: The function's first argument.
        dtype: Of the coordinate.
    {Returns} Array: A cell.
    {Raises} AxisError: If there is no such dimension.
    {See Also} zipmapreduce, index_tensor
    {Examples}
    >>> def placed(attrs, x):
    ...     return x + dt.patterns.iteridx(-1, attrs)
    >>> dt.patterns.zipmapreduce(placed, [dt.zeros((2, 3), int)]).compute()
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    if not isinstance(attrs, Attributes):
        raise ArgumentError("attrs must be the first argument of the function of cells")
    return Array(astype(attrs.place(dim), as_dtype(dtype)))


def imm(value: Any, dtype: DTypeLike) -> np.generic:
    """Return a constant that has its dtype, so that cells are promoted by it.

    Source: parallel patterns of SambaFlow, "sn_imm".

    {Parameters}
        value: A number.
        dtype: Of the constant.
    {Returns} numpy.generic: A scalar of NumPy, which unlike a Python number is not weak.
    {Raises} ValueRangeError: If an integer does not fit the dtype.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> (dt.ones(2, "float32") + dt.patterns.imm(1, np.float64)).dtype
    dtype('float64')
    """
    if isinstance(value, Array):
        raise TraceError("imm takes a number that is known; convert a cell with astype")
    cell = scalar_of(value, fixed_dtype(as_dtype(dtype)))
    assert isinstance(cell, np.generic)
    return cell


def select(cond: ArrayLike, a: ArrayLike, b: ArrayLike) -> Array:
    """Choose `a` where `cond` is non-zero, else `b`.

    Source: parallel patterns of SambaFlow, "sn_select".

    {Parameters}
        cond: A condition: true or false, or a number.
        a, b: What is chosen from.
    {Returns} Array: Of the promoted dtype.
    {See Also} where
    {Examples}
    >>> dt.patterns.select(dt.asarray([1, 0]), 7, 8).compute()
    array([7, 8])
    """
    return where(cond, a, b)
