"""`store` writes into arrays that exist: in memory, in Zarr, in HDF5, anywhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence, ValuesView
from contextlib import AbstractContextManager
from typing import Any, Final, Literal
from uuid import uuid4

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dask_arrays import is_delayed
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.effect import Effect, check_options, points_of
from dask_tapestry.arrays.core.write_arguments import (
    Lock,
    Region,
    RegionSlices,
    Writable,
    resolve_region,
)
from dask_tapestry.errors import ArgumentTypeError, ShapeError, StoreError
from dask_tapestry.io.sinks.resumed_region import resumed
from dask_tapestry.io.sinks.write_order import (
    OrderedWrite,
    checked_write,
    ordered_sinks,
    target_tensor,
)
from dask_tapestry.io.sources.coerce import is_zarr_array
from dask_tapestry.io.sources.hdf5_source import is_dataset
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.targets.duck_target import SizedTarget, duck_target
from dask_tapestry.io.targets.hdf5_target import dataset_target
from dask_tapestry.io.targets.numpy_target import numpy_target
from dask_tapestry.io.targets.target import Target
from dask_tapestry.io.targets.zarr_target import ZarrTarget, zarr_target
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.settings import resuming, setting
from dask_tapestry.teg import sequence_point

__all__ = ["store"]

SEVERAL: Final = (list, tuple, ValuesView)  # collections of arrays, which are no array themselves


@checked
def store(
    sources: ArrayLike | Collection[ArrayLike],
    targets: Writable | Collection[Writable],
    lock: Lock = True,
    regions: Region | Iterable[Region] = None,
    compute: bool = True,
    return_stored: bool = False,
    load_stored: bool | None = None,
    *,
    resume: bool | Literal["checksums"] = False,
    after: Sequence[Array | Effect] = (),
    **kwargs: Any,
) -> Effect | Array | tuple[Array, ...] | None:
    """Write arrays into arrays that exist.

    Each task writes whole stored chunks, or shards, of a Zarr array or an HDF5 dataset; a chunk
    that is only partly covered is read, completed and written by one task. Sources that share a
    stored chunk, or cells, are written one after the other, in their order.

    {Parameters}
        sources: One array, or a collection of several: a list, the values of a dictionary.
        targets: As many: NumPy arrays and memory maps, arrays of zarr's, datasets of h5py's, or
            objects that have ``__setitem__``, and ``shape`` and ``dtype`` unless all of it is
            written. Objects that are no arrays in memory may be pickled to other processes and
            written there. Of a Delayed value of Dask's the target is computed now.
        lock: True to write to an object of an unknown kind from one task at a time, False to write
            as tasks come; or a lock to use. Known kinds need none.
        regions: Slices for each target, or None for all of it; steps are positive. One tuple serves
            all; a list or another iterable has one for each, or one alone that serves all.
        compute: Write now; otherwise return a lazy write to compute later.
        return_stored: Return arrays that read the targets, or the one array of a source that is no
            list; where `compute` is false they read after the write.
        load_stored: As Dask's, without meaning here.
        resume: Go on where the same call was killed, as of `to_zarr`; for Zarr arrays alone.
        after: Lazy writes, sequence points and arrays that must end before.
        **kwargs: For `compute`, such as ``scheduler``.
    {Returns} None or Effect or Array or tuple of Array: As `compute` and `return_stored` say.
    {Raises}
        ShapeError: If a source does not fit its target or region, or there are not as many.
        DTypeError: If cells would lose their kind, as floating point in integers.
        StoreError: If a target cannot be written to, or another write has begun where one is to be
            resumed.
        ArgumentError, ArgumentTypeError: If a write that is to be resumed has no name, or a target
            is no Zarr array.

    Source: dask.array.store.

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> target = np.zeros((2, 4), "int64")
    >>> dt.store(dt.ones((2, 2), dtype="int64"), target, regions=(slice(None), slice(0, 4, 2)))
    >>> target
    array([[1, 0, 1, 0],
           [1, 0, 1, 0]])
    """
    if not callable(kwargs.get("scheduler")):  # one of the user's own knows its options
        check_options(store, kwargs)
    del load_stored
    several = isinstance(sources, SEVERAL)
    arrays = [asarray(x) for x in _listed(sources, several)]
    computed_targets = [x.compute() if is_delayed(x) else x for x in _listed(targets, several)]
    slices = _for_each(regions, len(arrays))
    if not len(arrays) == len(computed_targets) == len(slices):
        raise ShapeError(
            f"sources, targets and regions must be equally many: there are {len(arrays)}, "
            f"{len(computed_targets)} and {len(slices)}"
        )
    sized = [_sized(*one) for one in zip(computed_targets, arrays, slices, strict=True)]
    found = _targets(sized, _checked_lock(lock))
    where = [resolve_region(r, t.shape) for r, t in zip(slices, found, strict=True)]
    writes = [write_of(*one) for one in zip(arrays, found, where, strict=True)]
    if not resuming("resume", resume) and all(isinstance(target, ZarrTarget) for target in found):
        resume = setting("resume")
    made = written(writes, where, after, (), compute, return_stored, kwargs, resume)
    return made[0] if isinstance(made, tuple) and not several else made


def _sized(target: Any, source: Array, region: Region) -> Any:
    """A target; one that tells no shape and dtype has those of what is written to all of it."""
    told = hasattr(target, "shape") and hasattr(target, "dtype")
    takes_cells = hasattr(target, "__setitem__") and not isinstance(target, list | dict)
    if told or region is not None or not takes_cells:
        return target
    return SizedTarget.of(target, source.shape, source.dtype)


def _listed(given: Any, several: bool) -> list[Any]:
    return list(given) if several else [given]


def _for_each(regions: Region | Iterable[Region], count: int) -> list[Region]:
    if isinstance(regions, tuple | Mapping) or not isinstance(regions, Iterable):
        return [regions] * count
    told = list(regions)
    return told * count if len(told) == 1 else told


def _checked_lock(lock: Lock) -> Lock:
    """`lock`, if it is one: what Dask and the standard library lock with enters ``with`` blocks."""
    if lock is not None and not isinstance(lock, bool | AbstractContextManager):
        raise ArgumentTypeError(f"lock must be True, False or a lock, not {lock!r}")
    return False if lock is None else lock


def _targets(given: Sequence[Any], lock: Lock) -> list[Target]:
    """A target for each object; the same one where two objects are one stored array."""
    target_of: dict[Any, Target] = {}
    checked_targets = []
    for data in given:
        if isinstance(data, Array) or hasattr(data, "__dask_graph__"):
            raise StoreError(
                "the target is a lazy array, which cannot be written to: give an array "
                "in memory or a store"
            )
        key: Any = id(data)
        location = None
        if is_zarr_array(data):
            location = Location.of(data, None, uuid4().hex)
            key = location.key
        elif is_dataset(data) and data:
            key = (data.file.filename, data.name)
        if key not in target_of:
            target_of[key] = zarr_target(location) if location else _target(data, lock)
        checked_targets.append(target_of[key])
    return checked_targets


def _target(data: Writable, lock: Lock) -> Target:
    if isinstance(data, np.ndarray):
        return numpy_target(data)
    return dataset_target(data) if is_dataset(data) else duck_target(data, lock)


def write_of(x: Array, target: Target, place: RegionSlices) -> OrderedWrite:
    """Return the write of an array to a region of a target."""
    return checked_write(unsqueeze(x.node, place.pinned), target, place.slices)


def written(
    writes: Sequence[OrderedWrite],
    regions: Sequence[RegionSlices],
    after: Sequence[Array | Effect],
    workers: tuple[str, ...],
    compute: bool,
    return_stored: bool,
    kwargs: Mapping[str, Any],
    resume: bool | Literal["checksums"] = False,
) -> Effect | tuple[Array, ...] | None:
    """Write, or return the lazy write, or the stored arrays, as `store` and `to_zarr` do."""
    points = points_of(after)
    writes = resumed(writes, points, resume) if resume else writes
    sinks = ordered_sinks(writes, points, workers)
    effect = Effect(sinks[0] if len(sinks) == 1 else sequence_point(*sinks))
    if compute:
        effect.compute(**kwargs)
    if not return_stored:
        return None if compute else effect
    return tuple(
        Array(target_tensor(write, None if compute else sink))[region.key]
        for write, sink, region in zip(writes, sinks, regions, strict=True)
    )
