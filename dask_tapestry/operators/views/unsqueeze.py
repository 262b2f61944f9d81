"""Unsqueeze: new dimensions of length one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import each_axis, normalize_axes
from dask_tapestry.operators.views.view import View, ViewAxis, ViewSelector
from dask_tapestry.teg import Tensor, TensorType, apply


@dataclass(frozen=True)
class Unsqueeze(ViewSelector):
    """The input with new dimensions of length one, `axes` of the output."""

    name = "unsqueeze"
    axes: tuple[int, ...]

    def view(self, x: TensorType) -> View:
        rest = [dim for dim in range(x.ndim + len(self.axes)) if dim not in self.axes]
        shape = [1] * (x.ndim + len(self.axes))
        for dim, n in zip(rest, x.shape, strict=True):
            shape[dim] = n
        return View(tuple(shape), tuple(ViewAxis(dim, 0, 1) for dim in rest))

    def text(self) -> str:
        return str(self.axes)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.expand_dims(inputs[0], self.axes)


def unsqueeze(x: Tensor, axes: int | Iterable[int]) -> Tensor:
    """Insert dimensions of length one at `axes` of the result, as `numpy.expand_dims` does."""
    new = each_axis(axes)
    return apply(Unsqueeze(normalize_axes(new, x.type.ndim + len(new))), x) if new else x
