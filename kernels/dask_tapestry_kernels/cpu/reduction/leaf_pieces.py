"""Pieces of blocks that hold whole leaves, and stay in cache while they are folded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

Cut = tuple[slice, ...]


def leaf_pieces(
    shape: Sequence[int],
    sides: Sequence[int],
    itemsize: int,
    most: int,
    strides: Sequence[int] | None = None,
    shortest: int = 0,
) -> Iterator[tuple[Cut, Cut]]:
    """Pieces of whole leaves of about `most` bytes: slices of the leaves and of the cells.

    Leading axes are cut to single leaves or cells first, so that a piece lies together.

    Parameters
    ----------
    sides
        Of a leaf, along the axes that come first.
    strides
        Of what lies otherwise: axes along which cells lie farthest apart are cut first.
    shortest
        Bytes side by side that a piece has at least, where it is made of several such runs.

    Examples
    --------
    >>> for leaves, cells in leaf_pieces((5, 6), (2,), itemsize=8, most=200):
    ...     print(leaves, cells)
    (slice(0, 2, None), slice(0, 6, None)) (slice(0, 4, None), slice(0, 6, None))
    (slice(2, 3, None), slice(0, 6, None)) (slice(4, 5, None), slice(0, 6, None))
    """
    lengths = (*sides, *(1,) * (len(shape) - len(sides)))
    counts = leaf_grid(shape, lengths)
    if 0 in counts:
        return
    spans = [
        [(low, min(low + step, count)) for low in range(0, count, step)]
        for count, step in zip(
            counts, _steps(shape, lengths, itemsize, most, strides, shortest), strict=True
        )
    ]
    for corner in product(*spans):
        sided = zip(corner, lengths, shape, strict=True)
        cells = tuple([slice(a * side, min(b * side, n)) for (a, b), side, n in sided])
        yield tuple([slice(a, b) for a, b in corner]), cells


def _steps(
    shape: Sequence[int],
    lengths: Sequence[int],
    itemsize: int,
    most: int,
    strides: Sequence[int] | None,
    shortest: int,
) -> list[int]:
    """Leaves of a piece along each axis."""
    counts = leaf_grid(shape, lengths)
    steps, size, rows = list(counts), prod(shape) * itemsize, 1
    apart = range(len(shape)) if strides is None else [-step for step in strides]
    for axis in sorted(range(len(shape)), key=lambda axis: apart[axis]):
        runs = rows > 1 and shortest > 0
        leaf = strides[axis] * lengths[axis] if strides is not None and runs else shortest + 1
        if size <= most or leaf * counts[axis] <= shortest:
            break
        fewer = max(1, min(counts[axis], int(counts[axis] * most / max(1, size))))
        fewer = max(fewer, -(-shortest // leaf))
        size = size * fewer // counts[axis]
        steps[axis], rows = fewer, rows * fewer * lengths[axis]
    return steps


def leaf_grid(shape: Sequence[int], sides: Sequence[int]) -> tuple[int, ...]:
    """Number of leaves along each axis of a box that begins on a leaf."""
    return tuple([-(-n // side) for n, side in zip(shape, sides, strict=True)])
