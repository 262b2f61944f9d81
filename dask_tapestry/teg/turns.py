"""Turns: how an operator's cells may be computed piece by piece, as an operator declares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.zspace import ZRange


class Split(NamedTuple):
    """An operator as two: one that can be cut along what the operator folds, and what completes it.

    Attributes
    ----------
    first
        Takes the operator's inputs and yields partial results.
    then
        Takes what `first` yields, and yields the operator's value, to the same bits. None where
        `first` adds: its kernel adds a part of what is folded to the operator's block, which has
        cells `adds_to` before. Parts are cut along the first dimension of what `first` yields, and
        come in order.
    sums
        Where `first` adds, the box of its output whose parts together are added to a box of the
        operator's; None for a box that has to be cut before.
    """

    first: Any  # operators, whose module imports this one
    then: Any
    sums: Callable[[ZRange], ZRange | None] | None = None


class Merging(NamedTuple):
    """How partial results that come one after the other are merged, so that few are kept.

    Attributes
    ----------
    split
        Into what yields the last few partial results, and what completes these.
    first
        Takes the operator's inputs and yields partial results, those at level 0.
    pairs
        The n-th takes partial results at level n and yields those at the next one, each of two
        neighbours along `axis`, or of the last one alone: what `split.first` yields in the end.
    axis
        Along which partial results lie one after the other.
    freely
        Whether neighbours may be merged in whatever order, to the same bits.
    """

    split: Split
    first: Any
    pairs: tuple[Any, ...]
    axis: int
    freely: bool = False


class Carry(NamedTuple):
    """How pieces that follow each other along an axis hand on what they come to.

    Attributes
    ----------
    operator
        Takes the operator's inputs and, as the last one, what the piece before has left: a cell
        for each line along the axis. Its kernel leaves there what the next piece takes; the first
        piece begins with the axis and takes nothing.
    axis
        Of the output, along which each piece begins where the one before has ended.
    dtype
        Of what is handed on.
    """

    operator: Any
    axis: int
    dtype: np.dtype[Any]


class Turns(NamedTuple):
    """Says that cells can be computed piece by piece, each an ordinary box of the output.

    Attributes
    ----------
    sizes
        How it may be split, from few partial results to many; none for what folds nothing.
    split
        Function of one of the `sizes`.
    merging
        How what comes one after the other is merged, of one of the `sizes`; None where it does not.
    carry
        How a cell is computed without all cells before it, where those are its demand.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> total = dt.ones((4096, 4096)).sum(axis=0).node
    >>> turns = total.operator.turns(total.input_types)
    >>> first, then, _ = turns.split(turns.sizes[0])
    >>> print(first.infer(*total.input_types), then.infer(first.infer(*total.input_types)))
    float64[2, 4096] float64[4096]
    """

    sizes: tuple[int, ...] = ()
    split: Callable[[int], Split] | None = None
    merging: Callable[[int], Merging | None] | None = None
    carry: Carry | None = None


CELL_BY_CELL: Final = Turns()
