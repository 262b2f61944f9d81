"""Borders of a stencil: how far it sees beyond the ends of an array, and what lies there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from dask_tapestry.amounts import integer, reading, whole_number
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.halos import MODES, Boundary, Depth, Depths
from dask_tapestry.arrays.manipulation.joining import concatenate
from dask_tapestry.arrays.manipulation.padding import pad
from dask_tapestry.errors import ArgumentError

SideBoundary = Boundary | tuple[Boundary, Boundary]
SideBoundaries = SideBoundary | Sequence[SideBoundary] | Mapping[int, SideBoundary]

KNOWN: Final = (*MODES, "constant", "none")


class Side(NamedTuple):
    """What lies beyond one end of an axis.

    {Attributes}
        depth: How many cells are seen.
        mode: A mode of NumPy's padding; None if nothing lies there.
        value: Of the cells, where the mode is ``"constant"``.
    """

    depth: int
    mode: str | None
    value: Any = 0


Border = tuple[Side, Side]  # before and after, along one axis


def borders(shape: Sequence[int], depth: Depths, boundary: SideBoundaries) -> tuple[Border, ...]:
    """What lies beyond both ends of each axis, as users write it.

    {Raises} ArgumentError: For a depth that is negative or larger than the axis, an unknown
        boundary, or as many as there are not axes.

    Examples
    --------
    >>> borders((5,), 1, "periodic")
    ((Side(depth=1, mode='wrap', value=0), Side(depth=1, mode='wrap', value=0)),)
    """
    ndim = len(shape)
    per_axis = []
    depths, kinds = (
        _per_axis("depth", depth, ndim, 0),
        _per_axis("boundary", boundary, ndim, "none"),
    )
    for axis, (far, beyond) in enumerate(zip(depths, kinds, strict=True)):
        sides = zip(_checked_depth(axis, far, shape[axis]), _pair(beyond), strict=True)
        before, after = (_side(one, kind, shape[axis]) for one, kind in sides)
        per_axis.append((before, after))
    return tuple(per_axis)


def _per_axis(name: str, argument: Any, ndim: int, default: Any) -> list[Any]:
    """What is given for each axis: one for all, a sequence of as many, or some by axis."""
    if isinstance(argument, Mapping):
        wrong = [axis for axis in argument if not -ndim <= integer(axis) < ndim]
        if wrong:
            raise ArgumentError(f"{name}: there are no axes {wrong} of {ndim}")
        known = {axis % ndim: value for axis, value in argument.items()}
        return [known.get(axis, default) for axis in range(ndim)]
    if isinstance(argument, tuple | list):
        if len(argument) != ndim:
            raise ArgumentError(
                f"{name}={argument!r} has {len(argument)} entries for {ndim} axes: give one for "
                "all axes, or one for each, which may be a pair for its two sides"
            )
        return list(argument)
    return [argument] * ndim


def _pair(given: Any) -> tuple[Any, Any]:
    if not isinstance(given, tuple | list):
        return given, given
    if len(given) != 2:
        raise ArgumentError(f"an axis has two sides, before and after, not {given!r}")
    return given[0], given[1]


def _checked_depth(axis: int, given: Depth, extent: int) -> tuple[int, int]:
    before, after = [whole_number("depth", one, 0) for one in _pair(given)]
    most = max(before, after)
    if most > extent > 0:
        raise ArgumentError(f"depth {most} is larger than the {extent} cells of axis {axis}")
    return before, after


def _side(depth: int, beyond: Boundary, extent: int) -> Side:
    if beyond is None or (isinstance(beyond, str) and beyond == "none"):
        return Side(0, None)
    if not isinstance(beyond, str):
        with reading("boundary"):
            complex(beyond)
        return Side(depth, "constant", beyond)
    if beyond not in KNOWN:
        known = ", ".join(map(repr, KNOWN))
        raise ArgumentError(f"boundary {beyond!r} is none of {known}, or a number")
    if beyond == "constant" or not extent:  # an axis without cells has none to repeat
        return Side(depth, "constant")
    return Side(depth, MODES[beyond])


def bordered(x: Array, around: Sequence[Border]) -> Array:
    """The array with what lies beyond its ends, axis by axis, as `numpy.pad` does."""
    for axis, (before, after) in enumerate(around):
        if before[1:] == after[1:]:
            x = _padded(x, axis, before.depth, after.depth, before)
            continue
        first = _padded(x, axis, before.depth, 0, before)
        last = _padded(x, axis, 0, after.depth, after)
        own = (slice(None),) * axis
        beyond = last[(*own, slice(x.shape[axis], None))]
        x = concatenate([first, beyond], axis=axis)
    return x


def _padded(x: Array, axis: int, before: int, after: int, side: Side) -> Array:
    if side.mode is None or not (before or after):
        return x
    widths = [(0, 0)] * x.ndim
    widths[axis] = before, after
    options = {"constant_values": side.value} if side.mode == "constant" else {}
    return pad(x, widths, side.mode, **options)  # type: ignore[arg-type]
