"""Memory as compiled loops see it: addresses, and blocks as lines of rows of neighbouring cells."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np

Block = np.ndarray[Any, Any]


def address(block: Block) -> int:
    """Address of the first cell."""
    first: int = block.__array_interface__["data"][0]
    return first


def storage(dtype: np.dtype[Any]) -> str:
    """The dtype by which compiled loops read cells: float16 as its bits, bool as a byte."""
    if dtype.kind == "b":
        return "uint8"
    return "uint16" if dtype == np.float16 else dtype.name


class Lines(NamedTuple):
    """Parts of two blocks: `lines` times cells along an axis times `columns` neighbours.

    Attributes
    ----------
    place
        Index of the part among the kept dimensions, the axis left out.
    first, second
        The part of each block: byte offset of its first cell, bytes from line to line and from cell
        to cell along the axis.
    """

    place: tuple[int | slice, ...]
    lines: int
    columns: int
    first: tuple[int, int, int]
    second: tuple[int, int, int]


def lines(first: Block, second: Block, axis: int, together: bool) -> Iterator[Lines]:
    """Cut two blocks that differ along `axis` alone, if at all, into as few parts as they allow.

    Parameters
    ----------
    together
        Take neighbours across the axis as columns; else each cell across it is a line.
    """
    kept = [dim for dim in range(first.ndim) if dim != axis]
    shape = [first.shape[dim] for dim in kept]
    strides = [[b.strides[dim] for dim in kept] for b in (first, second)]
    inner = len(shape)
    if together:
        inner = _outer(shape, strides, inner, [first.itemsize, second.itemsize])
    columns = prod(shape[inner:])
    steps = [s[inner - 1] if inner else 0 for s in strides]
    outer = _outer(shape, strides, inner, steps)
    rest = (slice(None),) * (len(shape) - outer)
    for lead in np.ndindex(*shape[:outer]):
        starts = [sum(i * s for i, s in zip(lead, stride, strict=False)) for stride in strides]
        ways = zip(starts, steps, (first.strides[axis], second.strides[axis]), strict=True)
        yield Lines((*lead, *rest), prod(shape[outer:inner]), columns, *ways)


def _outer(shape: list[int], strides: list[list[int]], stop: int, steps: list[int]) -> int:
    """The first dimension of those, up to `stop`, that are one line of cells in both blocks.

    `steps` are the bytes from cell to cell of that line.
    """
    dim, run = stop, 1
    while dim and (
        shape[dim - 1] == 1
        or all(s[dim - 1] == step * run for s, step in zip(strides, steps, strict=True))
    ):
        dim -= 1
        run *= shape[dim]
    return dim


def is_readable(block: Block) -> bool:
    """Whether compiled loops take a block as it is: its cells lie in C's order, aligned."""
    steps = [s for s, n in zip(block.strides, block.shape, strict=True) if n > 1]
    forward = steps == sorted(steps, reverse=True) and all(s > 0 for s in steps)
    return forward and block.flags.aligned and block.dtype.isnative
