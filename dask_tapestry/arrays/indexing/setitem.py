"""``x[key] = value``, `__setitem__`, for every key that NumPy takes: x becomes a new value."""

from __future__ import annotations

from math import isfinite, isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.casts import cast
from dask_tapestry.arrays.core.convert import asarray, is_pythons
from dask_tapestry.arrays.core.index_keys import Cells, Key, in_bounds, parse
from dask_tapestry.arrays.core.key_types import UserKey
from dask_tapestry.arrays.core.masked import Masked
from dask_tapestry.arrays.core.selected_cells import selection_in
from dask_tapestry.arrays.indexing.fields import names_fields, one_field
from dask_tapestry.arrays.indexing.getitem import places_of
from dask_tapestry.cells import CellExpression
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.cells.references import one_cell
from dask_tapestry.errors import ArgumentError, DTypeError, ShapeError, ValueRangeError
from dask_tapestry.io.sources.coerce import is_array_like
from dask_tapestry.io.sources.masked_array import is_masked
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.cell_bytes import with_field
from dask_tapestry.operators.cells.cell_updates import updated
from dask_tapestry.operators.cells.elementwise import scalar_of
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.indexing.scatter import scatter_places
from dask_tapestry.operators.joins.insert import insert
from dask_tapestry.operators.layouts.in_format import in_format
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.reverse import reverse
from dask_tapestry.operators.views.slice import basic_slice, slice_items
from dask_tapestry.operators.views.squeeze import squeeze
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.rules.effects import following
from dask_tapestry.teg import Progression, Tensor, TensorType


def setitem(x: Array, key: UserKey, value: ArrayLike) -> None:
    """Assign to ``x[key]``; the array is a new value from then on.

    What was made of the array before keeps its value. Of several values for one cell the last wins.

    {Parameters}
        {x}
        key: As of `getitem`.
        value: Broadcast to what is indexed, and converted to the array's dtype.
    {Raises}
        IndexingError: For an index out of bounds, too many of them, or one of another kind.
        ShapeError: If the value does not broadcast to what is indexed.
        DTypeError, ArgumentError: If the value cannot be converted.
    {Examples}
    >>> x = dt.zeros(4)
    >>> x[1:3] = 7
    >>> x.compute()
    array([0., 7., 7., 0.])
    """
    node = x.node
    if names_fields(key, node):
        name, kind = one_field(node, key)
        cells = _broadcast_value(_converted(value, kind.base), (*node.type.shape, *kind.shape))
        x.node = with_field(node, name, cells)
        return
    parsed = parse(key, node.type)
    part = basic_slice(node, parsed.basic)
    whole = _of_the_same_mask(part, parsed, value)
    new_cells = _converted(value, node.type.dtype) if whole is None else whole
    if new_cells.type.ndim and _is_cell(key, node.type.ndim):
        raise ShapeError("setting an array element with a sequence.")
    if whole is None and new_cells.type.ndim > 1 and _is_one_mask(key, parsed, node.type.ndim):
        raise DTypeError(
            "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input "
            f"has {new_cells.type.ndim} dimensions"
        )
    if parsed.advanced and whole is None:
        new_cells = _with_places_replaced(part, parsed, new_cells, node.type)
    made, known = _with_slice_replaced(node, part, new_cells), node.format
    x.node = made if known is None or made.format is not None else in_format(made, known)


def updated_at(x: Tensor, key: UserKey, values: Tensor, update: CellExpression) -> Tensor:
    """`x` with `values` folded into ``x[key]``, one after the other.

    {Parameters}
        values: Broadcast to what is indexed; of the dtype of the update's second parameter.
        update: What a cell becomes of itself and of a value.
    {Raises} IndexingError, ShapeError: As `setitem`.
    """
    parsed = parse(key, x.type)
    part = basic_slice(x, parsed.basic)
    if parsed.advanced:
        made = _with_places_replaced(part, parsed, values, x.type, update)
    else:
        made = updated(part, _broadcast_value(values, part.type.shape), update)
    return _with_slice_replaced(x, part, made)


def _is_cell(key: UserKey, ndim: int) -> bool:
    """Whether a key names one cell by integers alone."""
    items = key if isinstance(key, tuple) else (key,)
    return len(items) == ndim and all(map(_is_number, items))


def _is_number(item: object) -> bool:
    """Whether an item of a key is one integer, known or lazy."""
    if isinstance(item, int):
        return not isinstance(item, bool)
    if not isinstance(item, Array | np.ndarray | np.generic):
        return False
    return item.dtype.kind in "iu" and not item.ndim


def _is_one_mask(key: UserKey, parsed: Key, ndim: int) -> bool:
    """Whether a key is a mask of all dimensions and nothing else."""
    if (isinstance(key, tuple) and len(key) > 1) or len(parsed.advanced) != 1:
        return False
    (one,) = parsed.advanced
    rank = 0 if one.axis is None else len(one.dims)
    return one.is_mask and rank == ndim


def _cells_of(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """What a sequence holds, as cells; NumPy refuses what does not fit."""
    with reading("value"):
        try:
            return np.array(value, dtype)
        except OverflowError as error:
            raise ValueRangeError(str(error)) from None


def _converted(value: ArrayLike | float, dtype: np.dtype[Any]) -> Tensor:
    """The value as a tensor of the array's dtype, converted as strictly as NumPy does."""
    if is_masked(value) or isinstance(value, Masked):
        raise DTypeError(
            "masked values cannot be assigned to an array without a mask, which would become "
            "another kind of array: assign them to dt.ma.masked_array(x), or fill them first"
        )
    if isinstance(value, complex) and dtype.kind not in "c":
        raise DTypeError(
            f"a complex number cannot be assigned to cells of dtype {dtype_name(dtype)}"
        )
    if isinstance(value, float) and dtype.kind in "mM":
        kind = "datetime" if dtype.kind == "M" else "timedelta"
        raise ArgumentError(f"Could not convert object to NumPy {kind}: {value}")
    if isinstance(value, float) and dtype.kind in "iu" and not isfinite(value):
        if isnan(value):
            raise ArgumentError("cannot convert float NaN to integer")
        raise ValueRangeError("cannot convert float infinity to integer")
    if isinstance(value, bool | int | float | complex):
        return full((), scalar_of(value, dtype))
    if isinstance(value, str | bytes) and dtype.kind not in "USmM":
        return full((), scalar_of(np.asarray(value).flat[0], dtype))
    if dtype.kind == "O" and not is_array_like(value):
        return full((), one_cell(value, dtype))
    if is_pythons(value):
        return asarray(_cells_of(value, dtype)).node
    return cast(asarray(value).node, dtype)


def _with_slice_replaced(x: Tensor, part: Tensor, value: Tensor) -> Tensor:
    """`x` with `part`, a slice of it, replaced."""
    fitting = _broadcast_value(value, part.type.shape)
    if part is x:
        return following(fitting, [x])
    slices = slice_items(part)
    into: list[Progression] = []
    backward: list[int] = []
    dim = 0
    for item in slices:
        if item is None:
            fitting = squeeze(fitting, dim)
            continue
        if isinstance(item, int):
            fitting = unsqueeze(fitting, dim)
            into.append(Progression(item, 1, 1))
        else:
            start, stop, step = item
            into.append(Progression.of(start, step, len(range(start, stop, step))))
            backward += [dim] if step < 0 else []
        dim += 1
    made = insert(x, tuple(into), reverse(fitting, tuple(backward)) if backward else fitting)
    if made is x:
        return following(x, [fitting])
    return made if x in made.inputs else following(made, [x])


def _of_the_same_mask(x: Tensor, key: Key, value: ArrayLike) -> Tensor | None:
    """`x`, a slice, with cells that the mask of the key itself selects; None for other values.

    ``x[mask] = 2 * x[mask] + y[mask]`` chooses cell by cell, and nobody counts the mask.
    """
    made = value.selected if isinstance(value, Array) else None
    if made is None or len(key.advanced) != 1 or not key.advanced[0].is_mask:
        return None
    selection, dims = selection_in(made), key.advanced[0].dims
    if selection.mask is not _as_tensor(key.advanced[0].cells) or key.at != dims[0]:
        return None
    if selection.dim != dims[0] or selection.cells.type.shape != x.type.shape:
        return None
    same = selection.cells.type.dtype == x.type.dtype
    cells = selection.cells if same else cast(selection.harmless, x.type.dtype)
    return where(selection.where, cells, x)


def _broadcast_value(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    """`value` broadcast to `shape`; surplus leading dimensions of length one are dropped."""
    extra = value.type.ndim - len(shape)
    if extra > 0 and all(n == 1 for n in value.type.shape[:extra]):
        value = squeeze(value, tuple(range(extra)))
    try:
        return broadcast(value, shape)
    except ShapeError:
        raise ShapeError(
            f"could not broadcast input array from shape {value.type.shape} into shape {shape}"
        ) from None


def _with_places_replaced(
    x: Tensor, key: Key, value: Tensor, whole: TensorType, update: CellExpression | None = None
) -> Tensor:
    """`x`, a slice of an array of type `whole`, with the cells that advanced items pick set.

    With `update`, values are folded into them.
    """
    one = update is None and len(key.advanced) == 1
    if one and key.advanced[0].is_mask and key.at == key.advanced[0].dims[0]:
        mask, first = _as_tensor(key.advanced[0].cells), key.advanced[0].dims[0]
        along = value.type.ndim - (x.type.ndim - first - mask.type.ndim) - 1
        if along < 0 or value.type.shape[along] == 1:
            return _where_masked(x, mask, first, value, along)
    indices, dims, _ = places_of(key)
    shape = broadcast_shape([p.type.shape for p in indices])
    kept = [n for dim, n in enumerate(x.type.shape) if dim not in dims]
    full_shape = (*kept[: key.at], *shape, *kept[key.at :])
    try:
        fitted = _broadcast_value(value, full_shape)
    except ShapeError:
        raise ShapeError(
            f"shape mismatch: value array of shape {value.type.shape} could not be broadcast to "
            f"indexing result of shape {full_shape}"
        ) from None
    indices, dims, _ = places_of(in_bounds(key, whole))
    return scatter_places(x, indices, dims, key.at, fitted, update)


def _as_tensor(cells: Cells) -> Tensor:
    return cells if isinstance(cells, Tensor) else asarray(cells).node


def _where_masked(x: Tensor, mask: Tensor, first: int, value: Tensor, along: int) -> Tensor:
    """`value`, which has one slice for all true cells, where a mask from `first` on is true."""
    rank = mask.type.ndim
    spread = (
        unsqueeze(mask, tuple(range(rank, x.type.ndim - first))) if x.type.ndim > first else mask
    )
    if along >= 0:
        value = squeeze(value, along)
        value = unsqueeze(value, tuple(range(along, along + rank)))
    return where(spread, _broadcast_value(value, x.type.shape), x)
