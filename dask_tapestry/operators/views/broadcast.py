"""Broadcast: dimensions of length one, and new leading ones, repeated without a copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.views.view import View, ViewAxis, ViewSelector
from dask_tapestry.teg import Tensor, TensorType, apply


@dataclass(frozen=True)
class Broadcast(ViewSelector):
    """The input broadcast to `shape` by NumPy's rule, without a copy."""

    name = "broadcast"
    shape: tuple[int, ...]

    def view(self, x: TensorType) -> View:
        lead = len(self.shape) - x.ndim
        axes = tuple(
            ViewAxis(-1 if n == 1 and self.shape[lead + dim] != 1 else lead + dim, 0, 1)
            for dim, n in enumerate(x.shape)
        )
        return View(self.shape, axes)

    def text(self) -> str:
        return str(self.shape)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.broadcast_to(inputs[0], self.shape)


def broadcast(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Repeat `x` to `shape`, as `numpy.broadcast_to` does."""
    if x.type.shape == shape:
        return x
    tail = shape[len(shape) - x.type.ndim :] if x.type.ndim else ()
    fits = len(shape) >= x.type.ndim and all(
        n in (1, m) for n, m in zip(x.type.shape, tail, strict=True)
    )
    if not fits:
        raise ShapeError(f"{x.type} cannot be broadcast to shape {shape}")
    return apply(Broadcast(shape), x)
