"""Linear: a fully connected layer, which expands to matmul and add."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.products.matmul import product_dtype
from dask_tapestry.teg import BlockOperator, IndexDim, Kind, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class Linear(BlockOperator):
    """``z[batch, out] = sum over in of x[batch, in] * w[in, out], + b[out]``.

    Source: Tapestry whitepaper, "Sharding Linear, and Matmul, over the in dimension".
    """

    name = "linear"
    kernel = "linear"
    multithreaded = True

    def infer(self, *inputs: TensorType) -> TensorType:
        x, w = inputs[:2]
        dtype = product_dtype(x.dtype, w.dtype)
        if len(inputs) == 3:
            dtype = np.result_type(dtype, inputs[2].dtype)
        dims = (*(x.dims or (None, None))[:-1], w.dims[-1] if w.dims else None)
        named = any(dims) and len(set(dims) - {None}) == sum(d is not None for d in dims)
        return TensorType((x.shape[0], w.shape[1]), dtype, dims if named else None)

    def signature(self, *inputs: TensorType) -> Signature:
        x, w = inputs[:2]
        point = (1, 1)
        index = (
            IndexDim("batch", x.shape[0]),
            IndexDim("out", w.shape[1]),
            IndexDim("in", x.shape[1], Kind.REDUCTION),
        )
        reads = (
            IndexProjection(((1, 0, 0), (0, 0, 1)), (0, 0), point),
            IndexProjection(((0, 0, 1), (0, 1, 0)), (0, 0), point),
            IndexProjection(((0, 1, 0),), (0,), (1,)),
        )
        writes = IndexProjection(((1, 0, 0), (0, 1, 0)), (0, 0), point)
        return Signature(index, reads[: len(inputs)], (writes,))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"dtype": self.infer(*inputs).dtype}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return 2 * box.size * inputs[0].shape[-1]

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, w, *b = inputs
        return np.asarray(x @ w + b[0] if b else x @ w)


def linear(x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    """Fully connected layer ``x @ w + b`` with x (batch, in), w (in, out) and b (out,).

    Raises
    ------
    ShapeError
        If the shapes are not these; the text says which.
    """
    shapes = f"x {x.type}, w {w.type}" + (f", b {b.type}" if b is not None else "")
    if x.type.ndim != 2 or w.type.ndim != 2 or (b is not None and b.type.ndim != 1):
        raise ShapeError(f"linear takes x (batch, in), w (in, out) and b (out,): got {shapes}")
    if x.type.shape[1] != w.type.shape[0]:
        raise ShapeError(f"linear: dimension in differs between x and w: {shapes}")
    if b is not None and b.type.shape[0] != w.type.shape[1]:
        raise ShapeError(f"linear: dimension out differs between w and b: {shapes}")
    return apply(Linear(), x, w) if b is None else apply(Linear(), x, w, b)
