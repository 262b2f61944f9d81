"""Cells as fields and bytes: some fields, one field assigned, another dtype, equality, zeros."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod
from typing import Any

import numpy as np

from dask_tapestry.cells.fixed_dtype import fixed_dtype
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells, packed
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.tuning import MOST_JOINED_CELLS
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor

Block = np.ndarray[Any, Any]


@dataclass(frozen=True)
class FieldSelection:
    """``x[names]`` of structured cells."""

    names: tuple[str, ...]

    def __call__(self, x: Block) -> Block:
        return x[list(self.names)]


@dataclass(frozen=True)
class FieldAssignment:
    """Structured cells with one field replaced, of which each value is one cell."""

    name: str

    def __call__(self, x: Block, *values: Block) -> Block:
        made = x.copy()
        cells = made[self.name]
        for place, value in zip(np.ndindex(cells.shape[x.ndim :]), values, strict=True):
            cells[(..., *place)] = value
        return made


@dataclass(frozen=True)
class BytesView:
    """The bytes of cells as cells of a dtype of the same size."""

    dtype: np.dtype[Any]

    def __dask_tokenize__(self) -> tuple[str, str]:
        return "Viewed", repr(self.dtype)  # Dask takes structured dtypes of one size for equal

    def __call__(self, x: Block) -> Block:
        made = x.view(self.dtype)
        return made.astype(fixed_dtype(self.dtype), copy=False)


@dataclass(frozen=True)
class BytesEqual:
    """Whether cells of bytes or fields are equal."""

    def __call__(self, x: Block, y: Block) -> Block:
        return np.asarray(x == y)


@dataclass(frozen=True)
class NotZero:
    """Whether cells of bytes or fields have anything that is not zero or empty."""

    def __call__(self, x: Block) -> Block:
        made = np.zeros(x.size, bool)
        made[np.flatnonzero(x)] = True
        return made.reshape(x.shape)


def fields(x: Tensor, names: Sequence[str]) -> Tensor:
    """Return structured cells of some fields of `x`, in the order of `names`."""
    kind: Any = x.type.dtype
    return called_on_cells(FieldSelection(tuple(names)), kind[list(names)], [x])


def with_field(x: Tensor, name: str, value: Tensor) -> Tensor:
    """Return `x` with the field `name` of its structured cells replaced by `value`.

    Parameters
    ----------
    value
        Of the shape of `x`; then come the axes of a field that is an array.

    Raises
    ------
    DTypeError
        If the field is an array of more cells than can be read together.
    """
    kind: Any = x.type.dtype
    inner: np.dtype[Any] = kind[name]
    count = prod(inner.shape)
    if count > MOST_JOINED_CELLS:
        raise DTypeError(
            f"field {name!r} holds {count} numbers in each cell, above {MOST_JOINED_CELLS}: such a "
            "field cannot be assigned; make new cells in a function of `map_blocks`"
        )
    cells = reshape(astype(value, inner.base), (*x.type.shape, count))
    pieces = [basic_slice(cells, (..., n)) for n in range(count)]
    return called_on_cells(FieldAssignment(name), x.type.dtype, [x, *pieces])


def equal_cells(x: Tensor, y: Tensor) -> Tensor:
    """Return whether cells of bytes or fields are equal.

    Raises
    ------
    DTypeError
        If NumPy compares no cells of these dtypes.
    """
    try:
        made = np.empty(1, x.type.dtype) == np.empty(1, y.type.dtype)
    except TypeError as error:
        raise DTypeError(str(error)) from None
    if np.shape(made) != (1,):
        raise DTypeError(f"cells of {x.type.dtype} and {y.type.dtype} cannot be compared")
    return called_on_cells(BytesEqual(), np.dtype(bool), [x, y])


def not_zero_cells(x: Tensor) -> Tensor:
    """Return whether cells of bytes or fields are not zero, as `numpy.nonzero` takes them."""
    return called_on_cells(NotZero(), np.dtype(bool), [x])


def view_cells(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """Return the bytes of `x` as cells of `dtype`, as ``numpy.ndarray.view``.

    Raises
    ------
    ShapeError
        If cells of the last axis do not make whole cells of `dtype`.
    DTypeError
        If more cells become one than can be read together.
    """
    old, new = fixed_dtype(x.type.dtype).itemsize, dtype.itemsize
    if old == new:
        return called_on_cells(BytesView(dtype), fixed_dtype(dtype), [x])
    if not x.type.ndim:
        raise ShapeError(
            "Changing the dtype of a 0d array is only supported if the itemsize is unchanged"
        )
    *outer, last = x.type.shape
    if new and old % new == 0:
        parts = np.dtype([("part", fixed_dtype(dtype), (old // new,))])
        split = field(called_on_cells(BytesView(parts), parts, [x]), "part")
        made = reshape(split, (*outer, last * (old // new)))
        return made if dtype.isnative else view_cells(made, dtype)
    if new < old or not old:
        raise ShapeError(
            "When changing to a smaller dtype, its size must be a divisor of the size of original "
            "dtype"
        )
    if (last * old) % new:
        raise ShapeError(
            "When changing to a larger dtype, its size must be a divisor of the total size in "
            "bytes of the last axis of the array"
        )
    if new % old:  # NumPy's, which asks for whole cells of the last axis alone
        return view_cells(view_cells(x, np.dtype(f"V{gcd(old, new)}")), dtype)
    count = new // old
    if count > MOST_JOINED_CELLS:
        raise DTypeError(
            f"a cell of {dtype} would be made of {count} cells, above {MOST_JOINED_CELLS}"
        )
    rows = reshape(x, (*outer, last // count, count))
    whole = (slice(None),) * (len(outer) + 1)
    pieces = [basic_slice(rows, (*whole, n)) for n in range(count)]
    assert prod(pieces[0].type.shape) * new == x.type.nbytes
    return called_on_cells(BytesView(dtype), fixed_dtype(dtype), [packed(pieces)])
