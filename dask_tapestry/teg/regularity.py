"""Regularity: where an operator's demands move along with the box that is asked for.

Most operators treat all parts of their output alike: a box further along an axis is made of the
same boxes of the inputs, further along too. Where that holds, the needs of one block tell those of
its neighbours, so that a plan need not look at each block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dask_tapestry.teg.signature import Signature


class Regular(NamedTuple):
    """How demands move with a box along one axis of the output.

    Move a box by a multiple of `period` along the axis, so that no break lies strictly inside what
    it sweeps over. Then the boxes that are read for it keep their number, order and shapes, and
    each moves by a vector that is in proportion to the way.

    Attributes
    ----------
    period
        Cells of the output.
    breaks
        Ascending coordinates where another rule begins: joints, edges, the last whole leaf.

    Examples
    --------
    A concatenation of 3 and 5 cells has one rule on either side of the joint:

    >>> Regular(breaks=(3,))
    Regular(period=1, breaks=(3,))
    """

    period: int = 1
    breaks: tuple[int, ...] = ()


Regularity = tuple[Regular | None, ...]
"""One rule for each axis of the output; None where each box may be another case."""

ANYWHERE = Regular()


def uniform_regularity(ndim: int) -> Regularity:
    """The regularity of what treats all cells alike."""
    return (ANYWHERE,) * ndim


def of_signature(signature: Signature, shapes: Sequence[tuple[int, ...]]) -> Regularity | None:
    """The regularity of demands that follow a signature, clipped to inputs of these `shapes`.

    None where windows are clipped that move along several dimensions, or backwards.

    Examples
    --------
    >>> from dask_tapestry.teg.signature import IndexDim
    >>> from dask_tapestry.zspace import IndexProjection
    >>> pairs = IndexProjection(((2,),), (0,), (2,))
    >>> here = IndexProjection.identity(1)
    >>> of_signature(Signature((IndexDim("i", 3),), (pairs,), (here,)), [(5,)])
    (Regular(period=1, breaks=(2,)),)
    """
    (output,) = signature.outputs
    rules = []
    for axis in range(len(output.shape)):
        dim = signature.owner(0, axis)
        if dim is None:
            rules.append(ANYWHERE)
            continue
        edges = _clipped(signature, dim, shapes)
        if edges is None:
            return None
        step, start = output.matrix[axis][dim], output.offset[axis]
        rules.append(Regular(step, tuple([start + step * n for n in sorted(edges)])))
    return tuple(rules)


def _clipped(signature: Signature, dim: int, shapes: Sequence[tuple[int, ...]]) -> set[int] | None:
    """Steps along `dim` before or from which on boxes leave their inputs; None for anywhere."""
    extent = signature.index[dim].extent
    edges: set[int] = set()
    for projection, shape in zip(signature.inputs, shapes, strict=True):
        spans = zip(projection.matrix, projection.offset, projection.extent, shape, strict=True)
        for row, start, width, cells in spans:
            pace = row[dim]
            if not pace:
                continue
            low, high = _reach(signature, row, start, width)
            if low >= 0 and high <= cells:
                continue
            if pace < 0 or sum(map(bool, row)) > 1:
                return None
            edges.update((-(start // pace), (cells - width - start) // pace + 1))
    return {n for n in edges if 0 < n < extent}


def _reach(signature: Signature, row: tuple[int, ...], start: int, width: int) -> tuple[int, int]:
    """First and one-past-last coordinate of all windows along an axis."""
    far = [c * max(0, d.extent - 1) for c, d in zip(row, signature.index, strict=True)]
    return start + sum(min(0, f) for f in far), start + sum(max(0, f) for f in far) + width
