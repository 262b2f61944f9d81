"""Sequences moved over each other: `convolve` and `correlate`."""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.elementwise.ufuncs import conjugate
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.joins.pad import pad_constant
from dask_tapestry.operators.products.matmul import product_dtype
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.reverse import reverse
from dask_tapestry.operators.windows.convolve import convolve as convolve_tensors

__all__ = ["convolve", "correlate"]

Mode = Literal["full", "same", "valid"]
MODES: Final = ("full", "same", "valid")


@implements(np.convolve)
def convolve(a: ArrayLike, v: ArrayLike, mode: Mode = "full") -> Array:
    """Convolve two sequences, as `numpy.convolve`.

    {Parameters}
        a, v: Sequences, shapes (n,) and (m,); the shorter one is moved over the other.
        mode: ``"full"`` for all ``n + m - 1`` sums, ``"same"`` for the middle ``max(n, m)``,
            ``"valid"`` for those where the shorter one lies within the other.
    {Returns} Array: One dimension. Sums are taken in the order of the shorter sequence, so they
        have the same bits for every sharding; NumPy's lie within rounding.
    {Raises}
        ShapeError: If a sequence is empty or has more dimensions.
        {ArgumentError.mode}
        DTypeError: If cells are not multiplied.
    {See Also} correlate, nn.conv
    {Examples}
    >>> dt.convolve([1, 2, 3], [1, 10]).compute()
    array([ 1, 12, 23, 30])
    """
    first, second = _sequences("convolve", a, v)
    if second.size > first.size:
        first, second = second, first
    return _moved(first, Array(reverse(second.node, 0)), mode)


@implements(np.correlate)
def correlate(a: ArrayLike, v: ArrayLike, mode: Mode = "valid") -> Array:
    """Correlate two sequences, as `numpy.correlate`: ``c[k] = sum of a[n + k] * conj(v[n])``.

    {Parameters}
        a, v: Sequences, shapes (n,) and (m,).
        mode: As of `convolve`.
    {Returns} Array: One dimension, as of `convolve`.
    {Raises}
        ShapeError: If a sequence is empty or has more dimensions.
        {ArgumentError.mode}
        DTypeError: If cells are not multiplied.
    {See Also} convolve, nn.conv
    {Examples}
    >>> dt.correlate([1, 2, 3], [0, 1], mode="same").compute()
    array([1, 2, 3])
    """
    first, second = _sequences("correlate", a, v)
    other = conjugate(second) if second.dtype.kind == "c" else second
    if second.size <= first.size:
        return _moved(first, other, mode)
    return Array(reverse(_moved(other, first, mode).node, 0))


def _sequences(name: str, a: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """Both as arrays of one dimension."""
    sequences = [asarray(sequence) for sequence in (a, v)]
    for label, sequence in zip("av", sequences, strict=True):
        if sequence.ndim > 1:
            raise ShapeError(f"{name} takes sequences: {label} has shape {sequence.shape}")
        if not sequence.size:
            raise ShapeError(f"{name}: {label} cannot be empty")
    product_dtype(sequences[0].dtype, sequences[1].dtype)
    first, second = [Array(reshape(sequence.node, (sequence.size,))) for sequence in sequences]
    return first, second


def _moved(a: Array, v: Array, mode: Mode) -> Array:
    """Sums of products of `v` with the cells of the longer `a` that it lies over."""
    n, m = a.size, v.size
    widths = {"full": (m - 1, m - 1), "same": (m // 2, m - m // 2 - 1), "valid": (0, 0)}
    before, after = widths[one_of("mode", mode, MODES)]
    zero = np.zeros((), a.dtype)[()]
    cells = pad_constant(a.node, 0, (before, after), (zero, zero)) if before + after else a.node
    line = reshape(cells, (1, 1, n + before + after))
    made = convolve_tensors(line, reshape(v.node, (1, 1, m)), (1,), (1,), 1)
    return Array(reshape(made, (made.type.shape[-1],)))
