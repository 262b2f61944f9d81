"""Rule on cells that are taken at places along several axes, most of which are the cells' own.

``x[i, rows, columns]``, with `rows` and `columns` as `numpy.ogrid` makes them, takes along one axis
what lies in the same row and column: nothing moves along the others, so they are cut as one likes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dask_tapestry.imports import LateModule
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.operators.generators.arange import Arange
from dask_tapestry.operators.generators.coordinates import Coordinates
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.operators.views.view import View, ViewAxis, identity_axes
from dask_tapestry.teg import Graph, Node, Progression, apply

if TYPE_CHECKING:
    from dask_tapestry.operators.indexing import take
else:
    take = LateModule("dask_tapestry.operators.indexing.take")


class OwnPlaces(NamedTuple):
    """Places that are the cells' own along a dimension.

    Attributes
    ----------
    dim
        Of the places.
    start
        The first of them, after which they count on.
    """

    dim: int
    start: int


def takes_of_several_axes(graph: Graph) -> bool:
    """Whether cells are taken along several axes."""
    return any(node.operator.name == "take" and len(node.inputs) > 2 for node in graph.nodes)


def take_along_own_places(node: Node) -> Node | None:
    """``take(x, i, arange, ...) -> view(takealongaxis(x, view(i)))``; `i` is not known."""
    if node.operator.name != "take" or len(node.inputs) < 3 or node.after:
        return None
    operator, (x, *places) = node.operator, node.inputs
    assert isinstance(operator, take.Take)
    own = [own_places(p) for p in places]
    if operator.bounds is not None or own.count(None) != 1 or node.format is not None:
        return None
    number = own.index(None)
    axis, index = operator.axes[number], places[number]
    starts = {at: p for at, p in zip(operator.axes, own, strict=True) if p is not None}
    axis_of = _axis_of(starts, axis, index.type.ndim)
    seen = _rows_of(x, starts, index) if axis_of is not None else None
    if axis_of is None or seen is None:
        return None
    sides = [1 if dim == axis else n for dim, n in enumerate(seen.type.shape)]
    for dim, at in axis_of.items():
        sides[at] = index.type.shape[dim]
    shown = View(tuple(sides), tuple([ViewAxis(axis_of[d], 0, 1) for d in sorted(axis_of)]))
    moved = apply(shown, index, line="")
    taken = apply(take.TakeAlongAxis(axis), seen, moved, line=node.line or "")
    back = apply(_view_back(operator.at, axis_of, node, axis), taken, line="")
    return back if back.type == node.type else rename(back, node.type.dims or ())


def _axis_of(starts: dict[int, OwnPlaces], axis: int, rank: int) -> dict[int, int] | None:
    """The axis along which each dimension of the places lies; None where two lie along one."""
    found = {p.dim: at for at, p in starts.items()}
    others = [dim for dim in range(rank) if dim not in found]
    if len(found) < len(starts) or len(others) > 1:
        return None
    return found | dict.fromkeys(others, axis)


def _rows_of(x: Node, starts: dict[int, OwnPlaces], index: Node) -> Node | None:
    """The part of `x` along whose other axes the places are; None where some are outside."""
    shape, axes = list(x.type.shape), list(identity_axes(x.type.shape))
    for at, (dim, start) in starts.items():
        shape[at], axes[at] = index.type.shape[dim], ViewAxis(at, start, 1)
        if start + shape[at] > x.type.shape[at]:
            return None
    view = View(tuple(shape), tuple(axes))
    return x if view.is_identity(x.type.shape) else apply(view, x, line="")


def _view_back(at: int, axis_of: dict[int, int], node: Node, axis: int) -> View:
    """What was taken, with its dimensions where the node has them."""
    dims = {own: at + dim for dim, own in axis_of.items()}
    dims.setdefault(axis, -1)
    rest = [d for d in range(node.type.ndim) if not at <= d < at + len(axis_of)]
    kept = [own for own in range(len(rest) + len(dims)) if own not in dims]
    dims |= dict(zip(kept, rest, strict=True))
    return View(node.type.shape, tuple([ViewAxis(dims[own], 0, 1) for own in sorted(dims)]))


def own_places(node: Node) -> OwnPlaces | None:
    """Places that count on along one dimension and are the same along the others."""
    shown = node.operator if isinstance(node.operator, View) else None
    base = node if shown is None else node.inputs[0]
    if isinstance(base.operator, Coordinates):
        return _of_coordinates(base.operator, shown)
    view = shown or View(base.type.shape, identity_axes(base.type.shape))
    moving = [a for a, n in zip(view.axes, base.type.shape, strict=True) if n > 1 and a.dim >= 0]
    if len(moving) != 1 or max(base.type.shape) != base.type.size or moving[0].step != 1:
        return None
    dim, start, _ = moving[0]
    match base.operator:
        case NumpySource(data=data):
            values = data.ravel()
            values = values[start : start + view.shape[dim]]
        case Arange() as counted:
            own = counted.places
            two = Progression(own.start + own.step * start, own.step, 2)
            values = replace(counted, places=two).reference()
        case _:
            return None
    first = int(values[0])
    counts_on = np.array_equal(values, np.arange(first, first + len(values)))
    return OwnPlaces(dim, first) if counts_on and first >= 0 else None


def _of_coordinates(counted: Coordinates, shown: View | None) -> OwnPlaces | None:
    """Places of a tensor's own cells, as a view shows them."""
    places, axis = counted.places, counted.axis
    dim, start, pace = shown.axes[axis] if shown is not None else (axis, 0, 1)
    counts_on = dim >= 0 and places.step == pace == 1
    return OwnPlaces(dim, places.start + start) if counts_on else None
