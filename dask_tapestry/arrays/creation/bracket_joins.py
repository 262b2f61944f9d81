"""Arrays joined in brackets, as NumPy's `r_` and `c_`; open grids of places, `ix_`."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import promoted
from dask_tapestry.arrays.creation.bracket_grids import along, is_count, line
from dask_tapestry.arrays.creation.filled import full
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.errors import ArgumentError, ShapeError

__all__ = ["c_", "ix_", "r_"]


class _Way(NamedTuple):
    """How parts are joined.

    Attributes
    ----------
    axis
        Along which.
    rank
        Dimensions that each part has at least.
    place
        Where the dimensions of a part with fewer begin among those; -1: at the end.
    """

    axis: int = 0
    rank: int = 1
    place: int = -1

    def raised(self, part: Array, behind: int) -> Array:
        """A part with enough dimensions, its own at their place."""
        missing = self.rank - part.ndim
        if missing <= 0:
            return part
        raised = part.reshape(*(1,) * missing, *part.shape)
        if self.place == -1:
            return raised
        first = self.place + behind + 1 if self.place < 0 else self.place
        order = list(range(self.rank))
        return raised.transpose(order[:first] + order[behind:] + order[first:behind])


def _way(text: str, given: _Way) -> _Way:
    """How a first entry that is text says to join: ``"axis"``, ``"axis,rank,place"``."""
    if text in ("r", "c"):
        raise ArgumentError(f"{text!r} makes a numpy.matrix, which there is none of here")
    numbers = text.split(",")
    try:
        if len(numbers) in (2, 3):
            return _Way(*[int(n) for n in numbers])
        return given._replace(axis=int(text))
    except ValueError:
        raise ArgumentError(f"unknown special directive {text!r}") from None


class _Joins:
    """What arrays, numbers and slices in brackets are joined by."""

    name: str
    way: _Way

    def __repr__(self) -> str:
        return f"dt.{self.name}"

    def __getitem__(self, key: Any) -> Any:
        parts, way = list(key) if isinstance(key, tuple) else [key], self.way
        if parts and isinstance(parts[0], str):
            way = _way(parts.pop(0), way)
        if any(isinstance(part, str) for part in parts):
            raise ArgumentError("special directives must be the first entry.")
        if not parts:
            raise ShapeError("need at least one array to concatenate")
        made = [_part(part, way) for part in parts]
        dtype = promoted(*[one.dtype if isinstance(one, Array) else one for one in made])
        cells: Any = [_cells(one, dtype, way) for one in made]
        joined: Any = np.concatenate(cells, axis=way.axis)
        return joined


def _part(part: Any, way: _Way) -> Any:
    """An entry as an array of enough dimensions; a number as it is, whose dtype depends on all."""
    if np.isscalar(part):
        return part
    if not isinstance(part, slice):
        made = asarray(part)
        return way.raised(made, way.rank - made.ndim)
    one = line(part)
    counted = is_count(part.step)
    made = one.cells(np.dtype(float)) if counted else arange(one.start, part.stop, one.step)
    raised = _Way(rank=way.rank).raised(made, 0)
    return raised if way.place == -1 or way.rank < 2 else raised.swapaxes(-1, way.place)


def _cells(part: Any, dtype: Any, way: _Way) -> Array:
    """An entry as an array, in the dtype of all."""
    if isinstance(part, Array):
        return part.astype(dtype)
    return full((1,) * way.rank, part, dtype)


class _Rows(_Joins):
    """Arrays, numbers and slices in brackets, joined along the first axis, as `numpy.r_`.

    ``dt.r_[x, 0, 1:4, 0:1:5j]``: of a slice its range; a complex step says how many. A first entry
    that is text says how to join: ``"axis"`` or ``"axis,rank,place"``, as in NumPy.

    {Returns} Array: The parts one after the other, in their common dtype.
    {Raises}
        ArgumentError: For text that says nothing, or is not the first entry.
        ShapeError: If there is no entry, or shapes do not go together.
    {See Also} c_, concatenate, stack
    {Examples}
    >>> dt.r_[dt.asarray([7, 8]), 0, 1:4].compute()
    array([7, 8, 0, 1, 2, 3])
    """

    name, way = "r_", _Way()


class _Columns(_Joins):
    """Arrays, numbers and slices in brackets, joined as columns, as `numpy.c_`.

    {Returns} Array: The parts beside each other along the last axis, in their common dtype.
    {Raises}
        ArgumentError: For text that says nothing, or is not the first entry.
        ShapeError: If there is no entry, or shapes do not go together.
    {See Also} r_, column_stack
    {Examples}
    >>> dt.c_[dt.asarray([7, 8]), [1, 2]].compute()
    array([[7, 1],
           [8, 2]])
    """

    name, way = "c_", _Way(-1, 2, 0)


r_: Final = _Rows()
c_: Final = _Columns()


@implements(np.ix_)
def ix_(*args: ArrayLike) -> tuple[Array, ...]:
    """Return an open grid of places, one array a dimension, as `numpy.ix_`.

    {Parameters} *args: Vectors of places, or masks.
    {Returns} tuple of Array: Each along a dimension of its own, of length one along the others.
    {Raises} ShapeError: For an argument that is no vector.
    {See Also} ogrid, meshgrid
    {Examples}
    >>> x = dt.arange(12).reshape(3, 4)
    >>> x[dt.ix_([0, 2], [False, True, False, True])].compute()
    array([[ 1,  3],
           [ 9, 11]])
    """
    opened = []
    for dim, given in enumerate(args):
        places = asarray(given)
        if places.ndim != 1:
            raise ShapeError("Cross index must be 1 dimensional")
        if not isinstance(given, Array) and not places.size:
            places = places.astype(np.intp)
        if places.dtype == bool:
            places = places.nonzero()[0]
        opened.append(along(places, dim, len(args)))
    return tuple(opened)
