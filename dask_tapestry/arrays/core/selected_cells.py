"""What is computed of the cells that a mask selects, without a count of them.

``x[mask].mean()`` is ``mean(x, where=mask)``: one pass over `x` where a count would take another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dynamic_shape import Counts, Deferred
from dask_tapestry.arrays.core.known_masks import lines_where
from dask_tapestry.arrays.core.selection import Selection
from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.teg import Node, Tensor


def where_selected(
    a: ArrayLike, axis: Axes, where: Any, keepdims: bool, squared: bool = False
) -> tuple[ArrayLike, Axes, Any]:
    """An array, axes and `where=` of a reduction: of selected cells, all cells and the mask.

    What keeps the dimension of the mask, or leaves one of several, stays as it is.

    Parameters
    ----------
    axis
        Along which cells are folded.
    squared
        Whether cells are subtracted and multiplied before they are folded.
    """
    if not (where is np._NoValue or where is True or where is None):
        return _lines_where(a, axis, where)
    made = a.selected if isinstance(a, Array) else None
    if made is None:
        return a, axis, where
    selection, axes = selection_in(made), normalize_axes(axis, made.bound.type.ndim)
    if selection.dim not in axes or (keepdims and len(selection.dims) > 1):
        return a, axis, where
    cells = selection.harmless if squared else selection.cells
    return Array(cells), selection.axes_of(axes), Array(selection.where)


def _lines_where(a: ArrayLike, axis: Axes, where: Any) -> tuple[ArrayLike, Axes, Any]:
    """The lines that a mask in memory selects, and no mask; or what is given."""
    if not isinstance(a, Array) or not isinstance(where, Array | np.ndarray) or not a.ndim:
        return a, axis, where  # of no dimension axis 0 is none, with a mask
    lines = lines_where(a, normalize_axes(axis, a.ndim), where)
    return (a, axis, where) if lines is None else (lines, axis, np._NoValue)


def of_selected(make: Callable[..., Tensor], values: Sequence[Any]) -> Array | None:
    """What `make` yields, cell by cell, of cells that one mask selects; None of other values.

    Parameters
    ----------
    values
        Arrays of cells of the same mask, of which there is one, and single cells.
    """
    parts = [_part_of(value) for value in values]
    made = [part for part in parts if isinstance(part, Deferred)]
    others = [part for part in parts if not isinstance(part, Deferred)]
    chosen = [*map(selection_in, made)]
    if not made or not all(map(chosen[0].is_of, chosen)) or not all(map(_is_one_cell, others)):
        return None

    def build(counts: Counts, kept: Sequence[Node]) -> Node:
        return make(*[p.build(counts, kept) if isinstance(p, Deferred) else p for p in parts])

    bound = make(*[p.bound if isinstance(p, Deferred) else p for p in parts])
    cells = make(*[selection_in(p).harmless if isinstance(p, Deferred) else p for p in parts])
    one = made[0].made_with(build, bound, chosen[0]._replace(cells=cells))
    return Array(one.joined_with(made))


def cell_by_cell(make: Callable[[Tensor], Tensor], x: Array) -> Array:
    """What `make` yields of an array cell by cell; of selected cells without a count."""
    made = of_selected(make, (x,))
    return Array(make(x.node)) if made is None else made


def selects_alike(x: Array, y: ArrayLike) -> bool:
    """Whether two arrays are cells that one mask selects, and nobody has counted those of `x`."""
    if not isinstance(y, Array) or x.deferred is None or x.selected is None or y.selected is None:
        return False
    return selection_in(x.selected).is_of(selection_in(y.selected))


def take_uncounted(x: Array, value: Array) -> None:
    """Give `x`, which nobody has counted, the value of another array that the mask selects."""
    x._known.clear()
    x._deferred, x._plan_given, x._shares = value.selected, None, False


def selection_in(made: Deferred) -> Selection:
    """The selection that a node is made of."""
    assert made.selection is not None
    return made.selection


def _part_of(value: Any) -> Any:
    """A value as `make` takes it, or how it is made of selected cells."""
    if not isinstance(value, Array) or (value.selected is None and value.deferred is not None):
        return value
    return value.selected or value.node


def _is_one_cell(part: Any) -> bool:
    if isinstance(part, Node):
        return not part.type.ndim
    return isinstance(part, bool | int | float | complex | np.generic)
