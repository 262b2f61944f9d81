"""Permute: dimensions in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.amounts import integers
from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.views.view import View, ViewAxis, ViewSelector
from dask_tapestry.teg import Tensor, TensorType, apply


@dataclass(frozen=True)
class Permute(ViewSelector):
    """Output dimension i is input dimension ``axes[i]``."""

    name = "permute"
    axes: tuple[int, ...]

    def view(self, x: TensorType) -> View:
        axes = tuple(ViewAxis(self.axes.index(dim), 0, 1) for dim in range(x.ndim))
        return View(tuple(x.shape[axis] for axis in self.axes), axes)

    def text(self) -> str:
        return str(self.axes)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return inputs[0].transpose(self.axes)


def permute(x: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    """Reorder dimensions as `numpy.transpose` does; None reverses them."""
    ndim = x.type.ndim
    if axes is not None and len(axes := integers(axes, "axes")) != ndim:
        raise ShapeError(f"axes don't match array: {tuple(axes)} for {x.type}")
    order = range(ndim)[::-1] if axes is None else [normalize_axis(a, ndim, "axes") for a in axes]
    if sorted(order) != list(range(ndim)):
        raise ShapeError(
            f"axes {tuple(order)} are not a permutation of the {ndim} dimensions of {x.type}"
        )
    return x if tuple(order) == tuple(range(ndim)) else apply(Permute(tuple(order)), x)


def move_to_last(x: Tensor, axis: int, name: str = "axis") -> Tensor:
    """Move a dimension to the end; the others keep their order."""
    number = normalize_axis(axis, x.type.ndim, name)
    return permute(x, [dim for dim in range(x.type.ndim) if dim != number] + [number])
