"""Records in order: by fields that are named, then by the others, as NumPy compares them."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.sorting.joined_keys import joined
from dask_tapestry.teg import Tensor


def compared(x: Tensor, order: str | Sequence[str] | None) -> Tensor:
    """What the cells of a tensor are sorted by: themselves, or their fields, joined.

    {Parameters}
        x: The tensor; a record with fields that have no order is refused by who sorts.
        order: Fields that count most, in that order; the others follow as they stand.
    {Raises} ArgumentError: For a field that is not there, or named twice.
    """
    names = x.type.dtype.names
    if not names:
        return x
    first = [order] if isinstance(order, str) else list(order or ())
    for number, name in enumerate(first):
        if name not in names:
            raise ArgumentError(f"unknown field name: {name!r}; the fields are {', '.join(names)}")
        if name in first[:number]:
            raise ArgumentError(f"duplicate field name: {name!r}")
    keys = [field(x, name) for name in (*first, *(name for name in names if name not in first))]
    if any(key.type.dtype.names or key.type.shape != x.type.shape for key in keys):
        return x
    return keys[0] if len(keys) == 1 else joined(keys)
