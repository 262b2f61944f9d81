"""Fields of structured cells, ``x["name"]`` and ``x[["a", "b"]]``, and their assignment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from dask_tapestry.errors import ArgumentError, IndexingError
from dask_tapestry.operators.cells.cell_bytes import fields
from dask_tapestry.operators.cells.field import field
from dask_tapestry.teg import Tensor


def names_fields(key: object, x: Tensor) -> TypeGuard[str | list[str]]:
    """Whether a key for structured cells is the name of a field, or a list of names."""
    if x.type.dtype.names is None:
        return False
    if isinstance(key, list):
        return bool(key) and all(isinstance(name, str) for name in key)
    return isinstance(key, str)


def chosen_fields(x: Tensor, key: str | Sequence[str]) -> Tensor:
    """Return ``x[key]``: one field, or cells of several.

    {Raises} ArgumentError: If there is no such field.
    """
    names = [key] if isinstance(key, str) else list(key)
    _check(x.type.dtype, names)
    return field(x, key) if isinstance(key, str) else fields(x, names)


def one_field(x: Tensor, key: str | Sequence[str]) -> tuple[str, np.dtype[Any]]:
    """The name of the field that is assigned, and its dtype, which has a shape for an array.

    {Raises}
        ArgumentError: If there is no such field.
        IndexingError: For several fields at once.
    """
    if not isinstance(key, str):
        raise IndexingError(f"assign to the fields {list(key)} one by one")
    dtype = x.type.dtype
    _check(dtype, [key])
    assert dtype.fields is not None
    return key, np.dtype(dtype.fields[key][0])


def _check(dtype: Any, names: Sequence[str]) -> None:
    for name in names:
        if name not in dtype.names:
            raise ArgumentError(f"no field of name {name}; there are {', '.join(dtype.names)}")
