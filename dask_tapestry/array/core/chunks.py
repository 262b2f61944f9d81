"""Chunks as users write them: every form that Dask takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
from dask.utils import parse_bytes

from dask_tapestry.config import block_bytes
from dask_tapestry.errors import ShapeError
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import Cuts, fitting_sides

DimensionChunks = int | str | Sequence[int] | None
Chunks = DimensionChunks | Sequence[DimensionChunks] | Mapping[int | str, DimensionChunks]


def cuts_from(
    chunks: Any, type_: TensorType, own: Sequence[Cuts] | None = None
) -> tuple[Cuts, ...]:
    """Cuts for `chunks`: a length, one for each dimension, explicit lengths, a dict, "auto", bytes.

    -1 leaves a dimension whole. A dimension that a dict does not name, or for which None is given,
    keeps its `own` cuts, if there are any.

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
        chunks = tuple(wanted.get(dim) for dim in range(type_.ndim))
    given = tuple(chunks)
    if type_.ndim == 1 and len(given) != 1 and all(isinstance(n, int | np.integer) for n in given):
        given = (given,)
    if len(given) != type_.ndim:
        raise ShapeError(f"chunks {chunks} do not fit the {type_.ndim} dimensions of {type_}")
    known = own or [Cuts.regular(n, max(n, 1)) for n in type_.shape]
    cuts = [
        known[dim] if one is None else _cuts(-1 if isinstance(one, str) else one, type_, dim)
        for dim, one in enumerate(given)
    ]
    return _with_auto(
        cuts, {dim: one for dim, one in enumerate(given) if isinstance(one, str)}, type_
    )


def _cuts(one: Any, type_: TensorType, dim: int) -> Cuts:
    extent = type_.shape[dim]
    if isinstance(one, int | np.integer) and one == -1:
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


def _with_auto(
    cuts: Sequence[Cuts], auto: Mapping[int, str], type_: TensorType
) -> tuple[Cuts, ...]:
    """The cuts, those of `auto` chosen so that a block has about the bytes wanted."""
    texts = set(auto.values()) - {"auto"}
    limit = int(parse_bytes(texts.pop()) if texts else block_bytes())
    sides = fitting_sides(
        [c.longest for c in cuts], sorted(auto), limit // max(1, type_.dtype.itemsize)
    )
    return tuple(
        Cuts.regular(c.extent, sides[dim]) if dim in auto else c for dim, c in enumerate(cuts)
    )
