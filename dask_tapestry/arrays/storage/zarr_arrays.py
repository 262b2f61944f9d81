"""Zarr arrays: read lazily, and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.chunks import Chunks
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.effect import Effect, check_options, points_of
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.core.naming import named
from dask_tapestry.arrays.core.user_names import worker_names
from dask_tapestry.arrays.core.write_arguments import Region, RegionSlices, resolve_region
from dask_tapestry.arrays.storage.stores import write_of, written
from dask_tapestry.errors import ArgumentError, StoreError
from dask_tapestry.io.journals.read_back import read_back
from dask_tapestry.io.sinks.zarr_layout import Extras, ZarrLayout
from dask_tapestry.io.sinks.zarr_sink import written_source, zarr_sink
from dask_tapestry.io.sources.coerce import is_zarr_array
from dask_tapestry.io.sources.zarr_source import from_zarr_location
from dask_tapestry.io.stores.zarr_consolidate import group_of
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_location import zarr as zarr_module
from dask_tapestry.io.stores.zarr_open import group_members, holds_array
from dask_tapestry.io.targets.zarr_target import ZarrTarget, append_target, zarr_target
from dask_tapestry.operators.layouts.placement import place as place_tensor
from dask_tapestry.planner.machine.resources import current
from dask_tapestry.settings import resuming, setting
from dask_tapestry.teg import apply

if TYPE_CHECKING:
    import zarr
    from zarr.storage import StoreLike

__all__ = [
    "from_zarr",
    "to_zarr",
]


@checked
def from_zarr(
    store: StoreLike | zarr.Group | zarr.Array[Any],
    component: str | None = None,
    dims: Sequence[str | None] | None = None,
    *,
    storage_options: Mapping[str, Any] | None = None,
    chunks: Chunks = None,
    workers: str | Sequence[str] = (),
    name: str | None = None,
    inline_array: bool = False,  # noqa: ARG001
) -> Any:
    """Return a stored Zarr array, version 2 or 3; only its metadata is read now.

    {Parameters}
        store: Path, URL (as fsspec has them), zip file, zarr store, group or array. Of a group, all
            its arrays are returned: a dictionary from their paths, as ``"a/b"``.
        component: Path of the array or group within.
        dims: Names of the dimensions; by default those stored.
        storage_options: For the file system of a URL: credentials, endpoints.
        chunks: Nominal chunks, in any form that Dask takes; by default the stored ones.
        workers: Names or addresses of the workers that read it.
        name: What keys of its blocks begin with.
        inline_array: As Dask's, without effect.
    {Returns} Array or dict of Array: The array, or of a group all its arrays by their paths.
    {Raises} StoreNotFoundError, StoreError: If there is no array, it cannot be read, or a write of
        it has not ended.
    {See Also} to_zarr, from_array

    Examples
    --------
    >>> import zarr, dask_tapestry as dt
    >>> store = zarr.storage.MemoryStore()
    >>> dt.to_zarr(dt.ones((4, 3)), store)
    >>> float(dt.from_zarr(store).sum())
    12.0
    >>> group = zarr.open_group(zarr.storage.MemoryStore())
    >>> dt.to_zarr(dt.ones(2), group, "a/b")
    >>> list(dt.from_zarr(group))
    ['a/b']
    """
    location = Location.of(store, component, uuid4().hex, storage_options)
    names = tuple(dims) if dims is not None else None

    def placed(where: Location, member: zarr.Array[Any] | None = None) -> Array:
        x = from_zarr_location(where, names, member)
        made = with_chunks(Array(place_tensor(x, worker_names(workers))), chunks)
        return named(made, name)

    if holds_array(location):
        return placed(location)
    return {
        path: placed(Location.of(array, None, uuid4().hex), array)
        for path, array in group_members(location).items()
    }


@checked
def to_zarr(
    x: ArrayLike,
    store: StoreLike | zarr.Group | zarr.Array[Any],
    component: str | None = None,
    *,
    chunks: int | Sequence[int] | Literal["auto"] = "auto",
    shards: Sequence[int] | None = None,
    dtype: DTypeLike | None = None,
    compressors: object = "auto",
    zarr_format: int | None = None,
    storage_options: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    region: Region = None,
    append_dim: int | str | None = None,
    resume: bool | Literal["checksums"] = False,
    write_empty_chunks: bool | None = None,
    consolidated: bool | None = None,
    compute: bool = True,
    return_stored: bool = False,
    workers: str | Sequence[str] = (),
    after: Sequence[Array | Effect] = (),
    **kwargs: Any,
) -> Array | Effect | None:
    """Write an array to Zarr: whole stored chunks or shards, each by one task.

    While the write runs, and after one that failed, the store says that it is incomplete. A lazy
    write may be computed several times.

    {Parameters}
        {x}
        store, component: Where: a path, URL, zarr store or group, and the path within; or an
            existing zarr array. A path that ends in ``.zip`` names a zip file, which this process
            alone can write.
        chunks, shards: Lengths of the stored chunks, and of the shards, None for none. ``"auto"``
            takes the longest of ``x.chunks`` along each dimension; smaller chunks, with a warning,
            where a task has no memory for them.
        dtype: Convert before writing.
        compressors: ``"auto"`` (Blosc, zstd level 1, byte shuffle) or anything `zarr.create_array`
            takes.
        zarr_format: 3 or 2; by default that of the group it goes into, else 3.
        storage_options: For the file system of a URL: credentials, endpoints.
        overwrite: Replace what is there; in a folder, once the new array is complete.
        region: Write into this part of an array that is there: slices for all dimensions, or a
            dictionary from dimensions, by name or number, to slices.
        append_dim: Enlarge the array that is there along this dimension, and write behind what it
            holds.
        resume: Go on where the same call was killed: only chunks that are missing are computed and
            written, in this process or another, by any plan. It is the same call if code, data and
            target are: see the notes. ``"checksums"`` also compares the bytes of what is stored,
            not sizes alone; ``config(resume=...)`` says it of all calls.
        write_empty_chunks: Whether chunks of which every cell is the fill value are stored; in
            shards, inner chunks. If not, they are left out, and deleted where older ones are: -0.0
            is not 0.0. None takes zarr's ``array.write_empty_chunks``; where that is false, of
            cells that are not compressed not all such chunks are left out: a few cells of each
            block tell whether to look.
        consolidated: Consolidate the metadata of the group that is given, or the store's root, when
            the array is complete: xarray and zarr then open the group by one request. None does
            where the group has consolidated ones now, which would be out of date.
        compute: Write now and return None; otherwise return a lazy write to compute later.
        return_stored: Return the array as it is stored; where `compute` is false it is read after
            the write.
        workers: Names or addresses of the workers that write it.
        after: Lazy writes, sequence points and arrays that must end before.
        **kwargs: For `compute`, such as ``scheduler``.
    {Returns} None or Effect or Array: As `compute` and `return_stored` say.
    {Raises}
        ArgumentError: If `overwrite` is given with a region or to append; if `resume` is given to
            append, or something that is written has no name that another process finds, as random
            numbers without a seed: the text names it, and what to do.
        StoreError: If something is there and `overwrite` is false, with `resume` unless it is of
            this call; or if there is nothing to write a region of or to append to, or that cannot
            change.
        ShapeError: If chunks, shards, region or the shape of what is there do not fit.

    Notes
    -----
    With `resume` a write is known by what it computes (functions by code, defaults and what they
    close over or name as globals), what it reads (stored arrays by place and stamp of their
    metadata, which changes when they are written by this library; arrays in memory by all their
    cells), random fields by seed, the place, and the encoding. What functions read by themselves
    from files is not seen. Where an identity differs the error says in what.

    {See Also} from_zarr, store

    Examples
    --------
    >>> import zarr, dask_tapestry as dt
    >>> store = zarr.storage.MemoryStore()
    >>> dt.to_zarr(dt.arange(3), store)
    >>> dt.to_zarr(dt.arange(2), store, append_dim=0)
    >>> dt.to_zarr(dt.full(2, 7), store, region=(slice(1, 3),))
    >>> dt.from_zarr(store).compute()
    array([0, 7, 7, 0, 1])
    """
    check_options(to_zarr, kwargs)
    array = asarray(x, dtype)
    resume = resuming("resume", resume) or setting("resume")
    location = Location.of(store, component, uuid4().hex, storage_options)
    names = worker_names(workers)
    extras = Extras(_stored_empty(write_empty_chunks), group_of(location, store, consolidated))
    if is_zarr_array(store) or region is not None or append_dim is not None:
        if not (isinstance(chunks, str) and chunks == "auto") or shards is not None:
            raise StoreError(
                f"{location} exists already: chunks and shards cannot be changed by a "
                "write to a region"
            )
        if overwrite:
            raise ArgumentError(f"{location} is written into: there is nothing to overwrite")
        if append_dim is not None and resume:
            raise ArgumentError(
                "resume=True: an array that was enlarged would be enlarged again: make it at its "
                "full size, and write regions of it"
            )
        target, place = _destination(array, location, region, append_dim)
        target = replace(target, empty_chunks=extras[0], consolidated=extras[1])
        writes = [write_of(array, target, place)]
        done = written(writes, [place], after, names, compute, return_stored, kwargs, resume)
        return done[0] if isinstance(done, tuple) else done
    node = zarr_sink(
        array.node,
        location,
        ZarrLayout(chunks, shards, compressors, zarr_format),
        overwrite=overwrite,
        workers=names,
        after=points_of(after),
        memory=current().task_bytes,
        resume=resume,
        extras=extras,
    )
    effect = Effect(node)
    if compute:
        effect.compute(**kwargs)
    if not return_stored:
        return None if compute else effect
    source = written_source(node)
    return Array(apply(source) if compute else read_back(source, node))


def _stored_empty(given: bool | None) -> bool | None:
    """Whether chunks of fill values are stored, as is asked for or as zarr's configuration says."""
    if given is not None:
        return bool(given)
    return True if zarr_module().config.get("array.write_empty_chunks", None) else None


def _destination(
    x: Array, location: Location, region: Region, append_dim: int | str | None
) -> tuple[ZarrTarget, RegionSlices]:
    """The target and its region that an array is written to."""
    if append_dim is None:
        target = zarr_target(location)
        return target, resolve_region(region, target.shape, target.names or x.dims)
    if region is not None:
        raise StoreError("give a region or a dimension to append along, not both")
    larger, slices = append_target(location, append_dim, x.node.type)
    return larger, RegionSlices(tuple(slices))
