"""Differences of neighbours and gradients."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.core.reduction_arguments import NOT_GIVEN
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.broadcast import broadcast
from dask_tapestry.operators.concat import concat
from dask_tapestry.operators.elementwise import astype, elementwise
from dask_tapestry.operators.reshape import reshape
from dask_tapestry.operators.slice import basic_slice
from dask_tapestry.teg import Tensor

__all__ = ["diff", "ediff1d"]


@implements(np.diff)
def diff(
    a: Any, n: int = 1, axis: int = -1, prepend: Any = NOT_GIVEN, append: Any = NOT_GIVEN
) -> Array:
    """Return cells less their predecessors along `axis`, `n` times over, as `numpy.diff`.

    Parameters
    ----------
    n
        Times; 0 returns the array itself.
    prepend, append
        Joined to the array before; a scalar counts as one cell along `axis`.

    Raises
    ------
    ShapeError
        If `n` is negative or the array has no dimension.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.diff(dt.asarray([1, 4, 9]), prepend=0).compute()
    array([1, 3, 5])
    """
    times, x = index(n), asarray(a).node
    if times == 0:
        return Array(x)
    if times < 0:
        raise ShapeError(f"order must be non-negative but got {times}")
    if not x.type.ndim:
        raise ShapeError("diff requires input that is at least one dimensional")
    number = normalize_axis(axis, x.type.ndim)
    ends = [_end(end, x, number) for end in (prepend, append)]
    parts = [part for part in (ends[0], x, ends[1]) if part is not None]
    x = _joined(parts, number)
    for _ in range(times):
        x = _step(x, number)
    return Array(x)


def _joined(parts: list[Tensor], axis: int) -> Tensor:
    if len(parts) == 1:
        return parts[0]
    dtype = np.result_type(*[part.type.dtype for part in parts])
    return concat([astype(part, dtype) for part in parts], axis)


def _end(end: Any, x: Tensor, axis: int) -> Tensor | None:
    if end is NOT_GIVEN:
        return None
    cells = asarray(end).node
    if cells.type.ndim:
        return cells
    return broadcast(cells, (*x.type.shape[:axis], 1, *x.type.shape[axis + 1 :]))


def _step(x: Tensor, axis: int) -> Tensor:
    rest = (slice(None),) * axis
    later = basic_slice(x, (*rest, slice(1, None)))
    earlier = basic_slice(x, (*rest, slice(None, -1)))
    return elementwise("not_equal" if x.type.dtype.kind == "b" else "subtract", later, earlier)


@implements(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """Return the differences of neighbours of the flattened array, as `numpy.ediff1d`.

    Parameters
    ----------
    to_end, to_begin
        Put after and before the differences.

    Raises
    ------
    DTypeError
        If these cannot be converted to the array's dtype.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ediff1d(dt.asarray([1, 4, 9]), to_begin=0).compute()
    array([0, 3, 5])
    """
    x = asarray(ary).node
    flat = reshape(x, -1)
    between = elementwise("subtract", *_neighbours(flat))
    parts = [_beside(to_begin, x, "to_begin"), between, _beside(to_end, x, "to_end")]
    return Array(concat([part for part in parts if part is not None], 0))


def _neighbours(flat: Tensor) -> tuple[Tensor, Tensor]:
    return basic_slice(flat, (slice(1, None),)), basic_slice(flat, (slice(None, -1),))


def _beside(given: Any, x: Tensor, name: str) -> Tensor | None:
    if given is None:
        return None
    cells = asarray(given).node
    if not np.can_cast(cells.type.dtype, x.type.dtype, "same_kind"):
        raise DTypeError(
            f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
        )
    return astype(reshape(cells, -1), x.type.dtype)
