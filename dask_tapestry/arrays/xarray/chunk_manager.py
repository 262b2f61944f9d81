"""The chunk manager: this library as xarray asks a library of chunked arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import dask.config
import numpy as np
from dask.utils import parse_bytes
from xarray.namedarray.parallelcompat import ChunkManagerEntrypoint

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.storage.stores import store
from dask_tapestry.arrays.user_functions.block_scan import scan_blocks
from dask_tapestry.arrays.user_functions.blockwise import blockwise
from dask_tapestry.arrays.user_functions.gufuncs import apply_gufunc
from dask_tapestry.arrays.user_functions.map_blocks import map_blocks
from dask_tapestry.arrays.user_functions.reduction import reduction
from dask_tapestry.arrays.xarray import namespace
from dask_tapestry.arrays.xarray.empty_slices import nothing_said_of_empty_slices
from dask_tapestry.arrays.xarray.lazy_backend_arrays import opened, unwrapped

__all__ = ["TapestryManager"]


class HasChunks(Protocol):
    """An array that tells its chunks: ours, or Dask's."""

    @property
    def chunks(self) -> tuple[tuple[int, ...], ...]: ...


class TapestryManager(ChunkManagerEntrypoint[Any]):
    """The chunk manager that xarray calls for arrays of this library and for Dask's.

    What passes through it comes back as an `Array`; chunks are nominal chunks, which leave a plan
    free. `use` puts one in the place of Dask's.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.xarray.TapestryManager().from_array([1, 2, 3], chunks=2).chunks
    ((2, 1),)
    """

    __module__ = "dask_tapestry.xarray"

    def __init__(self) -> None:
        self.array_cls = Array

    @property
    def array_api(self) -> Any:
        """The functions that xarray takes by name."""
        return namespace

    def is_chunked_array(self, data: object) -> bool:
        """Whether `data` is an array of this library, or another that is a Dask collection."""
        lazy = hasattr(data, "__dask_graph__") and hasattr(data, "chunks")
        return isinstance(data, Array) or (lazy and hasattr(data, "__array_function__"))

    def chunks(self, data: HasChunks) -> tuple[tuple[int, ...], ...]:
        """Return the nominal chunks."""
        return data.chunks

    def normalize_chunks(
        self,
        chunks: Any,
        shape: tuple[int, ...] | None = None,
        limit: int | None = None,
        dtype: Any = None,
        previous_chunks: Any = None,
    ) -> tuple[tuple[int, ...], ...]:
        """Return the lengths that chunks in any form of Dask's stand for, chosen as Dask does."""
        from dask.array.core import normalize_chunks  # noqa: PLC0415  (a quarter of a second)

        found: tuple[tuple[int, ...], ...] = normalize_chunks(
            chunks, shape=shape, limit=limit, dtype=dtype, previous_chunks=previous_chunks
        )
        return found

    def get_auto_chunk_size(self) -> int:
        """Return the bytes of a chunk that ``"auto"`` aims at."""
        return int(parse_bytes(dask.config.get("array.chunk-size")))

    def from_array(self, data: Any, chunks: Any, **kwargs: object) -> Any:
        """Return an array of what is in memory or read lazily, with nominal chunks.

        Python objects, which are of no fixed size, stay with xarray: in memory, or read when they
        are needed. Arguments of Dask's, such as ``lock``, have no meaning here.
        """
        del kwargs
        if np.dtype(data.dtype).hasobject:
            return unwrapped(data)
        return self._with(opened(data), chunks, None)

    def rechunk(self, data: Any, chunks: Any, **kwargs: object) -> Any:
        """Return the array with other nominal chunks; dimensions without any keep theirs.

        Python objects in an array of Dask's stay there.
        """
        if np.dtype(data.dtype).hasobject:
            return data.rechunk(chunks, **kwargs)
        array = asarray(data)
        if isinstance(chunks, Mapping):
            named = {axis % max(array.ndim, 1): one for axis, one in chunks.items()}
            chunks = tuple(named.get(axis) for axis in range(array.ndim))
        if isinstance(chunks, tuple | list):
            kept = zip(chunks, array.chunks, strict=True)
            chunks = tuple(own if one is None else one for one, own in kept)
        return self._with(array, chunks, array.chunks)

    def _with(self, x: Array, chunks: Any, before: Any) -> Array:
        """`x` in the chunks that Dask makes of `chunks`: layouts are those of its manager."""
        if isinstance(chunks, list):
            chunks = tuple(chunks)
        if 0 in x.shape:  # Dask divides by the length for "auto"
            given = chunks if isinstance(chunks, tuple) else (chunks,) * x.ndim
            sides = zip(given, x.shape, strict=True)
            chunks = tuple(n if isinstance(one, str) else one for one, n in sides)
        if not x.ndim:
            return x
        return with_chunks(x, self.normalize_chunks(chunks, x.shape, None, x.dtype, before))

    def compute(self, *data: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Compute arrays together, by one plan."""
        with nothing_said_of_empty_slices():
            found: tuple[Any, ...] = self.array_api.compute(*data, **kwargs)
        return found

    def persist(self, *data: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Compute arrays together and keep their blocks where they are computed."""
        ours = [x if np.dtype(x.dtype).hasobject else asarray(x) for x in data]
        with nothing_said_of_empty_slices():
            found: tuple[Any, ...] = self.array_api.persist(*ours, **kwargs)
        return found

    def reduction(
        self,
        arr: Any,
        func: Callable[..., Any],
        combine_func: Callable[..., Any] | None = None,
        aggregate_func: Callable[..., Any] | None = None,
        axis: int | Sequence[int] | None = None,
        dtype: Any = None,
        keepdims: bool = False,
    ) -> Any:
        """Reduce by functions of blocks and of partial results."""
        return reduction(
            arr, func, aggregate_func, axis, keepdims, dtype=dtype, combine=combine_func
        )

    def scan(
        self,
        func: Callable[..., Any],
        binop: Callable[..., Any],
        ident: float,
        arr: Any,
        axis: int | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> Array:
        """Run `func` along an axis of each block, and carry what precedes a block into it."""
        preop = kwargs.get("preop")
        return scan_blocks(asarray(arr), func, binop, ident, axis, dtype, preop)

    def apply_gufunc(
        self, func: Callable[..., Any], signature: str, *args: Any, **kwargs: Any
    ) -> Any:
        """Apply a function of core dimensions along all others."""
        return apply_gufunc(func, signature, *args, **kwargs)

    def map_blocks(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Array:
        """Apply a function to every nominal chunk."""
        return map_blocks(func, *args, **kwargs)

    def blockwise(
        self, func: Callable[..., Any], out_ind: Iterable[Any], *args: Any, **kwargs: Any
    ) -> Array:
        """Apply a function to blocks that indices match."""
        return blockwise(func, out_ind, *args, **kwargs)

    def unify_chunks(self, *args: Any, **kwargs: object) -> tuple[dict[Any, Any], list[Array]]:
        """Return the chunks along each index, and the arrays in them; `args` as of `blockwise`."""
        from dask.array.core import common_blockdim  # noqa: PLC0415  (a quarter of a second)

        del kwargs
        arrays = [asarray(x) for x in args[::2]]
        along: dict[Any, set[tuple[int, ...]]] = {}
        for x, indices in zip(arrays, args[1::2], strict=True):
            for index, lengths in zip(indices, x.chunks, strict=True):
                along.setdefault(index, set()).add(lengths)
        shared = {index: common_blockdim(found) for index, found in along.items()}
        unified = []
        for x, indices in zip(arrays, args[1::2], strict=True):
            places = zip(indices, x.shape, strict=True)
            chunks = tuple(shared[index] if n > 1 else (n,) for index, n in places)
            unified.append(with_chunks(x, chunks))
        return shared, unified

    def store(self, sources: Any, targets: Any, **kwargs: Any) -> Any:
        """Write arrays into arrays that exist, each stored chunk by one task."""
        kwargs.pop("flush", None)
        with nothing_said_of_empty_slices():
            return store(sources, targets, **kwargs)

    def shuffle(self, x: Any, indexer: list[list[int]], axis: int, chunks: Any) -> Array:
        """Return the array with its cells along an axis in another order; each list is a chunk."""
        del chunks
        array = asarray(x)
        order = [place for group in indexer for place in group]
        taken = array[(slice(None),) * axis + (order,)]
        lengths = list(array.chunks)
        lengths[axis] = tuple(len(group) for group in indexer if group)
        return with_chunks(taken, tuple(lengths))
