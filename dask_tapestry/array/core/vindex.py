"""``x.vindex[...]``: pointwise indexing, Dask's name for NumPy's with integer arrays."""

from __future__ import annotations

from typing import Any

from dask_tapestry.errors import IndexingError


class VIndex:
    """What ``x.vindex`` returns: ``x.vindex[i, j]`` takes the cells ``x[i[k], j[k]]``.

    The dimensions of the index arrays come first, those taken whole after them.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.arange(6).reshape(2, 3)
    >>> x.vindex[[0, 1], [2, 0]].compute()
    array([2, 3])
    """

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> Any:
        items = key if isinstance(key, tuple) else (key,)
        missing = self._array.ndim - sum(item is not Ellipsis for item in items)
        if Ellipsis in [i for i in items if isinstance(i, type(Ellipsis))]:
            at = next(n for n, i in enumerate(items) if i is Ellipsis)
            items = (*items[:at], *(slice(None),) * missing, *items[at + 1 :])
        if any(isinstance(i, slice) and i != slice(None) for i in items) or None in [
            i for i in items if i is None
        ]:
            raise IndexingError("vindex takes integer arrays and whole slices (`:`) only")
        whole = [n for n, i in enumerate(items) if isinstance(i, slice)]
        named = [n for n in range(len(items)) if n not in whole]
        if not named:
            raise IndexingError("vindex takes at least one integer or integer array")
        rest = range(len(items), self._array.ndim)
        front = self._array.transpose((*named, *whole, *rest))
        return front[tuple(items[n] for n in named)]
