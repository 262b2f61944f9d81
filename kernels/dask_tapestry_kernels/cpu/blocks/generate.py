"""Generators: blocks made from their coordinates alone."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def full(out: Block | None, *, value: np.generic, shape: tuple[int, ...]) -> Block:
    """One value in a block of `shape`: a read-only view of one cell, or `out` filled."""
    if out is None:
        return np.broadcast_to(np.asarray(value), shape)
    out[...] = value
    return out


PIECE: Final = 32_768  # cells made at a time, so that all steps find them in cache


def arange(
    out: Block | None,
    *,
    first: np.generic,
    delta: np.generic,
    places: range,
    dtype: np.dtype[Any],
) -> Block:
    """``first + place * delta`` for each place of a range, as NumPy fills ranges.

    Parameters
    ----------
    first, delta
        Scalars of one dtype, in which the numbers are computed.
    places
        Places of the cells in the whole range.
    dtype
        Of the result, of as many bytes as that of `first`: times are computed as integers.
    """
    block = out if out is not None else np.empty(len(places), dtype)
    cells = block.view(first.dtype)
    for at in range(0, len(places), PIECE):
        part, piece = places[at : at + PIECE], cells[at : at + PIECE]
        piece[...] = np.arange(part.start, part.stop, part.step, dtype=np.int64)
        np.multiply(piece, delta, out=piece)
        np.add(first, piece, out=piece)
    return block


def index(out: Block | None, *, axis: int, places: range, shape: tuple[int, ...]) -> Block:  # noqa: ARG001
    """Coordinates along `axis` of a block of `shape`, int64: a view of one line of them.

    `places` has the coordinates of the line.
    """
    line = np.arange(places.start, places.stop, places.step, dtype=np.int64)
    sides = [-1 if dim == axis else 1 for dim in range(len(shape))]
    return np.broadcast_to(line.reshape(sides), shape)


KERNELS: Final[dict[str, Kernel]] = {
    "full": full,
    "arange": arange,
    "index": index,
}
