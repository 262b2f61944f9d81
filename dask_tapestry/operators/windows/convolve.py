"""Convolve: a convolution of whole tensors by groups, of the algorithm that their shapes choose."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.joins.axis_slices import slice_axis
from dask_tapestry.operators.products.matmul import product_dtype
from dask_tapestry.operators.tuning import FEW_CHANNEL_PAIRS
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.windows.convolution import Convolution, DirectConvolution, paces
from dask_tapestry.teg import Tensor, apply


def convolve(
    x: Tensor, k: Tensor, strides: Sequence[int], dilation: Sequence[int], groups: int
) -> Tensor:
    """Convolve x (batch, channels, space...) with k (outputs, channels / groups, window...).

    Whether products are added up one by one or by BLAS is a function of dtype and shapes of `k`
    alone: so no plan and no machine changes it.

    Raises
    ------
    ShapeError
        If no window fits, or `groups` do not divide the channels.
    DTypeError
        If cells are not multiplied.
    """
    _check(x, k, groups, dilation)
    dtype = product_dtype(x.type.dtype, k.type.dtype)
    work = np.dtype(np.float32) if dtype == np.float16 else dtype  # as matmul
    batch, channels, *space = x.type.shape
    outputs, own, *window = k.type.shape
    strides, dilation = list(strides), list(dilation)
    for a, (n, w) in enumerate(zip(space, window, strict=True)):
        count = (n - dilation[a] * (w - 1) - 1) // strides[a] + 1
        last = strides[a] * (count - 1) + dilation[a] * (w - 1)
        strides[a], dilation[a], pace = paces(strides[a], dilation[a], count, w)
        if pace > 1 or last + 1 < n:
            x = slice_axis(x, 2 + a, 0, last + 1, pace)
    kind = DirectConvolution if is_direct(work, k.type.shape, groups) else Convolution
    left = reshape(astype(x, work), (batch, groups, channels // groups, *x.type.shape[2:]))
    right = reshape(astype(k, work), (groups, outputs // groups, own, *window))
    made = apply(kind(tuple(strides), tuple(dilation), work), left, right)
    return astype(reshape(made, (batch, outputs, *made.type.shape[3:])), dtype)


def is_direct(dtype: np.dtype[Any], shape: Sequence[int], groups: int) -> bool:
    """Whether products are added up one by one: exact dtypes, and few channels a group.

    Examples
    --------
    >>> f4, i8 = np.dtype("f4"), np.dtype("i8")
    >>> is_direct(f4, (8, 1, 3, 3), 8), is_direct(f4, (8, 8, 3, 3), 1), is_direct(i8, (8, 8, 3), 1)
    (True, False, True)
    """
    return dtype.kind in "biu" or shape[1] * (shape[0] // max(1, groups)) <= FEW_CHANNEL_PAIRS


def _check(x: Tensor, k: Tensor, groups: int, dilation: Sequence[int]) -> None:
    says = f"convolution of x {x.type} with k {k.type}"
    if x.type.ndim < 3 or x.type.ndim != k.type.ndim:
        raise ShapeError(
            f"{says}: x is (batch, channels, space...) and k (outputs, channels / groups, "
            "window...), both of the same number of dimensions and of one of space at least"
        )
    channels, (outputs, own) = x.type.shape[1], k.type.shape[:2]
    if channels != own * groups or outputs % groups:
        raise ShapeError(
            f"{says}: with groups={groups} it needs k of {channels}/{groups} channels, and outputs "
            f"that {groups} divides"
        )
    if not prod(k.type.shape[2:]):
        raise ShapeError(f"{says}: a window has a cell at least")
    for n, w, d in zip(x.type.shape[2:], k.type.shape[2:], dilation, strict=True):
        if d * (w - 1) + 1 > n:
            apart = f", {d} apart," if d > 1 else ""
            raise ShapeError(f"{says}: a window of {w} cells{apart} does not fit {n} cells")
