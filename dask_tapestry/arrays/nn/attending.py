"""Rows as means of other rows, weighted by how alike they are: `attention`."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import real, truth
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.linalg.products import matmul
from dask_tapestry.arrays.nn.normalizing import exponentials, floating
from dask_tapestry.arrays.statistics.reductions import sum as total
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.generators.coordinates import coordinates

__all__ = ["attention"]


def attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    mask: ArrayLike | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Array:
    """Scaled dot-product attention: ``softmax(q @ k.T * scale) @ v``.

    {Parameters}
        q: Queries, shape (..., L, E).
        k: Keys, shape (..., S, E).
        v: Values, shape (..., S, V).
        mask: Shape that broadcasts to (..., L, S): of truth values, which keys a query sees; of
            other numbers, what is added to its scores. None for nothing.
        causal: Whether query i sees keys 0 to i alone.
        scale: What scores are multiplied with; by default ``1 / sqrt(E)``.
    {Returns} Array: Shape (..., L, V), of the dtype of a product; of float16 it is computed in
        float32. Rows of queries that see no key are NaN. It ends in BLAS: values are within
        rounding for every sharding.
    {Raises}
        ShapeError: If the shapes do not fit together.
        {DTypeError.real}
    {See Also} softmax, matmul

    Notes
    -----
    Scores of the rows of a block are in memory alone, never all: a plan cuts the queries where
    those would not fit.

    Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.

    {Examples}
    >>> v = dt.asarray([[1.0], [3.0]])
    >>> dt.nn.attention(dt.zeros((2, 4)), dt.zeros((2, 4)), v, causal=True).compute()
    array([[1.],
           [2.]])
    """
    operands = [asarray(operand) for operand in (q, k, v)]
    _check(*operands)
    queries, keys, rows = [floating("attention", operand) for operand in operands]
    side = queries.shape[-1]
    factor = real("scale", scale) if scale is not None else 1 / sqrt(side) if side else 1.0
    scores = matmul(queries * queries.dtype.type(factor), keys.mT)
    length, count = scores.shape[-2:]
    if mask is not None:
        mask_array = asarray(mask)
        if mask_array.dtype.kind not in "biuf":
            raise DTypeError(
                f"attention takes a mask of truth values or numbers, not {mask_array.dtype}"
            )
        try:
            fits = np.broadcast_shapes(mask_array.shape, scores.shape) == scores.shape
        except ValueError:
            fits = False
        if not fits:
            raise ShapeError(
                f"attention: a mask {mask_array.shape} does not fit scores {scores.shape}"
            )
        hidden = scores.dtype.type(-np.inf)
        plain = mask_array.dtype.kind == "b"
        scores = (
            where(mask_array, scores, hidden) if plain else scores + mask_array.astype(scores.dtype)
        )
    if truth("causal", causal):
        order = [Array(coordinates((length, count), axis)) for axis in (0, 1)]
        scores = where(order[0] >= order[1], scores, scores.dtype.type(-np.inf))
    weights = exponentials(scores, -1)
    averages = matmul(weights, rows) / total(weights, axis=-1, keepdims=True)
    half = all(operand.dtype == np.float16 for operand in operands)
    return averages.astype(np.float16) if half else averages


def _check(q: Array, k: Array, v: Array) -> None:
    shapes = f"q {q.shape}, k {k.shape}, v {v.shape}"
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise ShapeError(f"attention takes q (..., L, E), k (..., S, E), v (..., S, V): {shapes}")
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ShapeError(f"attention: E of q and k, or S of k and v, differ: {shapes}")
    if not k.shape[-2]:
        raise ShapeError(f"attention over no keys: {shapes}")
