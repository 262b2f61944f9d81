"""Needs of the block that takes most, of a grid whose blocks are not alike.

Where values are joined, padded or written into others, a block in one part may take more than one
in another, and one that lies across a joint more than both. A block of ``x + x[::-1]`` takes twice
as much as the one in the middle.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from dask_tapestry.planner.access.access import Access, ClassLeaf
from dask_tapestry.planner.access.block_classes import reads_in_place
from dask_tapestry.planner.access.domain import Place
from dask_tapestry.planner.cost.footprint import Needs, needs_of
from dask_tapestry.planner.cost.typical_blocks import typical_blocks
from dask_tapestry.planner.tuning import MOST_BLOCKS_IN_A_ROW, MOST_NEEDS_CLASSES
from dask_tapestry.steps.chunk_alignment import Held
from dask_tapestry.steps.program import Program
from dask_tapestry.zspace import Cuts, block_box


def usual_needs(program: Program, cuts: tuple[Cuts, ...], held: Held, local: bool) -> Needs:
    """What a block of the largest size takes that is far from all edges, of each kind of them."""
    kinds = [needs_of(program, one.box, held, local) for one in typical_blocks(program, cuts)]
    return Needs(*map(max, zip(*kinds, strict=True))) if len(kinds) > 1 else kinds[0]


def worst_needs(program: Program, cuts: tuple[Cuts, ...], input_cuts: Held, local: bool) -> Needs:
    """What a block takes at most, field by field.

    Of more than `MOST_NEEDS_CLASSES` classes of blocks so many are looked at, and a block that is
    far from all edges. Of the class that takes most, blocks in a row are: one may read parts of
    more blocks than the next.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.planner.fusion.group import group_of
    >>> x = dt.placeholder((900, 1000), "f8", stored_chunks=(100, 1000))
    >>> joined = dt.concatenate([dt.zeros((9100, 1000)), dt.sqrt(x).T.T])
    >>> program = group_of(joined.node, set()).program
    >>> cuts = (Cuts.regular(10_000, 500), Cuts.regular(1000, 1000))
    >>> usual = usual_needs(program, cuts, (), local=False)
    >>> worst = worst_needs(program, cuts, (), local=False)
    >>> usual.read, worst.read
    (3200000, 4000000)
    """
    if not any(input_cuts) and reads_in_place(program):
        return usual_needs(program, cuts, input_cuts, local)
    held = tuple([None if own is None else tuple(own) for own in input_cuts])
    return _worst_needs(program, cuts, held, local)


@lru_cache(maxsize=4096)  # the plans that a search compares have most steps in common
def _worst_needs(program: Program, cuts: tuple[Cuts, ...], input_cuts: Held, local: bool) -> Needs:
    usual = usual_needs(program, cuts, input_cuts, local)
    if all(own.count == 1 for own in cuts):
        return usual

    def needs(index: Place) -> Needs:
        return needs_of(program, block_box(cuts, index), input_cuts, local)

    leaves = tuple(islice(Access.of(program, cuts).each_leaf(), MOST_NEEDS_CLASSES))
    found = [usual, *[needs(leaf.index) for leaf in leaves]]
    if any(input_cuts) and not local:
        heaviest = max(zip(found[1:], leaves, strict=True), key=lambda pair: pair[0].work)[1]
        found += [needs(index) for index in _neighbour_blocks(heaviest)]
    return Needs(*map(max, zip(*found, strict=True)))


def _neighbour_blocks(leaf: ClassLeaf) -> Iterator[Place]:
    """Blocks of a class along each way: their boxes lie otherwise on the blocks of inputs."""
    domain, own = leaf.domain, leaf.translates.place
    for number, way in enumerate(domain.ways):
        for turn in range(1, min(way.count, MOST_BLOCKS_IN_A_ROW)):
            place = (*own[:number], (own[number] + turn) % way.count, *own[number + 1 :])
            if domain.band is None or place not in domain.band:
                yield domain.block(place)
