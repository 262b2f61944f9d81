"""Halos as arguments: `depth` and `boundary` of `map_overlap` and its kind, read for each axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from dask_tapestry.amounts import integer, reading
from dask_tapestry.errors import ArgumentError

Depth = int | tuple[int, int]
Depths = Depth | Sequence[Depth] | Mapping[int, Depth] | None
Boundary = str | float | None
Boundaries = Boundary | Sequence[Boundary] | Mapping[int, Boundary]

MODES: Final = {  # Dask's boundaries by NumPy's modes of padding
    "reflect": "symmetric",
    "periodic": "wrap",
    "nearest": "edge",
}


class Halo(NamedTuple):
    """What a block has beside its own cells along one axis.

    Attributes
    ----------
    before, after
        Cells of the neighbours.
    mode
        How the array goes on beyond its ends, by a mode of NumPy's padding; None if it does not.
    value
        Cells beyond the ends, where the mode is ``"constant"``.
    """

    before: int
    after: int
    mode: str | None
    value: Any = 0


def halos(ndim: int, depth: Depths, boundary: Boundaries) -> tuple[Halo, ...]:
    """What blocks have beside their own cells along each axis, from Dask's two arguments.

    Raises
    ------
    ArgumentError
        For a negative depth, an unknown boundary, or more of them than axes.

    Examples
    --------
    >>> halos(2, {0: (1, 0)}, "periodic")
    (Halo(before=1, after=0, mode='wrap', value=0), Halo(before=0, after=0, mode='wrap', value=0))
    """
    per_axis = []
    for axis_depth, axis_boundary in zip(
        _per_axis(ndim, depth, 0), _per_axis(ndim, boundary, "none"), strict=True
    ):
        with reading("depth"):
            pair = axis_depth if isinstance(axis_depth, tuple) else (axis_depth, axis_depth)
            before, after = map(integer, pair)
        if before < 0 or after < 0:
            raise ArgumentError(f"a depth is not negative: {axis_depth}")
        if axis_boundary is None or (isinstance(axis_boundary, str) and axis_boundary == "none"):
            per_axis.append(Halo(before, after, None))
        elif isinstance(axis_boundary, str):
            if axis_boundary not in MODES:
                known = ", ".join(map(repr, MODES))
                raise ArgumentError(
                    f"boundary {axis_boundary!r} is none of {known}, 'none' or a number"
                )
            per_axis.append(Halo(before, after, MODES[axis_boundary]))
        else:
            per_axis.append(Halo(before, after, "constant", axis_boundary))
    return tuple(per_axis)


def _per_axis(ndim: int, argument: Any, default: Any) -> list[Any]:
    """What is given for each axis; a mapping may leave some out."""
    if isinstance(argument, Mapping):
        wrong = [axis for axis in argument if not -ndim <= integer(axis) < ndim]
        if wrong:
            raise ArgumentError(f"there are no axes {wrong} of {ndim}")
        known = {axis % ndim: value for axis, value in argument.items()}
        return [known.get(axis, default) for axis in range(ndim)]
    if isinstance(argument, tuple | list):
        if len(argument) > ndim:
            raise ArgumentError(f"{argument} are more than the {ndim} axes")
        return [*argument, *[default] * (ndim - len(argument))]
    return [default if argument is None else argument] * ndim
