"""``x[key]`` and ``x[key] = value`` for every key that NumPy takes."""

from __future__ import annotations

from math import isfinite, isnan
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.boolean_mask import masked, masked_by, nonzero
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.index_keys import Advanced, Key, parse, within
from dask_tapestry.errors import (
    ArgumentError,
    DTypeError,
    IndexingError,
    ShapeError,
    ValueRangeError,
)
from dask_tapestry.operators.broadcast import broadcast, broadcast_shape
from dask_tapestry.operators.elementwise import astype, scalar_of
from dask_tapestry.operators.full import full
from dask_tapestry.operators.index_bounds import IndexBounds
from dask_tapestry.operators.insert import insert
from dask_tapestry.operators.permute import permute
from dask_tapestry.operators.reverse import reverse
from dask_tapestry.operators.scatter import scatter
from dask_tapestry.operators.slice import Slice, basic_slice
from dask_tapestry.operators.squeeze import squeeze
from dask_tapestry.operators.take import take_places
from dask_tapestry.operators.unsqueeze import unsqueeze
from dask_tapestry.operators.where import where
from dask_tapestry.plan.effects import following
from dask_tapestry.teg import Progression, Tensor, TensorType


def getitem(x: Any, key: Any) -> Array:
    """Index with integers, slices, Ellipsis, None, integer arrays and masks, as NumPy.

    A result of masks has as many cells as are true, which is counted when its shape is first asked.
    Places that are arrays of this library are checked when they are computed.

    Raises
    ------
    IndexingError
        For an index out of bounds, too many of them, or one of another kind.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.arange(10)
    >>> x[2:9:3].compute(), x[[1, -1]].compute(), x[x % 4 == 1].compute()
    (array([2, 5, 8]), array([1, 9]), array([1, 5, 9]))
    """
    node = asarray(x).node
    if _is_basic(key):
        return Array(basic_slice(node, key if isinstance(key, tuple) else (key,)))
    parsed = within(parse(key, node.type), node.type)
    rest = basic_slice(node, parsed.basic)
    match parsed.advanced:
        case ():
            return Array(rest)
        case (Advanced() as only,) if only.is_mask:
            if isinstance(only.cells, np.ndarray):
                return masked_by(_moved(rest, only.dims, parsed.at), parsed.at, only.cells)
            return masked(_moved(rest, only.dims, parsed.at), parsed.at, only.cells)
    places, dims, bounds = _places(parsed)
    return Array(take_places(rest, places, dims, parsed.at, bounds))


def _moved(x: Tensor, dims: tuple[int, ...], at: int) -> Tensor:
    """`x` with the dimensions that a mask indexes where its cells will be."""
    if dims[0] == at:
        return x
    order = [dim for dim in range(x.type.ndim) if dim not in dims]
    return permute(x, (*order[:at], *dims, *order[at:]))


def _is_basic(key: Any) -> bool:
    """Whether a key is plainly one of integers and slices, the most frequent ones."""
    items = key if isinstance(key, tuple) else (key,)
    return all(type(one) in (int, slice) or one is None or one is Ellipsis for one in items)


def _tensor(cells: Any) -> Tensor:
    return cells if isinstance(cells, Tensor) else asarray(cells).node


def _places(key: Key) -> tuple[list[Tensor], list[int], IndexBounds | None]:
    """Integer tensors for all advanced items, the dimensions they index, where they lie."""
    places: list[Tensor] = []
    dims: list[int] = []
    known: list[np.ndarray[Any, Any]] = []
    for item in key.advanced:
        dims += item.dims
        if isinstance(item.cells, np.ndarray):
            found = np.nonzero(item.cells) if item.is_mask else (item.cells,)
            known += found
            places += [asarray(one).node for one in found]
        elif item.is_mask:
            places += [one.node for one in nonzero(Array(item.cells))]
        else:
            places.append(item.cells)
    shape = [p.type.shape for p in places]
    try:
        broadcast_shape(shape, "indexing arrays")
    except ShapeError:
        texts = " ".join(map(str, shape))
        raise IndexingError(
            f"shape mismatch: indexing arrays could not be broadcast together with shapes {texts}"
        ) from None
    return places, dims, IndexBounds.of(known) if len(known) == len(places) else None


def setitem(x: Array, key: Any, value: Any) -> None:
    """Assign to what `getitem` would return; the array is a new value from then on.

    Values broadcast and are converted to the array's dtype. What was made of the array before keeps
    its value. Of several values for one cell the last wins.

    Raises
    ------
    IndexingError
        As `getitem`.
    ShapeError
        If the value does not broadcast to what is indexed.
    """
    node = x.node
    parsed = parse(key, node.type)
    part = basic_slice(node, parsed.basic)
    given = _value(value, node.type.dtype)
    if given.type.ndim and _is_cell(key, node.type.ndim):
        raise ShapeError("setting an array element with a sequence.")
    if given.type.ndim > 1 and _is_one_mask(key, parsed, node.type.ndim):
        raise DTypeError(
            "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input "
            f"has {given.type.ndim} dimensions"
        )
    if parsed.advanced:
        given = _with_advanced(part, parsed, given, node.type)
    x.node = _with_basic(node, part, given)


def _is_cell(key: Any, ndim: int) -> bool:
    """Whether a key names one cell by integers alone."""
    items = key if isinstance(key, tuple) else (key,)
    return len(items) == ndim and all(map(_is_number, items))


def _is_number(item: Any) -> bool:
    """Whether an item of a key is one integer, known or lazy."""
    if isinstance(item, int):
        return not isinstance(item, bool)
    kind = getattr(getattr(item, "dtype", None), "kind", "")
    return kind in ("i", "u") and not item.ndim


def _is_one_mask(key: Any, parsed: Key, ndim: int) -> bool:
    """Whether a key is a mask of all dimensions and nothing else."""
    if (isinstance(key, tuple) and len(key) > 1) or len(parsed.advanced) != 1:
        return False
    (one,) = parsed.advanced
    (item,) = key if isinstance(key, tuple) else (key,)
    return one.is_mask and np.ndim(item) == ndim


def _holds_arrays(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_holds_arrays, value))
    return isinstance(value, Array | np.ndarray)


def _value(value: Any, dtype: np.dtype[Any]) -> Tensor:
    """What is assigned, in the array's dtype."""
    if isinstance(value, complex) and dtype.kind not in "c":
        raise DTypeError(f"a complex number cannot be assigned to cells of dtype {dtype.name}")
    if isinstance(value, float) and dtype.kind in "mM":
        kind = "datetime" if dtype.kind == "M" else "timedelta"
        raise ArgumentError(f"Could not convert object to NumPy {kind}: {value}")
    if isinstance(value, float) and dtype.kind in "iu" and not isfinite(value):
        if isnan(value):
            raise ArgumentError("cannot convert float NaN to integer")
        raise ValueRangeError("cannot convert float infinity to integer")
    if isinstance(value, bool | int | float | complex):
        return full((), scalar_of(value, dtype))
    if isinstance(value, list | tuple) and dtype.kind in "iu" and not _holds_arrays(value):
        return asarray(np.array(value, dtype)).node  # it refuses what does not fit
    if isinstance(value, str | bytes) and dtype.kind not in "USmM":
        return full((), scalar_of(np.asarray(value).flat[0], dtype))
    return astype(asarray(value).node, dtype)


def _with_basic(x: Tensor, part: Tensor, value: Tensor) -> Tensor:
    """`x` with `part`, a slice of it, replaced."""
    fitting = _fitted(value, part.type.shape)
    if part is x:
        return following(fitting, [x])
    slices = part.operator.items if isinstance(part.operator, Slice) else ()
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


def _fitted(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    """`value` broadcast to `shape`; leading dimensions of length one may be too many."""
    extra = value.type.ndim - len(shape)
    if extra > 0 and all(n == 1 for n in value.type.shape[:extra]):
        value = squeeze(value, tuple(range(extra)))
    try:
        return broadcast(value, shape)
    except ShapeError:
        raise ShapeError(
            f"could not broadcast input array from shape {value.type.shape} into shape {shape}"
        ) from None


def _with_advanced(x: Tensor, key: Key, value: Tensor, whole: TensorType) -> Tensor:
    """`x`, a part of an array of type `whole`, with the cells that advanced items name replaced."""
    if len(key.advanced) == 1 and key.advanced[0].is_mask and key.at == key.advanced[0].dims[0]:
        mask, first = _tensor(key.advanced[0].cells), key.advanced[0].dims[0]
        along = value.type.ndim - (x.type.ndim - first - mask.type.ndim) - 1
        if along < 0 or value.type.shape[along] == 1:
            return _where_masked(x, mask, first, value, along)
    places, dims, _ = _places(key)
    shape = broadcast_shape([p.type.shape for p in places])
    kept = [n for dim, n in enumerate(x.type.shape) if dim not in dims]
    full_shape = (*kept[: key.at], *shape, *kept[key.at :])
    try:
        fitted = _fitted(value, full_shape)
    except ShapeError:
        raise ShapeError(
            f"shape mismatch: value array of shape {value.type.shape} could not be broadcast to "
            f"indexing result of shape {full_shape}"
        ) from None
    places, dims, _ = _places(within(key, whole))
    return scatter(x, places, dims, key.at, fitted)


def _where_masked(x: Tensor, mask: Tensor, first: int, value: Tensor, along: int) -> Tensor:
    """`value` where a mask of the dimensions from `first` on is true; it has one slice for all."""
    rank = mask.type.ndim
    spread = (
        unsqueeze(mask, tuple(range(rank, x.type.ndim - first))) if x.type.ndim > first else mask
    )
    if along >= 0:
        value = squeeze(value, along)
        value = unsqueeze(value, tuple(range(along, along + rank)))
    return where(spread, _fitted(value, x.type.shape), x)
