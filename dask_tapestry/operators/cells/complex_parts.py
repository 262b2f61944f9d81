"""Real and imaginary parts, and what is made of them."""

from __future__ import annotations

import numpy as np

from dask_tapestry.operators.cells.elementwise import Elementwise, cell_call, elementwise
from dask_tapestry.teg import Node, Tensor


def real_part(x: Tensor) -> Tensor:
    """Return the real part of each cell; real cells are their own.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> real_part(dt.ones(3, "c8").node).type.dtype
    dtype('float32')
    """
    return _part("real", x) if x.type.dtype.kind == "c" else x


def imag_part(x: Tensor) -> Tensor:
    """Return the imaginary part of each cell, which is complex."""
    return _part("imag", x)


def is_complex_part(node: Node) -> bool:
    """Whether a node is the real or the imaginary part of another one's cells, and no more."""
    if not isinstance(node.operator, Elementwise):
        return False
    return [step.function for step in node.operator.expression.steps] in (["real"], ["imag"])


def square_modulus(x: Tensor) -> Tensor:
    """Return ``abs(x) ** 2`` for each cell, computed without a square root."""
    if x.type.dtype.kind != "c":
        return elementwise("square", x)
    squares = [elementwise("square", part) for part in (real_part(x), imag_part(x))]
    return elementwise("add", *squares)


def _part(name: str, x: Tensor) -> Tensor:
    dtype = x.type.dtype
    return cell_call(name, [x], [dtype], np.dtype(dtype.char.lower()))
