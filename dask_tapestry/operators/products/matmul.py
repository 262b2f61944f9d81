"""Matmul: matrix products, whole or in parts along the contracted dimension."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.reductions.contraction import Contraction
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.tuning import (
    LEAST_STRIP_ROWS,
    PRODUCT_STRIP_BYTES,
    SMALL_MATRIX_BYTES,
)
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.squeeze import squeeze
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import (
    CELL_BY_CELL,
    IndexDim,
    Kind,
    Signature,
    Split,
    Tensor,
    TensorType,
    Turns,
    apply,
)
from dask_tapestry.teg.operator import Types, by_signature, clipped, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class MatMul(Contraction):
    """``x[..., m, k] @ w[..., k, n]`` in `dtype`; with `part`, one for each `part` cells of k.

    These products, of shape (parts, ..., m, n), are to be summed. BLAS computes them, and its bits
    depend on the block's shape: values are within rounding of NumPy's, not equal to them.
    """

    name = "matmul"
    kernel = "matmul"
    multithreaded = True
    dtype: np.dtype[Any]
    part: int | None = None

    def infer(self, *inputs: TensorType) -> TensorType:
        x, w = inputs
        parts = () if self.part is None else (-(-x.shape[-1] // self.part),)
        dims = None
        if x.dims or w.dims:
            names = (x.dims or (None,) * x.ndim)[:-1]
            last = w.dims[-1] if w.dims and w.dims[-1] not in names else None
            dims = (*(None,) * len(parts), *names, last)
        return TensorType((*parts, *x.shape[:-1], w.shape[-1]), self.dtype, dims)

    def signature(self, *inputs: TensorType) -> Signature:
        x, w = inputs
        batch = x.ndim - 2
        step = self.part or 1
        steps = -(-x.shape[-1] // step)
        index = (
            *[IndexDim(f"b{i}", n) for i, n in enumerate(x.shape[:-2])],
            IndexDim("m", x.shape[-2]),
            IndexDim("n", w.shape[-1]),
            IndexDim("k", steps, Kind.REDUCTION if self.part is None else Kind.PARALLEL),
        )
        m, n, k = batch, batch + 1, batch + 2
        batch_dims = tuple(range(batch))
        outputs = (*batch_dims, m, n) if self.part is None else (k, *batch_dims, m, n)
        return Signature(
            index,
            (
                _project((*batch_dims, m, k), len(index), {k: step}),
                _project((*batch_dims, k, n), len(index), {k: step}),
            ),
            (_project(outputs, len(index), {}),),
        )

    def transposed_inputs(self, inputs: Types) -> tuple[int, ...] | None:
        return 1, 0

    def folded(self, inputs: Types) -> int | None:
        return inputs[0].ndim if self.part is None else None

    def in_parts(self, part: int) -> MatMul:
        return replace(self, part=part)

    def combine(self, parts: Tensor) -> Tensor:
        return reduce(parts, "sum", 0, dtype=self.dtype, tree=Tree(parts.type.shape[:1]))

    def turns(self, inputs: Types) -> Turns | None:
        """A few cells of the contracted dimension at a time, whose products are added.

        Of a stack of small matrices some at a time, with all that they are made of.
        """
        if self.part is None and are_small(inputs, self.infer(*inputs)):
            return CELL_BY_CELL
        terms = inputs[0].shape[-1]

        def sums(box: ZRange) -> ZRange | None:
            if self.part is None:
                return box.embed(0, 0, terms)
            if box.shape[0] > 1:
                return None
            first = box.lo[0] * self.part
            return box.replace(0, first, min(first + self.part, terms))

        return Turns((1,), lambda _: Split(AddedProduct(self.dtype, 1), None, sums))

    regularity = by_signature
    demanding = clipped

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        boxes = signature_of(self, inputs).demand(box)
        return tuple(x.clip(b) for b, x in zip(boxes, inputs, strict=True))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"dtype": self.dtype, "part": self.part}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return 2 * (box.size * min(inputs[0].shape[-1], self.part or inputs[0].shape[-1]))

    def text(self) -> str:
        return "" if self.part is None else f"parts of {self.part}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, w = inputs
        if self.part is None:
            return np.asarray(x @ w)
        cuts = range(0, x.shape[-1], self.part)
        return np.stack([x[..., c : c + self.part] @ w[..., c : c + self.part, :] for c in cuts])


def are_small(inputs: Types, product: TensorType) -> bool:
    """Whether matrices are the cells of a stack, small enough that many of them are a piece."""
    stacked = product.ndim > 2 and prod(product.shape[:-2]) > 1
    sides = [prod(x.shape[-2:]) * x.dtype.itemsize for x in (*inputs, product)]
    return stacked and sum(sides) <= SMALL_MATRIX_BYTES


@dataclass(frozen=True)
class AddedProduct(MatMul):
    """Adds the products of some cells of the contracted dimension to a block.

    Its output, which is never in memory, is one product for each of these cells.
    """

    name = "addedproduct"
    kernel = "add_product"

    def turns(self, inputs: Types) -> Turns | None:
        return None

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"dtype": self.dtype, "rows": self._strip(box)}

    def _strip(self, box: ZRange) -> int:
        """Rows that are multiplied at a time; all of a small product: BLAS halves ``a.T @ a``."""
        *batch, _, columns = box.shape[1:]
        row = prod(batch) * columns * self.dtype.itemsize
        return max(LEAST_STRIP_ROWS, PRODUCT_STRIP_BYTES // max(1, row))

    def block_bytes(self, type_: TensorType, box: ZRange) -> int:
        """None: it adds to a block that is there."""
        return 0

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """A strip of the product."""
        *batch, rows, columns = box.shape[1:]
        return prod(batch) * min(rows, self._strip(box)) * columns * self.dtype.itemsize


def _project(axes: tuple[int, ...], ndim: int, steps: dict[int, int]) -> IndexProjection:
    """Projection whose output axis i follows index dimension ``axes[i]``."""
    matrix = tuple(
        tuple(steps.get(dim, 1) if dim == axis else 0 for dim in range(ndim)) for axis in axes
    )
    shape = tuple(steps.get(axis, 1) for axis in axes)
    return IndexProjection(matrix, (0,) * len(axes), shape, in_ndim=ndim)


def matmul(x: Tensor, w: Tensor) -> Tensor:
    """Matrix product as `numpy.matmul`: vectors are promoted, leading dimensions broadcast.

    Raises
    ------
    ShapeError
        If an operand has no dimension or the contracted ones differ.
    DTypeError
        If there is no product of these dtypes.
    """
    if not x.type.ndim or not w.type.ndim:
        raise ShapeError(f"matmul takes arrays of at least one dimension: {x.type}, {w.type}")
    row, column = x.type.ndim == 1, w.type.ndim == 1
    left = unsqueeze(x, 0) if row else x
    right = unsqueeze(w, 1) if column else w
    if left.type.shape[-1] != right.type.shape[-2]:
        raise ShapeError(
            f"matmul contracts the last dimension of {x.type} with the "
            f"{'only' if column else 'second to last'} one of {w.type}: sizes differ"
        )
    dtype = product_dtype(x.type.dtype, w.type.dtype)
    batch = broadcast_shape((left.type.shape[:-2], right.type.shape[:-2]), "matmul operands")
    work = np.dtype(np.float32) if dtype == np.float16 else dtype  # 81 against .66 GFLOP/s
    left = broadcast(astype(left, work), (*batch, *left.type.shape[-2:]))
    right = broadcast(astype(right, work), (*batch, *right.type.shape[-2:]))
    product = astype(apply(MatMul(work), left, right), dtype)
    pinned = [len(batch)] * row + [len(batch) + 1] * column
    return squeeze(product, pinned) if pinned else product


def product_dtype(x: np.dtype[Any], w: np.dtype[Any]) -> np.dtype[Any]:
    """Dtype of a matrix product."""
    missing = f"matmul has no loop for ({dtype_name(x)}, {dtype_name(w)})"
    try:
        dtype = np.matmul.resolve_dtypes((x, w, None))[2]
    except TypeError as error:
        raise DTypeError(f"{missing}: {error}") from None
    if dtype.kind not in "biufc":
        raise DTypeError(missing)
    return dtype
