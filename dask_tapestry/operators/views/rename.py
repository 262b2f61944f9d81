"""Rename: names of dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.views.view import View, ViewSelector, identity_axes
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.types import Dims


@dataclass(frozen=True)
class Rename(ViewSelector):
    """The input with dimension names `dims`."""

    name = "rename"
    dims: Dims

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dims=self.dims)

    def view(self, x: TensorType) -> View:
        return View(x.shape, identity_axes(x.shape))

    def text(self) -> str:
        return str(self.dims)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return inputs[0]


def rename(x: Tensor, dims: tuple[str | None, ...]) -> Tensor:
    """Name the dimensions of `x`."""
    return apply(Rename(dims if any(dims) else None), x)
