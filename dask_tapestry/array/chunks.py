"""Chunks as users write them: every form that Dask takes."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from operator import index
from typing import Any

import numpy as np
from dask.utils import parse_bytes

from dask_tapestry.config import get as setting
from dask_tapestry.errors import ShapeError
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import Cuts


def cuts_from(chunks: Any, type_: TensorType) -> tuple[Cuts, ...]:
    """Cuts for `chunks`: a length, one for each dimension, explicit lengths, a dict, "auto", bytes.

    -1 and None leave a dimension whole.

    Raises
    ------
    ShapeError
        If they do not fit the shape.

    Examples
    --------
    >>> import numpy as np
    >>> [str(c) for c in cuts_from((2, (1, 5)), TensorType((4, 6), np.dtype("f8")))]
    ['2x2', '(1, 5)']
    """
    if isinstance(chunks, str | int | np.integer | None):
        chunks = (chunks,) * type_.ndim
    if isinstance(chunks, Mapping):
        names = type_.dims or ()
        wanted: dict[int, Any] = {
            names.index(k) if isinstance(k, str) else index(k) % max(type_.ndim, 1): v
            for k, v in chunks.items()
        }
        chunks = tuple(wanted.get(dim, -1) for dim in range(type_.ndim))
    given = tuple(chunks)
    if type_.ndim == 1 and len(given) != 1 and all(isinstance(n, int | np.integer) for n in given):
        given = (given,)
    if len(given) != type_.ndim:
        raise ShapeError(f"chunks {chunks} do not fit the {type_.ndim} dimensions of {type_}")
    auto = [dim for dim, one in enumerate(given) if isinstance(one, str)]
    lengths = _auto_lengths(given, auto, type_)
    return tuple(_cuts(lengths.get(dim, one), type_, dim) for dim, one in enumerate(given))


def _cuts(one: Any, type_: TensorType, dim: int) -> Cuts:
    extent = type_.shape[dim]
    if one is None or (isinstance(one, int | np.integer) and one == -1):
        return Cuts.regular(extent, max(extent, 1))
    if isinstance(one, tuple | list):
        lengths = [index(n) for n in one]
        if sum(lengths) != extent or any(n < 0 for n in lengths):
            raise ShapeError(
                f"chunks {tuple(one)} do not add up to {extent}, axis {dim} of {type_}"
            )
        return Cuts.of_lengths(lengths)
    length = index(one)
    if length < 1:
        raise ShapeError(f"chunk length {length} of axis {dim} must be at least 1, or -1")
    return Cuts.regular(extent, length)


def _auto_lengths(given: tuple[Any, ...], auto: list[int], type_: TensorType) -> dict[int, int]:
    """Lengths along the dimensions left to us, so that a block has about the wanted bytes."""
    if not auto:
        return {}
    texts = {given[dim] for dim in auto} - {"auto"}
    limit = parse_bytes(texts.pop() if texts else setting("block-bytes"))
    fixed = prod(
        one
        if isinstance(one, int) and one > 0
        else max(one)
        if isinstance(one, tuple) and one
        else n
        for dim, (one, n) in enumerate(zip(given, type_.shape, strict=True))
        if dim not in auto
    )
    cells = max(1, int(limit) // max(1, type_.dtype.itemsize * fixed))
    lengths = {}
    for place, dim in enumerate(auto):
        rest = prod(max(1, type_.shape[d]) for d in auto[place + 1 :])
        lengths[dim] = max(1, min(type_.shape[dim] or 1, cells // rest))
        cells = max(1, cells // lengths[dim])
    return lengths
