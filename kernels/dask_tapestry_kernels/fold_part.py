"""A part of a fold, one reduction of the cells of some blocks, as kernels are told of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Block = np.ndarray[Any, Any]


class FoldPart(NamedTuple):
    """One reduction of the cells of some blocks.

    Attributes
    ----------
    monoid
        What is folded, as ``"sum"``.
    axes
        The reduced axes.
    tree
        The canonical tree: ``sides(level)``, ``axis(level)``, ``span(level, axis, number)``,
        ``depth``, ``offset``, ``lattice``, ``inner(extents)``, ``selected``, ``folded``,
        ``selected_counts(level)``.
    origin
        Where the blocks begin along the reduced axes.
    dtype, state
        Of the value and of a node.
    ddof
        Degrees of freedom taken off the count.
    source, target
        Levels of nodes from and to which is folded; None for cells and for the value.
    expression
        The formula of the cells, where they are not a block themselves.
    spans
        First and one-past-last cell along each reduced axis that the nodes stand for; None where
        these are the cells of the blocks, and not only those from the first selected one to the
        last.
    """

    monoid: str
    axes: tuple[int, ...]
    tree: Any
    origin: tuple[int, ...]
    dtype: np.dtype[Any]
    state: np.dtype[Any]
    ddof: float
    source: int | None
    target: int | None
    expression: Any = None
    spans: tuple[tuple[int, int], ...] | None = None


def last_level(part: FoldPart) -> int:
    """The level to which nodes are merged."""
    return int(part.tree.depth if part.target is None else part.target)


def tells_places(part: FoldPart) -> bool:
    """Whether states say where in the reduced axes a cell lies."""
    return "place" in (part.state.names or ())


def globalize(
    nodes: Block,
    sides: tuple[int, ...],
    part: tuple[slice, ...],
    origin: tuple[int, ...],
    extents: tuple[int, ...],
) -> None:
    """Turn places counted within a leaf into running numbers over the reduced axes."""
    if len(sides) == 1:  # one addition, and none to the first leaf
        if origin[0] + part[0].start or nodes.shape[0] > 1:
            leaf = np.arange(nodes.shape[0]).reshape(-1, *(1,) * (nodes.ndim - 1))
            nodes["place"] += origin[0] + part[0].start + leaf * sides[0]
        return
    within = np.unravel_index(nodes["place"], sides)
    number = np.zeros((), np.intp)
    for axis, extent in enumerate(extents):
        leaf = np.arange(nodes.shape[axis]).reshape(-1, *(1,) * (nodes.ndim - axis - 1))
        start = origin[axis] + part[axis].start + leaf * sides[axis]
        number = number * extent + start + within[axis]
    nodes["place"] = number
