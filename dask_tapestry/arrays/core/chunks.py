"""Chunks as users write them: every form that Dask takes, "auto" among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dask_tapestry.amounts import bytes_of, integer, listed
from dask_tapestry.errors import ArgumentTypeError, ShapeError
from dask_tapestry.settings import block_bytes
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import Cuts, fitting_sides

DimensionChunks = int | str | Sequence[int] | None
Chunks = DimensionChunks | Sequence[DimensionChunks] | Mapping[int | str, DimensionChunks]


def cuts_from(
    chunks: Any,
    type_: TensorType,
    own: Sequence[Cuts] | None = None,
    limit: int | None = None,
) -> tuple[Cuts, ...]:
    """Cuts for `chunks`: a length, one for each dimension, explicit lengths, a dict, "auto", bytes.

    -1 leaves a dimension whole. A dimension that a dict does not name, or for which None is given,
    keeps its `own` cuts, if there are any. "auto" makes chunks of `limit` bytes, if that is given.

    {Raises} ShapeError: If they do not fit the shape.

    Examples
    --------
    >>> import numpy as np
    >>> [str(c) for c in cuts_from((2, (1, 5)), TensorType((4, 6), np.dtype("f8")))]
    ['2x2', '(1, 5)']
    """
    per_axis = _per_axis(chunks, type_)
    known = own or [Cuts.regular(n, max(n, 1)) for n in type_.shape]
    cuts = [
        known[dim]
        if axis_chunks is None
        else _cuts(-1 if isinstance(axis_chunks, str) else axis_chunks, type_, dim)
        for dim, axis_chunks in enumerate(per_axis)
    ]
    auto = {
        dim: axis_chunks for dim, axis_chunks in enumerate(per_axis) if isinstance(axis_chunks, str)
    }
    return _with_auto(cuts, auto, type_, limit)


def _per_axis(chunks: Any, type_: TensorType) -> tuple[Any, ...]:
    """What is said of the chunks along each dimension, in whatever form of those that are taken."""
    if isinstance(chunks, bool | bytes):
        raise ArgumentTypeError(f"chunks are lengths, texts or a dictionary, not {chunks!r}")
    if isinstance(chunks, str) and chunks != "auto":
        bytes_of("chunks", chunks)  # that it is one, of arrays without dimensions too
    if isinstance(chunks, str | int | float | np.integer | None):
        return (chunks,) * type_.ndim
    if isinstance(chunks, Mapping):
        by_dim = {_dimension(key, type_): axis_chunks for key, axis_chunks in chunks.items()}
        return tuple(by_dim.get(dim) for dim in range(type_.ndim))
    per_axis = listed(chunks, "chunks")
    if all(isinstance(n, int | float | np.integer) for n in per_axis):
        if not type_.ndim:
            return ()
        if type_.ndim == 1 and len(per_axis) != 1:  # the lengths of the only dimension
            return (per_axis,)
    if len(per_axis) != type_.ndim:
        raise ShapeError(f"chunks {chunks} do not fit the {type_.ndim} dimensions of {type_}")
    return per_axis


def _dimension(key: int | str, type_: TensorType) -> int:
    """The number of a dimension that is given by its number or name."""
    names: Sequence[Any] = type_.dims or ()
    if isinstance(key, str) and key in names:
        return names.index(key)
    if isinstance(key, str) or not -type_.ndim <= integer(key) < type_.ndim:
        raise ShapeError(f"chunks are given for the dimension {key!r}, which {type_} lacks")
    return integer(key) % type_.ndim


def _cuts(axis_chunks: Any, type_: TensorType, dim: int) -> Cuts:
    extent = type_.shape[dim]
    if isinstance(axis_chunks, int | float | np.integer) and axis_chunks == -1:
        return Cuts.regular(extent, max(extent, 1))
    if isinstance(axis_chunks, tuple | list):
        lengths = [_length(n) for n in axis_chunks]
        if sum(lengths) != extent or any(n < 0 for n in lengths):
            raise ShapeError(
                f"chunks {tuple(axis_chunks)} do not add up to {extent}, axis {dim} of {type_}"
            )
        return Cuts.of_lengths(lengths)
    length = _length(axis_chunks)
    if not extent and not length:
        return Cuts.regular(0, 1)
    if length < 1:
        raise ShapeError(f"chunk length {length} of axis {dim} must be at least 1, or -1")
    return Cuts.regular(extent, length)


def _length(given: Any) -> int:
    """A length, which may be a float without a fraction, as ``n / 4`` is."""
    return int(given) if isinstance(given, float) and given.is_integer() else integer(given)


def _limit(given: int | None) -> int:
    """The bytes of a block that are given, or those of the settings."""
    return bytes_of("block_size_limit", given) if given is not None else block_bytes()


def _with_auto(
    cuts: Sequence[Cuts], auto: Mapping[int, str], type_: TensorType, limit: int | None
) -> tuple[Cuts, ...]:
    """The cuts, those of `auto` chosen so that a block has about the bytes wanted."""
    texts = set(auto.values()) - {"auto"}
    limit = min(bytes_of("chunks", text) for text in texts) if texts else _limit(limit)
    sides = fitting_sides(
        [c.longest for c in cuts], sorted(auto), limit // max(1, type_.dtype.itemsize)
    )
    return tuple(
        Cuts.regular(c.extent, sides[dim]) if dim in auto else c for dim, c in enumerate(cuts)
    )
