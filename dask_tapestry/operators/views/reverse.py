"""Reverse: some axes run backwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import Axes, normalize_axes
from dask_tapestry.operators.views.view import View, ViewAxis, ViewSelector
from dask_tapestry.teg import Tensor, TensorType, apply


@dataclass(frozen=True)
class Reverse(ViewSelector):
    """The input with `axes` reversed."""

    name = "reverse"
    axes: tuple[int, ...]

    def view(self, x: TensorType) -> View:
        axes = tuple(
            ViewAxis(dim, n - 1, -1) if dim in self.axes and n else ViewAxis(dim, 0, 1)
            for dim, n in enumerate(x.shape)
        )
        return View(x.shape, axes)

    def text(self) -> str:
        return str(self.axes)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.flip(inputs[0], self.axes)


def reverse(x: Tensor, axes: Axes = None) -> Tensor:
    """Reverse the order of cells along `axes`, all of them by default, as `numpy.flip` does."""
    return apply(Reverse(normalize_axes(axes, x.type.ndim)), x)
