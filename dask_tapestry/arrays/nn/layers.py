"""Layers of a network: `linear`, `relu`."""

from __future__ import annotations

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.operators.cells.relu import relu as relu_tensor
from dask_tapestry.operators.products.linear import linear as linear_tensors

__all__ = ["linear", "relu"]


def linear(x: ArrayLike, w: ArrayLike, b: ArrayLike | None = None) -> Array:
    """Apply a fully connected layer: ``x @ w + b``.

    {Parameters}
        x: Input, shape (batch, in).
        w: Weights, shape (in, out).
        b: Bias, shape (out,), or None.
    {Returns} Array: Shape (batch, out).
    {Raises} ShapeError: If the shapes are not these; the message names them.

    Notes
    -----
    Source: Tapestry whitepaper, "Returning to Linear".

    {Examples}
    >>> dt.nn.linear(dt.ones((2, 3)), dt.ones((3, 1)), dt.ones(1)).compute()
    array([[4.],
           [4.]])
    """
    bias = None if b is None else asarray(b).node
    return Array(linear_tensors(asarray(x).node, asarray(w).node, bias))


def relu(x: ArrayLike) -> Array:
    """Replace cells below zero by zero; NaN stays NaN.

    {Parameters} x: The input, of any shape.
    {Returns} Array: Shape and dtype of `x`.

    Notes
    -----
    Source: Tapestry whitepaper, "Block Operator Expressions".

    {Examples}
    >>> dt.nn.relu(dt.asarray([-1.0, 2.0])).compute()
    array([0., 2.])
    """
    return Array(relu_tensor(asarray(x).node))
