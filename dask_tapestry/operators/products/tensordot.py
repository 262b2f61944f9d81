"""Tensordot: sums of products of two tensors whose dimensions carry labels, for einsum too.

A label that both tensors have and the result has not is contracted: the other dimensions are rows
and columns of a matrix product. Several dimensions of rows stay apart, so that each may be cut.
Cells are multiplied and reduced, which has the same bits for every sharding, where there are
neither rows nor columns, and where one tensor weighs cells of the other of which a product would
have a copy: windows and other repeated cells, and dimensions between those that stay.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.first import first_of
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.joins.diagonal import diagonal
from dask_tapestry.operators.products.matmul import matmul, product_dtype
from dask_tapestry.operators.products.repeated_cells import repeats_cells
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.tuning import LEAST_PRODUCT_ROWS
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.squeeze import squeeze
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor


class Labelled(NamedTuple):
    """A tensor and a label for each of its dimensions, all different."""

    tensor: Tensor
    labels: tuple[str, ...]

    def size(self, label: str) -> int:
        """Extent of the dimension `label`."""
        return self.tensor.type.shape[self.labels.index(label)]


def working_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Dtype in which sums of products of `dtype` are computed: float16 ones in float32.

    Raises
    ------
    DTypeError
        If there is none.
    """
    if dtype.kind not in "biufc":
        raise DTypeError(f"sums of products are not defined for dtype {dtype_name(dtype)}")
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def with_diagonals(x: Tensor, labels: Sequence[str]) -> Labelled:
    """`x` with dimensions of one label replaced by their diagonal."""
    names = list(labels)
    while len(set(names)) < len(names):
        label = first_of((name for name in names if names.count(name) > 1), "label twice")
        first = names.index(label)
        second = names.index(label, first + 1)
        if x.type.shape[first] != x.type.shape[second]:
            raise ShapeError(
                f"dimensions in an operand for collapsing index {label!r} don't match "
                f"({x.type.shape[first]} != {x.type.shape[second]})"
            )
        x = diagonal(x, 0, first, second)
        names = [n for axis, n in enumerate(names) if axis not in (first, second)] + [label]
    return Labelled(x, tuple(names))


def summed(x: Labelled, keep: Collection[str]) -> Labelled:
    """`x` summed over the labels that are not kept, in its own dtype."""
    axes = [axis for axis, label in enumerate(x.labels) if label not in keep]
    if not axes:
        return x
    working_dtype(x.tensor.type.dtype)
    total = reduce(x.tensor, "sum", axes, dtype=x.tensor.type.dtype)
    return Labelled(total, tuple(label for label in x.labels if label in keep))


def arranged(x: Labelled, labels: Sequence[str]) -> Tensor:
    """The tensor with its dimensions in the order of `labels`, which may name new ones."""
    have = [label for label in labels if label in x.labels]
    tensor = permute(x.tensor, [x.labels.index(label) for label in have])
    new = [axis for axis, label in enumerate(labels) if label not in x.labels]
    return unsqueeze(tensor, new) if new else tensor


def contracted(x: Labelled, w: Labelled, keep: Collection[str]) -> Labelled:
    """Multiply `x` and `w`, of one dtype, and sum over the labels that are not kept."""
    x, w = _without_ones(x, w), _without_ones(w, x)
    if _weighs_repeated_cells(x, w) or _weighs_repeated_cells(w, x):
        return _multiplied_and_summed(x, w, keep)
    x, w = summed(x, {*keep, *w.labels}), summed(w, {*keep, *x.labels})
    both = [label for label in x.labels if label in w.labels]
    batch = [label for label in both if label in keep]
    folded = [label for label in both if label not in keep]
    rows = [label for label in x.labels if label not in both]
    columns = [label for label in w.labels if label not in both]
    labels = (*batch, *rows, *columns)
    weighs_copy = not (rows and columns) and _is_between(folded, x if rows else w)
    if not folded or not (rows or columns) or weighs_copy:
        return _multiplied_and_summed(x, w, labels)
    if len(columns) > 1 and w.tensor.type.size > x.tensor.type.size:
        return contracted(w, x, keep)  # its dimensions stay apart where they are rows
    apart = _separate_rows([x.size(i) for i in rows])
    left = _joined(arranged(x, (*batch, *rows, *folded)), len(batch) + apart, len(rows) - apart)
    right = _joined(arranged(w, (*batch, *folded, *columns)), len(batch), len(folded))
    product = matmul(left, unsqueeze(right, range(len(batch), len(batch) + apart)))
    last = len(batch) + apart + 1
    if not columns:
        product = squeeze(product, last)
    elif not rows:
        product = squeeze(product, last - 1)
    shape = [*[x.size(i) for i in (*batch, *rows)], *[w.size(i) for i in columns]]
    return Labelled(reshape(product, shape), labels)


def _separate_rows(rows: Sequence[int]) -> int:
    """How many of the first rows' dimensions stay as they are, and so may be cut one by one.

    The last ones are joined until they are enough rows for BLAS.
    """
    apart = max(0, len(rows) - 1)
    while apart > 0 and prod(rows[apart:]) < LEAST_PRODUCT_ROWS:
        apart -= 1
    return apart


def _multiplied_and_summed(x: Labelled, w: Labelled, keep: Collection[str]) -> Labelled:
    """The sum of products, without a product of matrices; dimensions are in no set order."""
    every = (*x.labels, *(label for label in w.labels if label not in x.labels))
    labels = (*(i for i in every if i in keep), *(i for i in every if i not in keep))
    product = elementwise("multiply", arranged(x, labels), arranged(w, labels))
    return summed(Labelled(product, labels), keep)


def _weighs_repeated_cells(w: Labelled, x: Labelled) -> bool:
    """Whether `w` has no dimension of its own, and `x` is windows, or what else repeats cells."""
    return set(w.labels) < set(x.labels) and repeats_cells(x.tensor)


def _is_between(folded: Sequence[str], x: Labelled) -> bool:
    """Whether labels of `x` are neither its first nor its last ones, side by side.

    A product of matrices and vectors would then have a copy of `x`: multiplying and adding up takes
    half its time. Of an `x` that lies as BLAS takes it, a product is the faster one.
    """
    turns = sum((a in folded) != (b in folded) for a, b in pairwise(x.labels))
    return turns > 1


def _without_ones(x: Labelled, other: Labelled) -> Labelled:
    """`x` without the dimensions of length one that broadcast against `other`'s."""
    unit_axes = [
        axis
        for axis, label in enumerate(x.labels)
        if x.tensor.type.shape[axis] == 1 and label in other.labels and other.size(label) != 1
    ]
    labels = tuple(label for axis, label in enumerate(x.labels) if axis not in unit_axes)
    return Labelled(squeeze(x.tensor, unit_axes), labels) if unit_axes else x


def _joined(x: Tensor, batch: int, first: int) -> Tensor:
    """`x` as (batch, rows, columns): rows join its next `first` dimensions, columns the rest."""
    shape, middle = x.type.shape, batch + first
    if not first:
        return _joined(unsqueeze(x, batch), batch, 1)
    if middle == len(shape):
        return _joined(unsqueeze(x, middle), batch, first)
    return reshape(x, (*shape[:batch], prod(shape[batch:middle]), prod(shape[middle:])))


def tensordot(x: Tensor, w: Tensor, x_axes: Sequence[int], w_axes: Sequence[int]) -> Tensor:
    """Sum products over pairs of dimensions, as `numpy.tensordot` does.

    Raises
    ------
    ShapeError
        If the axes are not as many on both sides, repeat, or their extents differ.
    """
    x_contracted = [normalize_axis(axis, x.type.ndim) for axis in x_axes]
    w_contracted = [normalize_axis(axis, w.type.ndim) for axis in w_axes]
    if len(x_contracted) != len(w_contracted) or any(
        x.type.shape[a] != w.type.shape[b] for a, b in zip(x_contracted, w_contracted, strict=True)
    ):
        raise ShapeError(
            f"shape-mismatch for sum: axes {x_contracted} of {x.type}, {w_contracted} of {w.type}"
        )
    if len(set(x_contracted)) < len(x_contracted) or len(set(w_contracted)) < len(w_contracted):
        raise ShapeError("duplicate axes are not allowed in tensordot")
    x_labels = [f"x{axis}" for axis in range(x.type.ndim)]
    w_labels = [f"w{axis}" for axis in range(w.type.ndim)]
    for a, b in zip(x_contracted, w_contracted, strict=True):
        w_labels[b] = x_labels[a]
    keep = [i for i in (*x_labels, *w_labels) if (i in x_labels) != (i in w_labels)]
    return product_of(x, x_labels, w, w_labels, keep)


def product_of(
    x: Tensor, x_labels: Sequence[str], w: Tensor, w_labels: Sequence[str], keep: Sequence[str]
) -> Tensor:
    """Sum of products of two tensors, in the dtype of their matrix product."""
    dtype = product_dtype(x.type.dtype, w.type.dtype)
    work = working_dtype(dtype)
    left, right = Labelled(astype(x, work), tuple(x_labels)), astype(w, work)
    result = contracted(left, Labelled(right, tuple(w_labels)), keep)
    return astype(arranged(result, keep), dtype)
