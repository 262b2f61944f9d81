"""Into the library and out of it: NumPy, array-likes, Zarr, Dask arrays, placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from dask_tapestry.array.array import Array
from dask_tapestry.array.chunks import cuts_from
from dask_tapestry.array.dispatch import implements
from dask_tapestry.array.dtypes import as_dtype
from dask_tapestry.array.effect import Effect
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.io.blocks import cuts_of_chunks, from_blocks
from dask_tapestry.io.duck import from_duck
from dask_tapestry.io.memory import from_memory
from dask_tapestry.io.placeholder import placeholder as placeholder_tensor
from dask_tapestry.io.zarr_sink import zarr_sink
from dask_tapestry.io.zarr_source import from_zarr_store
from dask_tapestry.operators.elementwise import astype
from dask_tapestry.operators.place import place
from dask_tapestry.operators.rechunk import rechunk as rechunk_tensor
from dask_tapestry.operators.rename import rename as rename_tensor
from dask_tapestry.teg import TensorType
from dask_tapestry.teg.types import Dims

__all__ = [
    "asarray",
    "from_array",
    "from_dask_array",
    "from_zarr",
    "placeholder",
    "rechunk",
    "rename",
    "to_dask_array",
    "to_zarr",
]


@implements(np.asarray)
def asarray(data: Any, dtype: Any = None, *, dims: Sequence[str | None] | None = None) -> Array:
    """Return an array of NumPy data, a list, a scalar, or an array of another library.

    Parameters
    ----------
    data
        NumPy arrays are neither copied nor hashed; change them before computing at your own risk.
    dtype
        Convert to this dtype.
    dims
        Names of the dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.asarray([1, 2, 3]).compute()
    array([1, 2, 3])
    """
    if isinstance(data, Array):
        x = data
    elif hasattr(data, "__dask_graph__") and hasattr(data, "chunks"):
        x = from_dask_array(data)
    else:
        x = Array(from_memory(data, tuple(dims) if dims else None))
    return x if dtype is None else Array(astype(x.node, as_dtype(dtype)))


def from_array(
    data: Any,
    chunks: Any = None,
    *,
    dims: Sequence[str | None] | None = None,
    workers: str | Sequence[str] = (),
    **ignored: Any,
) -> Array:
    """Return an array of anything that has ``shape``, ``dtype`` and ``__getitem__``.

    Parameters
    ----------
    data
        A NumPy array, or an object that is read box by box when it is computed (h5py, xarray...).
    chunks
        A constraint on the layout; by default the plan decides.
    dims
        Names of the dimensions.
    workers
        Names or addresses of the workers that read it; a constraint that
        ``config(relax_placement=True)`` makes a preference.
    **ignored
        Dask's ``name``, ``lock``, ``asarray``, ``fancy``, ``meta`` and ``inline_array``, which have
        no meaning here.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> dt.from_array(np.eye(3), chunks=(1, 3)).numblocks
    (3, 1)
    """
    unknown = set(ignored) - {"name", "lock", "asarray", "fancy", "meta", "inline_array"}
    if unknown:
        raise TypeError(f"from_array has no arguments {sorted(unknown)}")
    names = tuple(dims) if dims else None
    if isinstance(data, np.ndarray | np.generic | list | tuple | int | float | complex | Array):
        x = asarray(data, dims=names)
    elif hasattr(data, "store") and hasattr(data, "metadata"):
        x = from_zarr(data, dims=names)
    elif hasattr(data, "__dask_graph__"):
        x = from_dask_array(data)
    else:
        x = Array(from_duck(data, names))
    x = Array(place(x.node, _names(workers)))
    return x if chunks is None else rechunk(x, chunks)


def _names(workers: str | Sequence[str]) -> tuple[str, ...]:
    return (workers,) if isinstance(workers, str) else tuple(workers)


def from_zarr(
    store: Any,
    component: str | None = None,
    dims: Sequence[str | None] | None = None,
    *,
    workers: str | Sequence[str] = (),
) -> Array:
    """Return a stored Zarr array, version 2 or 3; only its metadata is read now.

    Parameters
    ----------
    store
        Path, URL, zarr store, group or array.
    component
        Path of the array within a group.
    dims
        Names of the dimensions; by default those stored.
    workers
        Names or addresses of the workers that read it.

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is no array, it cannot be read, or a write of it has not ended.

    Examples
    --------
    >>> import zarr, dask_tapestry as dt
    >>> store = zarr.storage.MemoryStore()
    >>> dt.to_zarr(dt.ones((4, 3)), store)
    >>> float(dt.from_zarr(store).sum())
    12.0
    """
    stored = from_zarr_store(store, component, tuple(dims) if dims is not None else None)
    return Array(place(stored, _names(workers)))


def to_zarr(
    x: Any,
    store: Any,
    component: str | None = None,
    *,
    chunks: Any = "auto",
    shards: Sequence[int] | None = None,
    dtype: Any = None,
    compressors: Any = "auto",
    overwrite: bool = False,
    compute: bool = True,
    workers: str | Sequence[str] = (),
    after: Sequence[Any] = (),
    **kwargs: Any,
) -> Effect | None:
    """Write an array to Zarr: whole stored chunks or shards, each by one task.

    While the write runs, and after one that failed, the store says that it is incomplete.

    Parameters
    ----------
    x
        The array.
    store, component
        Where: a path, URL, zarr store or group, and the path within; or an existing zarr array.
    chunks, shards
        Sides of stored chunks, ``"auto"`` for about 16 MiB, and of shards, None for none.
    dtype
        Convert before writing.
    compressors
        ``"auto"`` (Blosc, zstd level 1, byte shuffle) or anything `zarr.create_array` takes.
    overwrite
        Replace what is there.
    compute
        Write now and return None; otherwise return a lazy sink to compute later.
    workers
        Names or addresses of the workers that write it.
    after
        Sinks or sequence points that must have ended before.
    **kwargs
        For `compute`, such as ``scheduler``.

    Raises
    ------
    StoreError
        If something is there and `overwrite` is false.
    ShapeError
        If chunks or shards do not fit the shape.

    Examples
    --------
    >>> import zarr, dask_tapestry as dt
    >>> sink = dt.to_zarr(dt.ones(3), zarr.storage.MemoryStore(), compute=False)
    >>> sink.compute()
    """
    array = asarray(x, dtype)
    node = zarr_sink(
        array.node,
        store,
        component,
        chunks=chunks,
        shards=shards,
        compressor=compressors,
        overwrite=overwrite,
        workers=_names(workers),
        after=[a.sequence_node() for a in after],
    )
    effect = Effect(node)
    if not compute:
        return effect
    effect.compute(**kwargs)
    return None


def from_dask_array(d: Any) -> Array:
    """Return a Dask array's value, lazily; its blocks are used as they are.

    Raises
    ------
    ShapeError
        If chunk sizes are unknown.

    Examples
    --------
    >>> import dask.array as da, dask_tapestry as dt
    >>> dt.from_dask_array(da.ones(4, chunks=2)).numblocks
    (2,)
    """
    if isinstance(d, Array):
        return d
    if np.dtype(d.dtype).hasobject:
        raise DTypeError("arrays of Python objects are not supported: cells need a fixed dtype")
    cuts = cuts_of_chunks(d.chunks)
    if any(len(lengths) != c.count for lengths, c in zip(d.chunks, cuts, strict=True)):
        d = d.rechunk(tuple(tuple(c.lengths()) for c in cuts))  # without its empty blocks
    type_ = TensorType(tuple(c.extent for c in cuts), np.dtype(d.dtype))
    return Array(from_blocks(d.name, type_, cuts, d.__dask_graph__()))


def to_dask_array(x: Array) -> Any:
    """Return the array as a dask.array, lazily, in the chunks of its own plan.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ones(4).to_dask_array().sum().compute()
    np.float64(4.0)
    """
    from dask.array import Array as DaskArray  # noqa: PLC0415  (a quarter of a second)

    return DaskArray(x.dask, x.name, x.chunks, dtype=x.dtype)


def placeholder(
    shape: Sequence[int],
    dtype: Any,
    stored_chunks: Sequence[int] | None = None,
    dims: Sequence[str | None] | None = None,
) -> Array:
    """Return a stored tensor that need not exist: it can be planned and verified, not computed.

    Parameters
    ----------
    shape, dtype
        Of the tensor.
    stored_chunks
        Sides of its stored chunks.
    dims
        Names of the dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((10_000_000, 256, 256, 3), "uint8", stored_chunks=(64, 256, 256, 3))
    >>> x.nbytes
    1966080000000
    """
    sides = tuple(index(n) for n in shape)
    if any(n < 0 for n in sides):
        raise ShapeError(f"negative dimensions are not allowed: {sides}")
    names: Dims = tuple(dims) if dims is not None else None
    if names is not None and len(names) != len(sides):
        raise ShapeError(f"{len(names)} dimension names {names} for {len(sides)} dimensions")
    stored = tuple(index(n) for n in stored_chunks) if stored_chunks is not None else None
    return Array(placeholder_tensor(TensorType(sides, as_dtype(dtype), names), stored))


def rechunk(x: Any, chunks: Any) -> Array:
    """Constrain the layout of a value, in any form of chunks that Dask takes.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.rechunk(dt.ones((4, 6)), (2, -1)).chunks
    ((2, 2), (6,))
    """
    array = asarray(x)
    return Array(rechunk_tensor(array.node, cuts_from(chunks, array.node.type)))


def rename(x: Any, *dims: str | None) -> Array:
    """Return the array with names for its dimensions; None leaves one without a name.

    Raises
    ------
    ShapeError
        If there are not as many names as dimensions, or two are equal.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.ones((2, 3)).rename("batch", "feature").dims
    ('batch', 'feature')
    """
    array = asarray(x)
    given = [name for name in dims if name is not None]
    if len(dims) != array.ndim or len(set(given)) != len(given):
        raise ShapeError(f"{dims} are not distinct names for the {array.ndim} dimensions")
    return Array(rename_tensor(array.node, tuple(dims)))
