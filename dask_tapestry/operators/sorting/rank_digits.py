"""Rank digits: cells of given ranks of a lane, found digit by digit of their keys.

A pass over the lane counts, of the cells whose keys begin as that of the cell of a rank does, how
many have each next digit: so a pass tells one digit more. Nothing is sorted or held, however long
the lane is, and of keys of 64 bits four passes read it.

Source: Knuth, "The Art of Computer Programming", volume 3, 5.2.5, "Sorting by Distribution".
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.cells.order_key import cell_of_key, order_key
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.lanes import PLACES
from dask_tapestry.operators.reductions.bincount import bincount
from dask_tapestry.operators.reductions.reduce import reduce as fold
from dask_tapestry.operators.reductions.tree_reduction import TreeReduction, levels_above
from dask_tapestry.operators.scans.scan import scan
from dask_tapestry.operators.sorting.search import searchsorted
from dask_tapestry.operators.tuning import ADDED_TABLES, DIGIT_BITS
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor, apply

WORK = np.dtype(np.int32)  # holds digits, and the numbers of tables


class _Found(NamedTuple):
    """What is known of the cell of a rank.

    Attributes
    ----------
    prefix
        The digits of its key that are found, as one number: a vector of one cell.
    rest
        Its number among the cells whose keys begin so.
    """

    prefix: Tensor
    rest: Tensor


def cells_of_ranks(x: Tensor, ranks: Sequence[int | Tensor], parts: int | None = None) -> Tensor:
    """Cells number `ranks` of all cells of `x` in order.

    Parameters
    ----------
    ranks
        Numbers, or vectors of one.
    parts
        How many count, or more; by default a plan decides.
    """
    keys = order_key(x)
    width = 8 * keys.type.dtype.itemsize
    bits = min(DIGIT_BITS, width)
    nothing = full((1,), keys.type.dtype.type(0))
    found = {rank: _Found(nothing, _as_vector(rank)) for rank in dict.fromkeys(ranks)}
    for shift in range(width - bits, -1, -bits):
        tables = _tables(keys, [one.prefix for one in found.values()], shift, bits, parts)
        found = {
            rank: _further(one, table, bits, is_first=shift == width - bits)
            for (rank, one), table in zip(found.items(), tables, strict=True)
        }
    cells = {rank: cell_of_key(one.prefix, x.type.dtype) for rank, one in found.items()}
    return concat([cells[rank] for rank in ranks])


def _tables(
    keys: Tensor, prefixes: Sequence[Tensor], shift: int, bits: int, parts: int | None
) -> list[Tensor]:
    """How many keys with each prefix have each digit next: in one pass, of each prefix once."""
    count, kind = 1 << bits, keys.type.dtype.type
    above = elementwise("right_shift", keys, kind(shift)) if shift else keys
    digits = astype(elementwise("bitwise_and", above, kind(count - 1)), WORK)
    if shift + bits == 8 * keys.type.dtype.itemsize:  # nothing is known yet
        return [_in_parts(bincount(digits, count), parts)] * len(prefixes)
    begin = elementwise("right_shift", above, kind(bits))
    places = full((), WORK.type(len(prefixes) * count))  # of keys that begin otherwise
    for number, prefix in reversed(list(enumerate(prefixes))):
        own = elementwise("add", digits, number * count) if number else digits
        places = where(elementwise("equal", begin, prefix), own, places)
    counted = _in_parts(bincount(places, len(prefixes) * count), parts)
    runs = [slice(n * count, (n + 1) * count) for n in range(len(prefixes))]
    return [
        _first_equal(prefixes, one, [basic_slice(counted, (run,)) for run in runs])
        for one in prefixes
    ]


def _as_vector(rank: int | Tensor) -> Tensor:
    return full((1,), np.int64(rank)) if isinstance(rank, int) else astype(rank, PLACES)


def _in_parts(table: Tensor, parts: int | None) -> Tensor:
    """A table that so many parts of the cells count, of which few are added at a time."""
    if parts is None:
        return table
    whole = table.operator
    assert isinstance(whole, TreeReduction)
    levels, inputs, source = levels_above(whole.tree, None), table.inputs, None
    while levels:
        level = next((one for one in levels if _nodes(whole, one) >= parts), levels[-1])
        inputs = (apply(whole.part(source, level), *inputs),)
        source, parts = level, -(-_nodes(whole, level) // ADDED_TABLES)
        levels = levels_above(whole.tree, level) if parts > 1 else ()
    return apply(whole.part(source, None), *inputs) if source is not None else table


def _nodes(whole: TreeReduction, level: int) -> int:
    return prod(whole.tree.counts(level))


def _first_equal(prefixes: Sequence[Tensor], prefix: Tensor, tables: Sequence[Tensor]) -> Tensor:
    """The table of the first of the prefixes that is this one."""
    *others, found = tables
    for other, own in reversed(list(zip(prefixes, others, strict=False))):
        found = where(elementwise("equal", other, prefix), own, found)
    return found


def _further(one: _Found, table: Tensor, bits: int, is_first: bool) -> _Found:
    """With the digit that the cell of a rank has, by the table of its prefix."""
    ends = scan(astype(table, PLACES), "add", 0)
    digit = searchsorted(one.rest, ends, "right")
    is_below = elementwise("less", coordinates(ends.type.shape, 0), digit)
    before = fold(where(is_below, astype(table, PLACES), 0), "sum", 0)
    kind = one.prefix.type.dtype
    prefix = astype(digit, kind)
    if not is_first:
        shifted = elementwise("left_shift", one.prefix, kind.type(bits))
        prefix = elementwise("bitwise_or", shifted, prefix)
    return _Found(prefix, elementwise("subtract", one.rest, before))
