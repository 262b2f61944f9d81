"""Erosions and dilations of grey values: windows of extremes, with a structure or without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.ndimage.arguments import (
    Output,
    axes_of,
    checked_size,
    for_each,
    given_out,
    known_cells,
    operand,
    result_dtype,
)
from dask_tapestry.arrays.ndimage.boundary import checked_mode, padded
from dask_tapestry.arrays.ndimage.correlations import mirrored, spread
from dask_tapestry.arrays.ndimage.extremes import extreme_of
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.footprints import footprint_of
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.windows.window_extreme import Extreme, window_extreme

Block = np.ndarray[Any, Any]
Sizes = int | Sequence[int] | None
Modes = str | Sequence[str]
Origins = int | Sequence[int]
Axes = int | Iterable[int] | None


def eroded(
    function: str,
    x: ArrayLike,
    size: Sizes,
    footprint: ArrayLike | None,
    structure: ArrayLike | None,
    output: Output,
    mode: Modes,
    cval: float,
    origin: Origins,
    axes: Axes,
) -> Array:
    """The least cells of windows, less a structure if there is one.

    {Raises} FilterError: If there is neither size, footprint nor structure.
    """
    cells = _cells(function, footprint, "footprint")
    less = _cells(function, structure, "structure")
    how = (output, mode, cval, origin, axes)
    return _extreme(function, "minimum", operand(function, x), size, cells, less, *how)


def dilated(
    function: str,
    x: ArrayLike,
    size: Sizes,
    footprint: ArrayLike | None,
    structure: ArrayLike | None,
    output: Output,
    mode: Modes,
    cval: float,
    origin: Origins,
    axes: Axes,
) -> Array:
    """The greatest cells of windows that are mirrored, plus a structure if there is one.

    {Raises} FilterError: If there is neither size, footprint nor structure.
    """
    array = operand(function, x)
    along = axes_of(function, axes, array.ndim)
    cells = _reversed(_cells(function, footprint, "footprint"))
    more = _reversed(_cells(function, structure, "structure"))
    window = cells if cells is not None else more
    sides = for_each(function, "size", size, len(along)) if window is None else window.shape
    origins = for_each(function, "origin", origin, len(along))
    if size is not None or window is not None:
        ways = zip(origins, sides, strict=False)
        origins = [mirrored(o, checked_size(function, n)) for o, n in ways]
    how = (output, mode, cval, origins, along)
    return _extreme(function, "maximum", array, size, cells, more, *how)


def _cells(function: str, given: ArrayLike | None, name: str) -> Block | None:
    return None if given is None else known_cells(function, name, given)


def _reversed(cells: Block | None) -> Block | None:
    return None if cells is None else cells[(slice(None, None, -1),) * cells.ndim]


def _extreme(
    function: str,
    fold: Extreme,
    x: Array,
    size: Sizes,
    footprint: Block | None,
    structure: Block | None,
    output: Output,
    mode: Modes,
    cval: float,
    origin: Origins,
    axes: Axes,
) -> Array:
    if size is None and footprint is None and structure is None:
        raise FilterError(f"{function}: size, footprint, or structure must be specified")
    dtype, fill = result_dtype(function, output, x.dtype), real(f"{function}: cval", cval)
    if structure is None:
        neighbourhood = footprint_of(function, size, footprint, mode, origin, axes, x.ndim)
        return given_out(output, extreme_of(x.node, neighbourhood, fold, fill, dtype))
    along = axes_of(function, axes, x.ndim)
    added = spread(function, "structure", structure.astype(np.float64), along, x.ndim)
    window = np.ones(structure.shape, bool) if footprint is None else footprint
    neighbourhood = footprint_of(function, None, window, mode, origin, along, x.ndim)
    if neighbourhood.window != added.shape:
        raise FilterError(
            f"{function}: structure of shape {structure.shape} is not that of the footprint"
        )
    if not isinstance(mode, str):
        checked_mode(function, mode)
    places = neighbourhood.places or tuple(np.ndindex(*neighbourhood.window))
    addends = [float(added[p]) * (-1 if fold == "minimum" else 1) for p in places]
    if not x.size:
        return given_out(output, astype(x.node, dtype))
    framed = padded(x.node, neighbourhood.reach, neighbourhood.modes, fill)
    return given_out(
        output, window_extreme(framed, neighbourhood.window, fold, places, addends, dtype)
    )
