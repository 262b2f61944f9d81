"""Bulk exchanges: blocks of one grid become blocks of another, with a task for each and no slices.

Where most blocks of a step read a part of most blocks of an input, as in ``x.rechunk`` from rows to
columns, slices are tasks by the product of both numbers, and a scheduler handles one at a time. So
workers may send each other all parts themselves: a task for each block that is sent, one that waits
for them, and one for each block that is received. That is what Dask's "P2P" rechunking does
(``distributed.shuffle``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import gcd, lcm, prod
from typing import Final, NamedTuple

import numpy as np

from dask_tapestry.planner.tuning import EXCHANGE_LEAST, EXCHANGE_SAVES, SLICE_SAVES_BYTES
from dask_tapestry.steps.access_strides import movement
from dask_tapestry.steps.program import Program
from dask_tapestry.zspace import Cuts, block_box

Held = tuple[Sequence[Cuts] | None, ...]
PLAIN_KINDS: Final = "biufcmMSU"  # of cells that lie in an array of NumPy's, and nowhere else


class Span(NamedTuple):
    """Blocks along an axis, from one number to another, whose ends are ends of tiles too."""

    blocks: range
    tiles: range


class BulkExchange(NamedTuple):
    """How the blocks of an input become those that a step reads.

    Attributes
    ----------
    number
        Of the input.
    held, tiles
        How the input is cut, and how the boxes are that the step's blocks read, one each.
    """

    number: int
    held: tuple[Cuts, ...]
    tiles: tuple[Cuts, ...]

    @property
    def sent(self) -> int:
        """Number of blocks that are sent, in parts."""
        return prod([c.count for c in self.held])

    @property
    def received(self) -> int:
        """Number of blocks that the step reads."""
        return prod([c.count for c in self.tiles])

    @property
    def spans(self) -> tuple[tuple[Span, ...], ...]:
        """For each axis, where blocks and tiles end together: these are exchanged on their own."""
        return tuple(map(spans, self.held, self.tiles))

    @property
    def tasks(self) -> int:
        """Tasks that send, wait and receive."""
        return self.sent + prod(map(_common_ends, self.held, self.tiles)) + self.received

    @property
    def edges(self) -> int:
        """Values that these wait for."""
        return 2 * self.sent + self.received

    @property
    def parts(self) -> int:
        """Parts of blocks that workers send each other."""
        pairs = list(zip(self.held, self.tiles, strict=True))
        return prod([a.count + b.count - _common_ends(a, b) for a, b in pairs])


@lru_cache(maxsize=4096)  # for the least that a grid takes, when it is priced, and when it is run
def bulk_exchange(
    program: Program, cuts: tuple[Cuts, ...], held: Held, in_bulk: bool = True
) -> BulkExchange | None:
    """The input of a step that its workers exchange in bulk; None where slices are as few.

    Of several inputs it is the one of most parts: each block that is received lies where Dask's
    exchange puts it, and a task reads its other inputs there.

    Parameters
    ----------
    cuts, held
        How the output of the step and its inputs are cut.
    in_bulk
        Whether workers may do so at all.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.planner.fusion.group import group_of
    >>> x = dt.placeholder((10_000, 10_000), "f8") + 0
    >>> program = group_of((x.T * 2).node, {x.node}).program
    >>> whole, cut = Cuts.regular(10_000, 10_000), Cuts.regular(10_000, 100)
    >>> found = bulk_exchange(program, (cut, whole), ((cut, whole),))
    >>> found.tiles == (whole, cut), found.parts, found.tasks
    (True, 10000, 201)
    """
    count = prod([c.count for c in cuts])
    if not in_bulk or program.devices or count < 2:
        return None
    found = [
        exchange
        for number, own in enumerate(held)
        if own is not None and (exchange := _exchange(program, cuts, number, tuple(own), count))
    ]
    return max(found, key=lambda one: one.parts, default=None)


def spans(held: Cuts, tiles: Cuts) -> tuple[Span, ...]:
    """Where blocks and tiles along an axis end together.

    Examples
    --------
    >>> spans(Cuts.regular(12, 2), Cuts.regular(12, 3))
    (Span(blocks=range(0, 3), tiles=range(0, 2)), Span(blocks=range(3, 6), tiles=range(2, 4)))
    """
    number_of = {end: number for number, end in enumerate(_ends(held), 1)}
    found, block, tile = [], 0, 0
    for number, end in enumerate(_ends(tiles), 1):
        if end in number_of:
            found.append(Span(range(block, number_of[end]), range(tile, number)))
            block, tile = number_of[end], number
    return tuple(found)


def _exchange(
    program: Program, cuts: tuple[Cuts, ...], number: int, held: tuple[Cuts, ...], count: int
) -> BulkExchange | None:
    """The exchange of an input, if it saves so many slices that it is worth its own tasks."""
    type_ = program.inputs[number]
    sent = prod([c.count for c in held])
    if sent * count < max(EXCHANGE_LEAST, EXCHANGE_SAVES * (sent + count)):
        return None
    if not isinstance(type_.dtype, np.dtype) or type_.dtype.kind not in PLAIN_KINDS:
        return None
    tiles = _tiles(program, cuts, number)
    if tiles is None:
        return None
    exchange = BulkExchange(number, held, tiles)
    parts, block = exchange.parts, prod([c.longest for c in held]) * type_.dtype.itemsize
    saved = block - block * sent / parts
    if saved < SLICE_SAVES_BYTES or parts < max(EXCHANGE_LEAST, EXCHANGE_SAVES * exchange.tasks):
        return None
    return exchange if _are_read(program, cuts, exchange) else None


def _tiles(program: Program, cuts: tuple[Cuts, ...], number: int) -> tuple[Cuts, ...] | None:
    """Cuts of an input of which each block of a step seems to read a block of its own."""
    strides, shape = movement(program)[number], program.inputs[number].shape
    moving = [pace.dim for pace in strides.paces.values()]
    several = {dim for dim, own in enumerate(cuts) if own.count > 1}
    if len(set(moving)) != len(moving) or not several <= set(moving):
        return None
    tiles = list(strides.pulled(shape, cuts))
    for axis, pace in strides.paces.items():
        own = cuts[pace.dim]
        if (pace.cells, pace.start, own.extent) == (1, 0, shape[axis]):
            tiles[axis] = own
    return tuple(tiles) if prod([c.count for c in tiles]) == prod([c.count for c in cuts]) else None


def _are_read(program: Program, cuts: tuple[Cuts, ...], exchange: BulkExchange) -> bool:
    """Whether blocks read just these tiles: the first, the next one along each axis, the last."""
    strides = movement(program)[exchange.number]
    dims = {axis: pace.dim for axis, pace in strides.paces.items()}
    first = (0,) * len(cuts)
    indices = {first, tuple([c.count - 1 for c in cuts])}
    for dim, own in enumerate(cuts):
        ends = {1, own.count - 1} if own.count > 1 else set()
        indices |= {(*first[:dim], n, *first[dim + 1 :]) for n in ends}
    for index in indices:
        tile = tuple(
            [index[dims[axis]] if own.count > 1 else 0 for axis, own in enumerate(exchange.tiles)]
        )
        boxes = program.input_boxes(block_box(cuts, index))[exchange.number]
        if boxes != (block_box(exchange.tiles, tile),):
            return False
    return True


@lru_cache(maxsize=4096)
def _common_ends(one: Cuts, other: Cuts) -> int:
    """How many blocks of both end at the same cells, the last ones among them.

    Examples
    --------
    >>> _common_ends(Cuts.regular(10**9, 4), Cuts.regular(10**9, 6, 2))
    83333334
    """
    if one.edges or other.edges:
        few, many = sorted((one, other), key=lambda cuts: cuts.count)
        return 1 + sum(many.block(many.locate(end))[0] == end for end in few.inner_edges())
    divisor = gcd(one.step, other.step)
    apart = other.lead - one.lead
    if apart % divisor:
        return 1
    times = apart // divisor * pow(one.step // divisor, -1, other.step // divisor)
    both = lcm(one.step, other.step)
    first = max(one.lead, other.lead)
    first += (one.lead + times * one.step - first) % both
    return 1 + max(0, -(-(one.extent - first) // both))


def _ends(cuts: Cuts) -> list[int]:
    return list(accumulate(cuts.lengths()))
