"""Counts of small integers: `bincount`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dynamic_shape import Counts, Deferred
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.reductions.bincount import bincount as bincount_tensor
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.planner.machine.resources import runs_elsewhere
from dask_tapestry.teg import Node, Tensor
from dask_tapestry.teg.value_span import value_span

__all__ = ["bincount"]

WIDE = np.dtype(np.int64)
DOUBLE = np.dtype(np.float64)


@implements(np.bincount)
def bincount(x: ArrayLike, /, weights: ArrayLike | None = None, minlength: int = 0) -> Array:
    """Count how often each number occurs, as `numpy.bincount`.

    The greatest cell decides the length of the result: it is computed when the shape is first asked
    for, unless no cell can reach `minlength`, as none of uint8 reaches 256, none of `x % 10` ten,
    and none of `distances.argmin(axis=1)` the number of columns.

    {Parameters}
        x: Non-negative integers, 1-d.
        weights: Real numbers of the shape of `x`; each adds its weight, in float64, instead of one.
        minlength: Least length of the result.
    {Returns} Array: Counts by number, 1-d: intp, or float64 with `weights`.
    {Raises}
        DTypeError: If `x` does not hold integers, or `weights` no real numbers.
        ShapeError: If `x` is not 1-d, `weights` has another shape, or `minlength` is negative.
        ValueError: When computed, if a cell is negative.
    {See Also} histogram, unique_counts, digitize
    {Examples}
    >>> dt.bincount(dt.asarray([1, 3, 1])).compute()
    array([0, 2, 0, 1])
    """
    cells, least = _numbers(x), integer(minlength)
    added = _checked(cells, weights, least)
    if not cells.type.size:
        return Array(full((least,), np.int64(0)))
    span = value_span(cells)
    most = max(1, span.most + 1) if span else 1
    bound = bincount_tensor(cells, max(most, least), added, strict=True)
    if most <= least:
        return Array(bound)
    longest = elementwise("add", astype(reduce(cells, "max"), WIDE), 1)
    keep = () if is_at_hand(cells) else (cells,)

    def build(counts: Counts, kept: Sequence[Node]) -> Node:
        if int(counts) < 1:
            raise ArgumentError("'list' argument must have no negative elements")
        numbers = kept[0] if kept else cells
        return bincount_tensor(numbers, max(int(counts), least), added, strict=True)

    owner = longest if keep else cells  # what is kept goes with what reads it
    return Array(Deferred(longest, keep, build, bound, owner))


def is_at_hand(cells: Tensor) -> bool:
    """Whether cells lie in the process that counts them: keeping blocks of them gains nothing."""
    return isinstance(cells.operator, NumpySource) and not runs_elsewhere()


def _numbers(x: ArrayLike) -> Tensor:
    """The cells as a tensor; of an empty list, which has no dtype, integers."""
    empty = isinstance(x, list | tuple) and not len(x)
    return asarray(x, WIDE if empty else None).node


def _checked(cells: Tensor, weights: ArrayLike | None, minlength: int) -> Tensor | None:
    """The weights as a tensor; raises where `numpy.bincount` does."""
    if cells.type.ndim != 1:
        depth = "too deep" if cells.type.ndim else "of too small depth"
        raise ShapeError(f"object {depth} for desired array: bincount takes one dimension")
    if cells.type.dtype.kind not in "biu":
        raise DTypeError(
            f"Cannot cast array data from {cells.type.dtype} to int64 according to the rule 'safe'"
        )
    if minlength < 0:
        raise ArgumentError("'minlength' must not be negative")
    if weights is None:
        return None
    added = asarray(weights).node
    if not np.can_cast(added.type.dtype, DOUBLE):
        raise DTypeError(
            f"Cannot cast array data from {added.type.dtype} to {DOUBLE} by the rule 'safe'"
        )
    if added.type.shape != cells.type.shape:
        raise ShapeError("The weights and list don't have the same length.")
    return added
