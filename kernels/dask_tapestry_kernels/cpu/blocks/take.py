"""Take: cells at places that blocks name; and boxes put into blocks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import select_compiled
from dask_tapestry_kernels.cpu.blocks.strided import strided
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.parameters.coordinate_steps import wrapped
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
TURN: Final = 2**22  # cells that are taken between two questions whether to go on


def take(
    out: Block | None,
    block: Block,
    *places: Block,
    axes: tuple[int, ...],
    at: int,
    extents: tuple[int, ...],
    origin: tuple[int, ...],
    starts: tuple[int, ...] | None = None,
) -> Block:
    """Cells of `block` at `places`.

    Parameters
    ----------
    places
        Integers, one block for each of `axes`, of shapes that broadcast; negative ones count from
        the end of the whole axis.
    axes
        The axes that are indexed.
    at
        Where the axes of the places stand in the result.
    extents
        Of the whole tensor along `axes`.
    origin
        Where the block begins along `axes`.
    starts
        Where each of several blocks begins along the one axis: the first of `places` are those
        behind `block`.
    """
    if starts is not None:
        *parts, numbers = block, *places
        return _taken_from_parts(out, parts, numbers, axes[0], at, extents, starts)
    if len(axes) == 1 and block.dtype.kind != "T" and _is_long(block, places[0], axes[0]):
        return _taken_in_turns(out, block, places[0], axes[0], at, extents, origin)
    if len(axes) == 1 and at == axes[0]:
        rows = select_compiled.take(out, block, places[0], at, extents[0], origin[0])
        if rows is not None:
            return rows
    own = [
        wrapped(p, n, axis) - start if start else wrapped(p, n, axis)
        for p, n, axis, start in zip(places, extents, axes, origin, strict=True)
    ]
    if len(axes) == block.ndim and not any(p.ndim for p in places):
        return _cell(out, block.transpose(axes), own)
    if len(axes) == 1 and at == axes[0]:
        if not block.flags.c_contiguous and own[0].size < block.shape[at]:
            return _picked(out, block, own[0], at)  # np.take copies all of the block before
        return np.take(
            block, own[0], axes[0], out=out, mode="clip" if block.shape[axes[0]] else "raise"
        )
    flat = _taken_flat(out, block, own, axes, at) if block.size else None
    if flat is not None:
        return flat
    front = np.moveaxis(block, axes, range(len(axes)))
    rank = own[0].ndim
    return np.moveaxis(front[tuple(own)], range(rank), range(at, at + rank))


def _taken_from_parts(
    out: Block | None,
    parts: Sequence[Block],
    indices: Block,
    axis: int,
    at: int,
    extents: tuple[int, ...],
    starts: tuple[int, ...],
) -> Block:
    """Cells at indices that lie in several blocks, those of each block at once."""
    chosen = wrapped(indices, extents[0], axis).ravel()
    owners = np.searchsorted(starts, chosen, side="right") - 1
    sides = [n for dim, n in enumerate(parts[0].shape) if dim != axis]
    line = out if indices.ndim == 1 else None
    shape = (*sides[:at], chosen.size, *sides[at:])
    result: Block = np.empty(shape, parts[0].dtype) if line is None else line
    for number, (part, start) in enumerate(zip(parts, starts, strict=True)):
        held = np.flatnonzero(owners == number)
        beside = held.size and held[-1] - held[0] == held.size - 1
        rows = (slice(None),) * at + (slice(held[0], held[-1] + 1) if beside else held,)
        room = result[rows] if beside else None
        how: Any = {"axes": (axis,), "at": at, "extents": extents, "origin": (start,)}
        own = take(room, part, chosen[held], **how)
        if own is not room:
            result[rows] = own
    return result.reshape((*sides[:at], *indices.shape, *sides[at:])) if line is None else line


def _picked(out: Block | None, block: Block, indices: Block, axis: int) -> Block:
    """Cells at indices along an axis of a block that does not lie together in memory."""
    found: Block = block[(slice(None),) * axis + (indices,)]
    if out is None:
        return found
    out[...] = found
    return out


def _cell(out: Block | None, block: Block, place: Sequence[Any]) -> Block:
    """One cell as an array: alone it may be of another dtype, or no cell of NumPy's at all."""
    found: Block = block[(*place, ...)]
    if out is None:
        return found.copy()
    out[...] = found
    return out


def _is_long(block: Block, places: Block, axis: int) -> bool:
    """Whether so many cells are taken that somebody who does not want them may have to wait."""
    each = block.size // max(1, block.shape[axis])
    return places.ndim > 0 and len(places) > 1 and places.size * each > 2 * TURN


def _taken_in_turns(
    out: Block | None,
    block: Block,
    indices: Block,
    axis: int,
    at: int,
    extents: tuple[int, ...],
    origin: tuple[int, ...],
) -> Block:
    """Take some of the indices at a time."""
    sides = [n for dim, n in enumerate(block.shape) if dim != axis]
    shape = (*sides[:at], *indices.shape, *sides[at:])
    result = np.empty(shape, block.dtype) if out is None else out
    rows = max(1, TURN * len(indices) // max(1, result.size))
    for first in range(0, len(indices), rows):
        stop_if_asked()
        part = result[(slice(None),) * at + (slice(first, first + rows),)]
        some = indices[first : first + rows]
        found = take(part, block, some, axes=(axis,), at=at, extents=extents, origin=origin)
        if found is not part:
            part[...] = found
    return result


def _as_line(block: Block, axes: Sequence[int]) -> tuple[Block, list[int]] | None:
    """A block with one axis in place of `axes`, and how far a step along each of them is on it.

    None where that takes a copy.
    """
    first, end = axes[0], axes[-1] + 1
    if block.flags.c_contiguous and end - first == len(axes):
        sides = block.shape[first:end]
        whole = block.reshape(*block.shape[:first], prod(sides), *block.shape[end:])
        return whole, [prod(sides[n + 1 :]) for n in range(len(axes))]
    size = block.itemsize
    if (
        block.dtype.kind == "T"
        or len(axes) < block.ndim
        or any(n < 0 or n % size for n in block.strides)
    ):
        return None
    steps = [n // size for n in block.strides]
    length = 1 + sum(step * (n - 1) for step, n in zip(steps, block.shape, strict=True))
    return strided(block, (length,), (size,)), steps


def _taken_flat(
    out: Block | None, block: Block, indices: Sequence[Block], axes: Sequence[int], at: int
) -> Block | None:
    """Take along several axes as if they were one: 3 times as fast as one index array for each."""
    line = _as_line(block, axes)
    if line is None:
        return None
    whole, steps = line
    flat = indices[0] * steps[0]
    for one, step in zip(indices[1:], steps[1:], strict=True):
        flat = flat + one * step
    first = axes[0]
    into = out if at == first else None
    rows = select_compiled.take(into, whole, flat, first, whole.shape[first], 0)
    if rows is None:
        rows = np.take(whole, flat, first, out=into, mode="clip")
    if at == first:
        return rows
    return np.moveaxis(rows, range(first, first + flat.ndim), range(at, at + flat.ndim))


def take_along(out: Block | None, block: Block, places: Block, *, axis: int, extent: int) -> Block:  # noqa: ARG001
    """Cells at `places` along `axis`, of `extent` cells, as `numpy.take_along_axis`."""
    return np.take_along_axis(block, wrapped(places, extent, axis), axis)


def insert(
    out: Block | None,  # noqa: ARG001
    block: Block,
    values: Block,
    *,
    index: tuple[slice, ...],
    shape: tuple[int, ...],
) -> Block:
    """`block` with the box `index` replaced by `values`.

    `shape` is that of the result. Values of that shape are the result itself; `block` may then have
    no cells.
    """
    if values.shape == shape:
        return values
    if not values.size:
        return block
    result = np.array(block, order="C")
    result[index] = values
    return result


KERNELS: Final[dict[str, Kernel]] = {
    "take": take,
    "takealong": take_along,
    "insert": insert,
}
