"""Squeeze: dimensions of length one dropped."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.operators.views.view import View, ViewAxis, ViewSelector
from dask_tapestry.teg import Tensor, TensorType, apply


@dataclass(frozen=True)
class Squeeze(ViewSelector):
    """The input without its `axes`, each of length one."""

    name = "squeeze"
    axes: tuple[int, ...]

    def view(self, x: TensorType) -> View:
        kept = [dim for dim in range(x.ndim) if dim not in self.axes]
        axes = tuple(
            ViewAxis(kept.index(dim) if dim in kept else -1, 0, 1) for dim in range(x.ndim)
        )
        return View(tuple(x.shape[dim] for dim in kept), axes)

    def text(self) -> str:
        return str(self.axes)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.squeeze(inputs[0], self.axes)


def squeeze(x: Tensor, axes: Axes = None) -> Tensor:
    """Drop `axes`, by default all of length one, as `numpy.squeeze` does."""
    shape = x.type.shape
    if axes is None:
        chosen = tuple(dim for dim, n in enumerate(shape) if n == 1)
    elif not shape and isinstance(axes, int) and axes in (0, -1):
        return x  # as NumPy does
    else:
        chosen = normalize_axes(axes, x.type.ndim)
    long = [axis for axis in chosen if shape[axis] != 1]
    if long:
        raise ShapeError(f"cannot squeeze axes {long} of {x.type}: their size is not one")
    return apply(Squeeze(chosen), x) if chosen else x
