"""Derivatives of sampled functions by finite differences: `gradient`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import listed, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.statistics.differences import diff
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.operators.axes import Axes, normalize_axes, normalize_axis
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.joins.concat import concat

__all__ = ["gradient"]

Part = Callable[[int | None, int | None], Array]
Spacing = Array | complex


@implements(np.gradient)
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: Axes = None, edge_order: int = 1
) -> Array | tuple[Array, ...]:
    """Return the gradient of samples by second-order differences, as `numpy.gradient`.

    {Parameters}
        f: Samples; the derivative of times is whole counts of their unit, as NumPy has it.
        *varargs: Spacing of the samples: none for 1, a number for all axes, or for each axis a
            number or the coordinates.
        axis: Axis or axes to derive along; None for all.
        edge_order: Order of the differences at both ends: 1 or 2.
    {Returns} Array or tuple of Array: For each axis the derivative, of the shape of `f`; alone if
        there is one axis.
    {Raises}
        ShapeError: If there are too few samples, or coordinates or `edge_order` do not fit.
        DTypeError: If there is neither one spacing nor one for each axis, or NumPy divides no such
            cells.
    {See Also} diff
    {Examples}
    >>> dt.gradient(dt.asarray([1.0, 4.0, 9.0, 16.0])).compute()
    array([3., 4., 6., 7.])
    """
    x = asarray(f)
    if x.dtype.kind not in "iufcmM":
        raise DTypeError(f"gradient is not defined for dtype {dtype_name(x.dtype)}")
    if x.dtype.kind == "M":
        x = x.view(f"m8{x.dtype.str[3:]}")  # differences of dates are those of their counts
    axes = _axes(axis, x.ndim)
    spaces = _spacings(x, axes, varargs)
    if edge_order not in (1, 2):
        raise ArgumentError("'edge_order' greater than 2 not supported")
    if any(x.shape[a] < edge_order + 1 for a in axes):
        raise ShapeError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    if x.dtype.kind in "iu":
        x = Array(astype(x.node, np.dtype(np.float64)))
    found = tuple(_derivative(x, a, h, edge_order) for a, h in zip(axes, spaces, strict=True))
    return found[0] if len(found) == 1 else found


def _axes(axis: Axes, rank: int) -> tuple[int, ...]:
    """The axes in the order given, checked."""
    if axis is None:
        return tuple(range(rank))
    if isinstance(axis, int):
        return (normalize_axis(axis, rank),)
    chosen = tuple(normalize_axis(a, rank) for a in listed(axis, "axes"))
    normalize_axes(chosen, rank)
    return chosen


def _spacings(x: Array, axes: Sequence[int], distances: Sequence[ArrayLike]) -> list[Spacing]:
    """For each axis a number, or the distances of neighbours in a shape that broadcasts."""
    if not distances:
        return [1.0] * len(axes)
    if len(distances) == 1 and _is_number(distances[0]):
        return [distances[0]] * len(axes)
    if len(distances) != len(axes):
        raise DTypeError("invalid number of arguments")
    return [_distances(x, a, h) for a, h in zip(axes, distances, strict=True)]


def _is_number(spacing: ArrayLike) -> TypeGuard[complex]:
    """Whether a spacing is one number, not coordinates."""
    with reading("distances"):
        return not np.ndim(spacing)


def _distances(x: Array, axis: int, coordinates: ArrayLike) -> Spacing:
    """The distances of neighbours along an axis; one number where all are equal."""
    if _is_number(coordinates):
        return coordinates
    points = asarray(coordinates)
    if points.ndim != 1:
        raise ShapeError("distances must be either scalars or 1d")
    if points.size != x.shape[axis]:
        raise ShapeError("when 1d, distances must match the length of the corresponding dimension")
    if points.dtype.kind in "bium":  # NumPy's counts of its units
        points = Array(astype(points.node, np.dtype(np.float64)))
    if not isinstance(coordinates, Array):
        steps = np.diff(np.asarray(coordinates, points.dtype))
        if (steps == steps[0]).all():
            step: complex = steps[0]
            return step
    return diff(points).reshape((-1,) + (1,) * (x.ndim - 1 - axis))


def _is_uneven(space: Spacing) -> TypeGuard[Array]:
    """Whether it is the distances of neighbours; a number may be a 0-d array too."""
    return isinstance(space, Array) and space.ndim > 0


def _derivative(x: Array, axis: int, space: Spacing, edge_order: int) -> Array:
    """The derivative along one axis: at both ends, and between them."""
    before = (slice(None),) * axis

    def part(start: int | None, stop: int | None) -> Array:
        return x[(*before, slice(start, stop))]

    if edge_order == 1:
        head, tail = (space[:1], space[-1:]) if _is_uneven(space) else (space, space)
        ends = (part(1, 2) - part(0, 1)) / head, (part(-1, None) - part(-2, -1)) / tail
    else:
        ends = _second_order_ends(part, space)
    if x.shape[axis] < 3:
        inner = []
    elif _is_uneven(space):
        h, k = space[:-1], space[1:]
        a, b, c = -k / (h * (h + k)), (k - h) / (h * k), h / (k * (h + k))
        inner = [a * part(None, -2) + b * part(1, -1) + c * part(2, None)]
    else:
        inner = [(part(2, None) - part(None, -2)) / (2.0 * space)]
    pieces = [astype(p.node, x.dtype) for p in (ends[0], *inner, ends[1])]
    return Array(concat(pieces, axis))


def _second_order_ends(part: Part, space: Spacing) -> tuple[Array, Array]:
    """The derivative at both ends, from three samples each."""
    if _is_uneven(space):
        h, k = space[:1], space[1:2]
        first: tuple[Spacing, ...] = (
            -(2.0 * h + k) / (h * (h + k)),
            (h + k) / (h * k),
            -h / (k * (h + k)),
        )
        h, k = space[-2:-1], space[-1:]
        last: tuple[Spacing, ...] = (
            k / (h * (h + k)),
            -(k + h) / (h * k),
            (2.0 * k + h) / (k * (h + k)),
        )
    else:
        first = -1.5 / space, 2.0 / space, -0.5 / space
        last = 0.5 / space, -2.0 / space, 1.5 / space
    head = first[0] * part(0, 1) + first[1] * part(1, 2) + first[2] * part(2, 3)
    tail = last[0] * part(-3, -2) + last[1] * part(-2, -1) + last[2] * part(-1, None)
    return head, tail
