"""Needs of the block that takes most, of a grid whose blocks are not alike.

Where values are joined, padded or written into others, a block in one part may take more than one
in another, and one that lies across a joint more than both. A block of ``x + x[::-1]`` takes twice
as much as the one in the middle.
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from dask_tapestry.plan.access import Access
from dask_tapestry.plan.footprint import Held, Needs, needs_of
from dask_tapestry.plan.program import Program
from dask_tapestry.plan.translates import reads_in_place
from dask_tapestry.zspace import Cuts, block_box, largest_box

MOST_LOOKED_AT: Final = 64  # classes of blocks; it takes .1 to .2 ms each


def usual_needs(program: Program, cuts: tuple[Cuts, ...], held: Held, local: bool) -> Needs:
    """What a block of the largest size takes that is far from all edges."""
    return needs_of(program, largest_box(cuts), held, local)


def worst_needs(program: Program, cuts: tuple[Cuts, ...], held: Held, local: bool) -> Needs:
    """What a block takes at most, field by field.

    Of more than `MOST_LOOKED_AT` classes of blocks so many are looked at, and a block that is far
    from all edges.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.plan.group import group_of
    >>> x = dt.placeholder((900, 1000), "f8", stored_chunks=(100, 1000))
    >>> joined = dt.concatenate([dt.zeros((9100, 1000)), dt.sqrt(x).T.T])
    >>> program = group_of(joined.node, set()).program
    >>> cuts = (Cuts.regular(10_000, 500), Cuts.regular(1000, 1000))
    >>> usual = usual_needs(program, cuts, (), local=False)
    >>> worst = worst_needs(program, cuts, (), local=False)
    >>> usual.read, worst.read
    (0, 4000000)
    """
    usual = usual_needs(program, cuts, held, local)
    if reads_in_place(program):
        return usual
    leaves = islice(Access.of(program, cuts).each_leaf(), MOST_LOOKED_AT)
    others = [needs_of(program, block_box(cuts, leaf.index), held, local) for leaf in leaves]
    most = {name: max([getattr(n, name) for n in (usual, *others)]) for name in vars(usual)}
    return Needs(**most)
