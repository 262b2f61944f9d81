"""Grids: blocks in several dimensions, one `Cuts` for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import prod

from dask_tapestry.zspace.cuts import Cuts
from dask_tapestry.zspace.range import ZRange, trusted_range


def block_box(cuts: Sequence[Cuts], index: Sequence[int]) -> ZRange:
    """Box of the block with number ``index[d]`` along each dimension d.

    Examples
    --------
    >>> print(block_box((Cuts.regular(10, 4), Cuts.regular(3, 3)), (2, 0)))
    [8:10, 0:3]
    """
    spans = [c.block(i) for c, i in zip(cuts, index, strict=True)]
    return trusted_range(tuple([a for a, _ in spans]), tuple([b for _, b in spans]))


def block_range(cuts: Sequence[Cuts], box: ZRange) -> tuple[range, ...]:
    """Numbers of the blocks that meet `box` in each dimension; of an empty box the first block.

    Examples
    --------
    >>> block_range((Cuts.regular(10, 4),), ZRange((3,), (9,)))
    (range(0, 3),)
    """
    if box.is_empty:
        return (range(1),) * len(cuts)
    spans = [c.overlapping(lo, hi) for c, lo, hi in zip(cuts, box.lo, box.hi, strict=True)]
    return tuple([range(first, end) for first, end in spans])


def fitting_sides(sides: Sequence[int], free: Iterable[int], cells: int) -> tuple[int, ...]:
    """Sides of a block of at most `cells` cells, where those of the dimensions `free` may shrink.

    The first ones shrink first, each into equal parts, and none below one cell.

    Examples
    --------
    >>> fitting_sides((10_000, 256, 256, 3), range(4), 8 * 2**20)
    (42, 256, 256, 3)
    >>> fitting_sides((10, 100), [1], 300)
    (10, 25)
    """
    sides_found = [max(1, n) for n in sides]
    for dim in free:
        rest = prod(sides_found) // sides_found[dim]
        if rest * sides_found[dim] <= cells:
            break
        most = max(1, cells // rest)
        sides_found[dim] = -(-sides_found[dim] // -(-sides_found[dim] // most))
    return tuple(sides_found)


def largest_box(cuts: Sequence[Cuts]) -> ZRange:
    """Box of a block of the largest size, where that may be far from all edges and diagonals.

    A block there reads as much as any: no halo ends at an edge, and the cells ``[i, j]`` and
    ``[j, i]`` are in different blocks.

    Examples
    --------
    >>> print(largest_box((Cuts.regular(10, 4, lead=3), Cuts.regular(9, 3))))
    [3:7, 6:9]
    """
    return _largest_box(tuple(cuts))


@lru_cache(maxsize=1024)
def _largest_box(cuts: tuple[Cuts, ...]) -> ZRange:
    ndim = len(cuts)
    spans = [_longest_span(c, _inner_number(c.count, d, ndim)) for d, c in enumerate(cuts)]
    return trusted_range(tuple([a for a, _ in spans]), tuple([b for _, b in spans]))


def _inner_number(count: int, dim: int, ndim: int) -> int:
    """A block's number along a dimension: another one along each, of inner ones if these suffice.

    >>> [_inner_number(5, dim, 3) for dim in range(3)]
    [1, 2, 3]
    """
    edge = 1 if count - 2 >= ndim else 0
    return edge + (2 * dim + 1) * (count - 2 * edge) // (2 * ndim)


def _longest_span(cuts: Cuts, number: int) -> tuple[int, int]:
    """The longest block, number `number` if it is one of them."""
    numbers = range(cuts.count) if cuts.edges else {0, min(1, cuts.count - 1)}
    found = [cuts.block(number), *map(cuts.block, numbers)]
    return max(found, key=lambda span: span[1] - span[0])
