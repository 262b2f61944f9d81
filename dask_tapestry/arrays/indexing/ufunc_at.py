"""The methods `at` and `reduceat` of NumPy's ufuncs: folds of cells at places, and of segments."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import METHODS
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.key_types import UserKey
from dask_tapestry.arrays.core.known_values import known_now
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.core.reduction_arguments import fold_dtype_for_out
from dask_tapestry.arrays.indexing.folds_at_places import fold_many_at
from dask_tapestry.arrays.indexing.segment_folds import fold_segments
from dask_tapestry.arrays.indexing.setitem import updated_at
from dask_tapestry.cells import UFUNCS
from dask_tapestry.errors import ArgumentError, DTypeError, IndexingError
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.cell_updates import ufunc_update
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.indexing.scatter import scatter_places
from dask_tapestry.operators.indexing.take import take

NO_VALUE: Final = np.uint8(0)  # of ufuncs that take the cell alone


def _fold_at(name: str, x: Any, key: UserKey, *values: ArrayLike) -> Any:
    """Fold values into ``x[key]``, one after the other, as `numpy.ufunc.at`.

    The array is a new value from then on, as after an assignment.
    """
    if not isinstance(x, Array):
        raise DTypeError(
            f"numpy.{name}.at writes to its first argument now, which is no Array of "
            "dask_tapestry: compute() the others first"
        )
    if len(values) != UFUNCS[name].nin - 1:
        raise ArgumentError(f"{name}.at takes {UFUNCS[name].nin - 1} operand beside the indices")
    given = asarray(values[0]).node if values else full((), NO_VALUE)
    update = ufunc_update(name, x.dtype, given.type.dtype)
    cells = astype(given, update.parameters[1])
    folded = fold_many_at(x.node, name, key, cells)
    x.node = updated_at(x.node, key, cells, update) if folded is None else folded
    return None


def _reduceat(
    name: str,
    array: ArrayLike,
    indices: ArrayLike,
    axis: int = 0,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
) -> Array:
    """Fold the segments that begin at `indices`, as `numpy.ufunc.reduceat`.

    A segment ends where the next one begins; one that would end before it begins is its first cell.
    """
    # The shape of what is folded follows from the values of the indices.
    x = asarray(array).node
    with reading(f"indices of {name}.reduceat"):
        begins = np.asarray(known_now(indices, f"indices of {name}.reduceat"))
    if not x.type.ndim and integer(axis) in (0, -1):
        raise DTypeError("cannot reduceat on a scalar")
    number = normalize_axis(axis, x.type.ndim)
    extent = x.type.shape[number]
    if begins.ndim != 1 or (begins.size and begins.dtype.kind not in "iu"):
        raise IndexingError(f"indices of {name}.reduceat must be a list of integers")
    wrong = begins[(begins < 0) | (begins >= extent)]
    if wrong.size:
        raise IndexingError(f"index {wrong[0]} out-of-bounds in {name}.reduceat [0, {extent})")
    kind = fold_dtype_for_out(name, x.type.dtype, out) if dtype is None else as_dtype(dtype)
    trial = getattr(np, name).reduceat(np.zeros(1, x.type.dtype), [0], dtype=kind)
    cells = astype(x, trial.dtype)
    in_order = fold_segments(cells, name, begins.astype(np.intp), number)
    if in_order is not None:
        return assigned_to_out(out, Array(in_order))
    first = take(cells, asarray(begins.astype(np.intp)).node, number)
    segment, place = _beyond_first(begins.astype(np.intp), extent)
    if not place.size:
        return assigned_to_out(out, Array(first))
    rest = take(cells, asarray(place).node, number)
    update = ufunc_update(name, trial.dtype, trial.dtype)
    folded = scatter_places(first, [asarray(segment).node], [number], number, rest, update)
    return assigned_to_out(out, Array(folded))


def _beyond_first(begins: np.ndarray[Any, Any], extent: int) -> tuple[Any, Any]:
    """Numbers and places of all cells of segments but their first ones, in order.

    Examples
    --------
    >>> [part.tolist() for part in _beyond_first(np.array([0, 3, 1]), 4)]
    [[0, 0, 2, 2], [1, 2, 2, 3]]
    """
    ends = np.append(begins[1:], extent)
    lengths = np.maximum(ends - begins - 1, 0)
    segment = np.repeat(np.arange(len(begins)), lengths)
    before = np.cumsum(lengths) - lengths
    place = np.arange(len(segment)) - np.repeat(before - begins - 1, lengths)
    return segment, place


_named_reduceat = names_axes(_reduceat)


def register() -> None:
    """Make the methods known to NumPy's dispatch."""
    for name, ufunc in UFUNCS.items():
        if ufunc.nout == 1 and ufunc.nin < 3:
            METHODS[name, "at"] = partial(_fold_at, name)
        if ufunc.nout == 1 and ufunc.nin == 2:
            METHODS[name, "reduceat"] = partial(_named_reduceat, name)
