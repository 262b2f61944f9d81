"""Windows that are given by a size or a footprint: which cells count, and where they begin."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.ndimage.arguments import (
    axes_of,
    checked_size,
    for_each,
    is_per_axis,
    known_cells,
    reach,
)
from dask_tapestry.arrays.ndimage.boundary import Widths, checked_mode
from dask_tapestry.arrays.ndimage.correlations import origins_of, spread
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.teg.users_line import users_level

Place = tuple[int, ...]


class Footprint(NamedTuple):
    """The cells of windows that count.

    {Attributes}
        window: Cells along each axis.
        places: Those that count; None for all.
        reach: Cells before and after the one that the window is for, along each axis.
        modes: Of each axis.
    """

    window: tuple[int, ...]
    places: tuple[Place, ...] | None
    reach: tuple[Widths, ...]
    modes: tuple[str, ...]

    @property
    def cells(self) -> int:
        """How many cells count."""
        return int(np.prod(self.window)) if self.places is None else len(self.places)


def footprint_of(
    function: str,
    size: Any,
    footprint: ArrayLike | None,
    mode: str | Sequence[str],
    origin: int | Sequence[int],
    axes: int | Iterable[int] | None,
    ndim: int,
) -> Footprint:
    """The window that a size or a footprint describes.

    {Raises} FilterError: If there is neither, or they do not fit the axes.
    """
    along = axes_of(function, axes, ndim)
    if footprint is None:
        if size is None:
            raise FilterError(f"{function}: no footprint or filter size provided")
        window = [1] * ndim
        for axis, own in zip(along, for_each(function, "size", size, len(along)), strict=True):
            window[axis] = checked_size(function, own)
        offsets = None
    else:
        if size is not None:
            warn("ignoring size because footprint is set", UserWarning, stacklevel=users_level())
        cells = known_cells(function, "footprint", footprint).astype(bool)
        spread_cells = spread(function, "footprint", cells, along, ndim)
        if not cells.any():
            raise FilterError(f"{function}: all-zero footprint is not supported")
        window = list(spread_cells.shape)
        found = [tuple(place) for place in np.argwhere(spread_cells).tolist()]
        offsets = None if cells.all() else tuple(found)
    origins = origins_of(function, origin, along, ndim)
    cells_around = [reach(function, n, o) for n, o in zip(window, origins, strict=True)]
    return Footprint(
        tuple(window), offsets, tuple(cells_around), modes_of(function, mode, along, ndim)
    )


def modes_of(
    function: str, mode: str | Sequence[str], axes: Sequence[int], ndim: int
) -> tuple[str, ...]:
    """A mode for each axis."""
    modes = ["reflect"] * ndim
    if not is_per_axis(mode):
        checked_mode(function, mode)
    for axis, own in zip(axes, for_each(function, "mode", mode, len(axes)), strict=True):
        modes[axis] = checked_mode(function, own)
    return tuple(modes)
