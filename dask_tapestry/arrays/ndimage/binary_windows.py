"""Steps of binary morphology: all, or any, of the cells of a structure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.ndimage.arguments import axes_of, known_cells, operand, reach
from dask_tapestry.arrays.ndimage.boundary import Widths, padded
from dask_tapestry.arrays.ndimage.correlations import mirrored, origins_of, spread
from dask_tapestry.arrays.ndimage.filter_error import FilterError
from dask_tapestry.arrays.ndimage.structures import generate_binary_structure
from dask_tapestry.arrays.tuning import STEPS_BETWEEN_LOOKS
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.windows.window_extreme import Extreme, window_extreme
from dask_tapestry.teg import Tensor

Block = np.ndarray[Any, Any]
Axes = int | Iterable[int] | None
Place = tuple[int, ...]


class MorphologyStep(NamedTuple):
    """One erosion or dilation.

    {Attributes}
        fold: ``"minimum"``: all cells of the structure; ``"maximum"``: any.
        window, places: Sides of the structure, and its cells.
        reach: Cells before and after, along each axis.
        border: What lies beyond the ends.
        mask: Cells that change; None for all.
    """

    fold: Extreme
    window: tuple[int, ...]
    places: tuple[Place, ...]
    reach: tuple[Widths, ...]
    border: bool
    mask: Tensor | None

    def __call__(self, x: Tensor) -> Tensor:
        """The cells after the step, of bools."""
        if not x.type.size:
            return x
        if self.places:
            framed = padded(x, self.reach, ["constant"] * x.type.ndim, float(self.border))
            made = window_extreme(framed, self.window, self.fold, self.places)
        else:
            every = full((1,) * x.type.ndim, np.bool_(self.fold == "minimum"))
            made = broadcast(every, x.type.shape)
        return made if self.mask is None else where(self.mask, made, x)


def truths(function: str, x: ArrayLike) -> Tensor:
    """The cells of an array that are not zero."""
    return astype(operand(function, x).node, np.dtype(bool))


def step_of(
    function: str,
    fold: Extreme,
    turned: bool,
    structure: ArrayLike | None,
    mask: ArrayLike | None,
    border: Any,
    origin: int | Sequence[int],
    axes: Axes,
    shape: tuple[int, ...],
) -> MorphologyStep:
    """A step of arrays of a shape; `turned` for the structure and its origin mirrored.

    {Raises} FilterError: If structure or mask do not fit.
    """
    ndim = len(shape)
    along = axes_of(function, axes, ndim)
    given = generate_binary_structure(len(along), 1) if structure is None else structure
    cells = spread(
        function, "structure", known_cells(function, "structure", given) != 0, along, ndim
    )
    origins = origins_of(function, origin, along, ndim)
    if turned:
        cells = cells[(slice(None, None, -1),) * ndim]
        origins = [mirrored(o, n) for o, n in zip(origins, cells.shape, strict=True)]
    around = tuple([reach(function, n, o) for n, o in zip(cells.shape, origins, strict=True)])
    offsets = (
        tuple([tuple(place) for place in np.argwhere(cells).tolist()])
        if ndim
        else _single_offset(cells)
    )
    changing = None
    if mask is not None:
        changing = truths(function, asarray(mask))
        if changing.type.shape != shape:
            raise FilterError(
                f"{function}: mask and input must have equal shapes, not "
                f"{changing.type.shape} and {shape}"
            )
    return MorphologyStep(fold, cells.shape, offsets, around, bool(border), changing)


def _single_offset(cells: Block) -> tuple[Place, ...]:
    return ((),) if cells else ()


def repeated(step: MorphologyStep, x: Tensor, iterations: Any) -> Tensor:
    """A step as many times as wanted; below 1, until nothing changes, which is computed now."""
    count = integer(iterations)
    for _ in range(count):
        x = step(x)
    return x if count >= 1 else until_stable(step, x)


def until_stable(step: MorphologyStep, x: Tensor) -> Tensor:
    """The cells when no step changes them any more: steps are computed, some at a time."""
    before = Array(x).persist()
    while True:
        now = before.node
        for _ in range(STEPS_BETWEEN_LOOKS):
            now = step(now)
        after = Array(now).persist()
        if not bool((after != before).any()):
            return after.node
        before = after
