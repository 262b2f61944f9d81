"""Stack: tensors of one shape joined along a new axis, or interleaved along an old one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.joins.mosaic import MosaicAxis, mosaic
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor


def stack(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Join `tensors`, of one shape, along a new axis, as `numpy.stack` does.

    Raises
    ------
    ShapeError
        If there is no tensor, or their shapes differ.
    """
    if not tensors:
        raise ShapeError("need at least one array to stack")
    _check_one_shape(tensors, "stack")
    number = normalize_axis(axis, tensors[0].type.ndim + 1)
    return concat([unsqueeze(x, number) for x in tensors], number)


def interleave(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """Take the cells of `tensors`, of one shape, in turn along `axis`.

    Source: Tapestry whitepaper, "Selector Nodes": interleave.

    Raises
    ------
    ShapeError
        If there is no tensor, or their shapes differ.
    """
    if not tensors:
        raise ShapeError("need at least one array to interleave")
    _check_one_shape(tensors, "interleave")
    shape = tensors[0].type.shape
    number = normalize_axis(axis, len(shape))
    count = len(tensors)
    progressions = [
        tuple(
            MosaicAxis(turn, count) if dim == number else MosaicAxis(0, 1)
            for dim in range(len(shape))
        )
        for turn in range(count)
    ]
    dtype = np.result_type(*[x.type.dtype for x in tensors])
    alike = [astype(x, dtype) for x in tensors]
    return mosaic(
        alike, progressions, (*shape[:number], count * shape[number], *shape[number + 1 :])
    )


def _check_one_shape(tensors: Sequence[Tensor], name: str) -> None:
    shapes = list(dict.fromkeys(x.type.shape for x in tensors))
    if len(shapes) > 1:
        texts = ", ".join(map(str, shapes))
        raise ShapeError(f"all input arrays must have the same shape to {name}, got {texts}")
