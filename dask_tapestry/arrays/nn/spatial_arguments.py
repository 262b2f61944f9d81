"""Arguments of layers along dimensions of space: one for all, or one for each; and padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import numpy as np

from dask_tapestry.amounts import is_several, listed, one_of, whole_number
from dask_tapestry.errors import ArgumentError, ShapeError
from dask_tapestry.operators.joins.pad import pad_constant, pad_edge, pad_reflect, pad_wrap
from dask_tapestry.teg import Tensor

PerAxis = int | Sequence[int]
Mode = Literal["zeros", "reflect", "wrap", "edge"]
Padding = int | Sequence[int | tuple[int, int]] | Literal["same", "valid"]
MODES: Final = ("zeros", "reflect", "wrap", "edge")


def per_axis(name: str, given: PerAxis, rank: int, least: int = 1) -> tuple[int, ...]:
    """The whole numbers `given` for the parameter `name`, one for each dimension of space.

    Examples
    --------
    >>> per_axis("strides", 2, 3), per_axis("strides", (1, 2), 2)
    ((2, 2, 2), (1, 2))
    """
    if not is_several(given):
        return (whole_number(name, given, least),) * rank
    values = tuple([whole_number(name, n, least) for n in listed(given, "whole numbers")])
    if len(values) != rank:
        raise ShapeError(f"{name} {values} are not one for each of {rank} dimensions of space")
    return values


def pads(
    padding: Padding,
    space: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
) -> list[tuple[int, int]]:
    """Cells before and after each dimension of space.

    ``"same"`` gives ``ceil(n / stride)`` windows along n cells, the odd cell after them.

    Examples
    --------
    >>> (
    ...     pads("same", (8, 8), (3, 4), (1, 2), (1, 1)),
    ...     pads((1, (0, 2)), (8, 8), (3, 3), (1, 1), (1, 1)),
    ... )
    ([(1, 1), (1, 1)], [(1, 1), (0, 2)])
    """
    if isinstance(padding, str):
        if one_of("padding", padding, ("same", "valid")) == "valid":
            return [(0, 0)] * len(space)
        found = []
        for n, w, s, d in zip(space, window, strides, dilation, strict=True):
            total = max(0, (-(-n // s) - 1) * s + d * (w - 1) + 1 - n)
            found.append((total // 2, total - total // 2))
        return found
    if not is_several(padding):
        width = whole_number("padding", padding, 0)
        return [(width, width)] * len(space)
    each = listed(padding, "cells before and after")
    if len(each) != len(space):
        raise ShapeError(
            f"padding {padding!r} has no widths for each of {len(space)} dimensions of space"
        )
    return [_pair(one) for one in each]


def _pair(padding: Any) -> tuple[int, int]:
    if not is_several(padding):
        width = whole_number("padding", padding, 0)
        return width, width
    pair = [whole_number("padding", n, 0) for n in listed(padding, "cells before and after")]
    if len(pair) != 2:
        raise ArgumentError(f"padding {padding!r} is not a pair of cells before and after")
    return pair[0], pair[1]


def padded(x: Tensor, widths: Sequence[tuple[int, int]], mode: Mode, fill: Any = 0) -> Tensor:
    """`x` with cells before and after its last dimensions; `fill` where the mode is zeros.

    {Raises}
        {ArgumentError.mode}
        ShapeError: If there are no cells to pad with.
    """
    one_of("padding_mode", mode, MODES)
    first = x.type.ndim - len(widths)
    unpadded = x.type
    for axis, pair in enumerate(widths, start=first):
        if not any(pair):
            continue
        if mode == "zeros":
            value = np.asarray(fill, x.type.dtype)[()]
            x = pad_constant(x, axis, pair, (value, value))
        elif not x.type.shape[axis]:
            raise ShapeError(f"padding_mode={mode!r} has no cells of {unpadded} along axis {axis}")
        elif mode == "reflect":
            x = pad_reflect(x, axis, pair, edge=False)
        else:
            x = pad_wrap(x, axis, pair) if mode == "wrap" else pad_edge(x, axis, pair)
    return x
