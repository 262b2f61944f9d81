"""Raveled (flat, C order) indices of cells: spans of them, and the boxes that hold spans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

Corner = tuple[int, ...]


def strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Step of the flat index along each dimension of `shape`.

    Examples
    --------
    >>> strides((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(prod(shape[i + 1 :]) for i in range(len(shape)))


def ravel(point: Sequence[int], shape: Sequence[int]) -> int:
    """Flat index of `point`."""
    number = 0
    for coordinate, extent in zip(point, shape, strict=True):
        number = number * extent + coordinate
    return number


def unravel(number: int, shape: Sequence[int]) -> list[int]:
    """Point with flat index `number`."""
    point = []
    for extent in reversed(shape):
        number, coordinate = divmod(number, extent)
        point.append(coordinate)
    return point[::-1]


def span_box(first: int, last: int, shape: Sequence[int]) -> tuple[list[int], list[int]]:
    """Smallest box of `shape` that holds the flat indices `first` to `last`.

    The flat indices of the box are consecutive: leading extents 1, one range, whole trailing ones.

    Examples
    --------
    >>> span_box(4, 9, (5, 3, 2))
    ([0, 0, 0], [2, 3, 2])
    """
    lo, hi = unravel(first, shape), unravel(last, shape)
    differ = next((i for i, (p, q) in enumerate(zip(lo, hi, strict=True)) if p != q), len(shape))
    for i in range(differ + 1, len(shape)):
        lo[i], hi[i] = 0, shape[i] - 1
    return lo, [h + 1 for h in hi]


def runs(lo: Sequence[int], hi: Sequence[int], shape: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The flat indices of a box as the fewest spans ``[first, end)``, in order.

    Examples
    --------
    >>> list(runs((1, 0, 2), (3, 3, 4), (4, 3, 4))), list(runs((1, 0), (3, 4), (4, 4)))
    ([(14, 16), (18, 20), (22, 24), (26, 28), (30, 32), (34, 36)], [(4, 12)])
    """
    whole = _first_whole(lo, hi, shape)
    length = prod(b - a for a, b in zip(lo[whole:], hi[whole:], strict=True))
    lead = [range(a, b) for a, b in zip(lo[:whole], hi[:whole], strict=True)]
    for head in product(*lead):
        first = ravel((*head, *lo[whole:]), shape)
        yield first, first + length


def run_count(lo: Sequence[int], hi: Sequence[int], shape: Sequence[int]) -> int:
    """Number of `runs` of a box."""
    whole = _first_whole(lo, hi, shape)
    return prod(b - a for a, b in zip(lo[:whole], hi[:whole], strict=True))


def _first_whole(lo: Sequence[int], hi: Sequence[int], shape: Sequence[int]) -> int:
    """First dimension that runs cover: the dimensions after it are whole."""
    dim = len(shape)
    while dim and (lo[dim - 1], hi[dim - 1]) == (0, shape[dim - 1]):
        dim -= 1
    return max(0, dim - 1)


def boxes_of_span(first: int, end: int, shape: Sequence[int]) -> Iterator[tuple[Corner, Corner]]:
    """The flat indices ``[first, end)`` as the fewest boxes (lo, hi) of `shape`.

    Examples
    --------
    >>> list(boxes_of_span(2, 11, (4, 4)))
    [((0, 2), (1, 4)), ((1, 0), (2, 4)), ((2, 0), (3, 3))]
    """
    if not shape:
        yield (), ()
        return
    row = prod(shape[1:])
    (a, from_a), (b, to_b) = divmod(first, row), divmod(end, row)
    if a == b:
        yield from _in_row(a, from_a, to_b, shape)
        return
    if from_a:
        yield from _in_row(a, from_a, row, shape)
        a += 1
    if b > a:
        yield (a, *(0,) * (len(shape) - 1)), (b, *shape[1:])
    if to_b:
        yield from _in_row(b, 0, to_b, shape)


def _in_row(
    place: int, first: int, end: int, shape: Sequence[int]
) -> Iterator[tuple[Corner, Corner]]:
    """Boxes of a span of flat indices that share the first coordinate `place`."""
    for lo, hi in boxes_of_span(first, end, shape[1:]):
        yield (place, *lo), (place + 1, *hi)
