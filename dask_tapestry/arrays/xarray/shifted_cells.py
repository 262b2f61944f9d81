"""xarray's `shift` and `roll`, whose chunks are nominal: they do not say how cells are held."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.operators.layouts.nominal_chunks import with_chunks_kept
from dask_tapestry.teg.nominal import nominal_chunks


def in_chunks_as_before(move: Callable[..., Any]) -> Callable[..., Any]:
    """Xarray's shift, or roll, along one dimension.

    It ends by asking for the chunks that the array had before. Asked of an array of this library,
    that is a constraint: cells that were moved would be held in these blocks.
    """

    @wraps(move)
    def moved(self: Any, dim: Any, count: int, **how: Any) -> Any:
        shifted = move(self, dim, count, **how)
        if not isinstance(shifted._data, Array):
            return shifted
        node = shifted._data.node
        if node.operator.layout is None:  # nothing asked for chunks
            return shifted
        kept = with_chunks_kept(node.inputs[0], nominal_chunks(self._data.node))
        return shifted._replace(data=Array(kept))

    return moved
