"""Stored grids: the chunks in which the data that a value is made of is stored.

They pass through operators as nominal chunks do (`chunking`), but `rechunk` and the user's own
`chunks` do not change them, and where several operands meet, those of the largest one count. They
end at an axis along which each cell is made of all: there no part of the data is a part of the
value. Reductions begin in cells of this grid, so that they read each chunk once.
"""

from __future__ import annotations

from dask_tapestry.cells import Spaced
from dask_tapestry.teg.chunking import AxisChunks, Chunks, Known
from dask_tapestry.teg.node import Node
from dask_tapestry.zspace import Cuts


def stored_cuts(node: Node) -> tuple[Cuts | None, ...]:
    """The grid in which a tensor's data is stored, along each axis; None where there is none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((60, 90), "f8", stored_chunks=(20, 30))
    >>> y = x.rechunk((7, 7))[10:].T + dt.ones((90, 50))
    >>> [str(cuts) for cuts in stored_cuts(y.node)]
    ['3x30', '10 + 2x20']
    """
    return tuple([None if one is None else one.cuts for one in _stored(node)])


def stored_spacing(node: Node) -> tuple[Spaced | None, ...]:
    """The regular grid in which a tensor's data is stored, along each axis; None where none is."""
    return tuple([None if cuts is None else spaced(cuts) for cuts in stored_cuts(node)])


def spaced(cuts: Cuts) -> Spaced | None:
    """The regular grid of some chunks; None if inner ones differ or those at the ends are longer.

    Examples
    --------
    >>> spaced(Cuts.of_lengths([2, 5, 5, 4])), spaced(Cuts.of_lengths([2, 5, 3, 4]))
    (Spaced(side=5, offset=-3), None)
    """
    if cuts.count == 1:
        return Spaced(max(1, cuts.extent))
    if cuts.edges or cuts.lead > cuts.step:
        return None
    return Spaced(cuts.step, cuts.lead - cuts.step)


def _stored(node: Node) -> Known:
    """What is known of a node, its inputs' first: without recursion, as chains may be long."""
    stack = [node]
    while node.stored is None:
        top = stack[-1]
        missing = [x for x in top.inputs if x.stored is None]
        if missing:
            stack += missing
        else:
            stack.pop()
            top.stored = _grid_of_node(top)
    return node.stored


def _grid_of_node(node: Node) -> Known:
    operator, nothing = node.operator, (None,) * len(node.type.shape)
    if not node.inputs or operator.stored_cuts is not None:
        cuts = operator.stored_cuts or nothing
        return tuple(
            [None if own_cuts is None else AxisChunks(own_cuts, True) for own_cuts in cuts]
        )
    inputs = [x.stored or () for x in node.inputs]
    if not any(any(own) for own in inputs):
        return nothing
    chunks = [_weighed(x, own) for x, own in zip(node.inputs, inputs, strict=True)]
    along = operator.follow(node.input_types, tuple(chunks))
    return tuple([axis if axis and axis.said and not axis.mixed else None for axis in along])


def _weighed(x: Node, stored: Known) -> Chunks:
    """The chunks of an input, with its bytes, or those of what it repeats, as their weight."""
    most = max(1, x.type.nbytes)
    return tuple(
        [
            AxisChunks(Cuts.regular(n, max(1, n)), False, most)
            if one is None
            else one._replace(weight=min(one.weight or most, most))
            for n, one in zip(x.type.shape, stored, strict=True)
        ]
    )
