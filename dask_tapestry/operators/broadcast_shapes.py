"""Shapes of operands that are broadcast together, and the error where there is none."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from dask_tapestry.errors import ShapeError


def broadcast_shape(shapes: Iterable[tuple[int, ...]], what: str = "operands") -> tuple[int, ...]:
    """Shape that all `shapes` broadcast to.

    Raises
    ------
    ShapeError
        If there is none; it names `what` and the shapes.

    Examples
    --------
    >>> broadcast_shape([(3, 1), (4,)])
    (3, 4)
    """
    listed = list(shapes)
    if all(shape == listed[0] for shape in listed):
        return listed[0]
    try:
        return np.broadcast_shapes(*listed)
    except ValueError:
        texts = " ".join(map(str, listed))
        raise ShapeError(f"{what} could not be broadcast together with shapes {texts}") from None
