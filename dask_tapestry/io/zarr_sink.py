"""New Zarr arrays as sinks: whole stored pieces, each written by one task."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from dask_tapestry.errors import DTypeError, ShapeError, StoreError
from dask_tapestry.imports import loads
from dask_tapestry.io.chunks import CHUNK_BYTES, automatic_chunks
from dask_tapestry.io.marks import MARK, whole
from dask_tapestry.io.zarr_array import (
    compressors,
    create,
    exists,
    format_of_group,
    try_to_create,
    write_box,
)
from dask_tapestry.io.zarr_location import PARTIAL, Location, zarr
from dask_tapestry.io.zarr_marks import complete, mark_of
from dask_tapestry.io.zarr_source import NAMES_OF_VERSION_2, ZarrSource
from dask_tapestry.io.zarr_target import may_be_fill
from dask_tapestry.teg import Node, Sink, Source, Tensor, TensorType, apply
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class ZarrSink(Sink):
    """Writes a tensor to a Zarr array that it creates.

    `stored` are the sides of the pieces written whole: shards, or chunks where there are none.
    """

    name = "store"
    location: Location
    stored: tuple[int, ...]
    options: dict[str, Any] = field(compare=False)  # of the new array
    overwrite: bool = False
    workers: tuple[str, ...] = ()
    archive: str | None = None  # zip file that takes its name when it is complete

    @property
    def chunks(self) -> tuple[int, ...]:
        return self.stored

    def prepare(self, type_: TensorType) -> None:
        if self.archive is not None:
            _begin_anew(self.location.store)
        dtype = type_.dtype
        if dtype.kind in "iu":
            dtype = np.dtype(dtype.str)  # zarr knows one of C's equally long integers only
        named = dict(self.options.get("attributes", {}))
        if not self.location.is_zip:  # in a zip file nothing can be written twice
            named[MARK] = mark_of([whole(type_.shape)])
        options = self.options | {"shape": type_.shape, "dtype": dtype, "attributes": named}
        create(self.location, self.overwrite and self.archive is None, **options)

    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        empty_chunks = not may_be_fill(block, self.location)
        try:
            write_box(self.location, box.slices(), block if box.ndim else block[()], empty_chunks)
        except Exception as error:
            raise StoreError(f"cannot write {box} to {self.location}: {error}") from error

    def finish(self) -> None:
        if not self.location.is_zip:
            complete(self.location)
        elif self.archive is not None:
            self.location.store.close()
            Path(self.location.store.path).replace(self.archive)

    @property
    def final(self) -> Location:
        """Where the array is when it is complete."""
        if self.archive is None:
            return self.location
        return Location.of(self.archive, self.location.component, self.location.nonce)

    def text(self) -> str:
        return f"{str(self.final)!r}, chunks {self.stored}"

    @property
    def local_only(self) -> str | None:
        return self.final.local_only

    def __reduce__(self) -> tuple[Any, ...]:
        if self.local_only:
            raise StoreError(self.local_only)
        options = pickle.dumps(self.options)  # codecs among them: zarr is imported to load them
        return _loaded, (options, self.location, self.stored, self.overwrite, self.workers)


def _loaded(options: bytes, location: Location, stored: tuple[int, ...], *rest: Any) -> ZarrSink:
    return ZarrSink(location, stored, loads(options), *rest)


def zarr_sink(
    x: Tensor,
    location: Location,
    *,
    chunks: str | int | Sequence[int],
    shards: Sequence[int] | None,
    compressor: Any,
    overwrite: bool,
    zarr_format: int | None = None,
    workers: tuple[str, ...] = (),
    after: Sequence[Node] = (),
) -> Node:
    """Return the sink that writes `x` to a new array.

    Raises
    ------
    StoreError
        If something is there and `overwrite` is false, or the format has not what is asked for.
    ShapeError
        If chunks or shards do not fit the shape.
    """
    location, archive = _archived(location)
    there = exists(location) if archive is None else Path(archive).exists()
    if there and not overwrite:
        raise StoreError(f"{archive or location} exists: give overwrite=True to replace it")
    if x.type.dtype.hasobject:
        raise DTypeError(f"Zarr cannot store cells of dtype {x.type.dtype}")
    version = _version(zarr_format, None if archive else format_of_group(location), location)
    inner = _sides(chunks, x.type, shards, source_chunks(x))
    outer = _shard_sides(shards, inner, x.type)
    if outer is not None and version == 2:
        raise StoreError("there are no shards in version 2 of Zarr")
    options = {"chunks": inner, "shards": outer, "zarr_format": version}
    options |= compressors(compressor, x.type.dtype, version) | _names(x.type.dims, version)
    try_to_create(x.type, location, **options)
    sink = ZarrSink(location, outer or inner, options, overwrite, workers, archive)
    return apply(sink, x, after=after)


def _version(asked: int | None, group: int | None, location: Location) -> int:
    """Version of the format that a new array has."""
    if asked not in (None, 2, 3):
        raise StoreError(f"zarr_format must be 2 or 3, not {asked!r}")
    if group is not None and asked not in (None, group):
        raise StoreError(f"{location} is in a group of format {group}, not {asked}")
    return asked or group or 3


def _names(dims: Dims, version: int) -> dict[str, Any]:
    """Options of a new array that name its dimensions."""
    if not dims:
        return {}
    if version == 2:
        return {"attributes": {NAMES_OF_VERSION_2: list(dims)}}
    return {"dimension_names": dims}


def written_source(node: Node) -> ZarrSource:
    """The source that reads what a sink writes."""
    sink = node.operator
    assert isinstance(sink, ZarrSink)
    type_ = node.type._replace(dtype=node.type.dtype.newbyteorder("="))
    return ZarrSource(sink.final, type_, sink.stored, str(sink.final))


def _begin_anew(archive: Any) -> None:
    """Forget what an earlier attempt left in a zip file."""
    if archive._is_open:
        archive.close()
    Path(archive.path).unlink(missing_ok=True)


def _archived(location: Location) -> tuple[Location, str | None]:
    """Where to write what will be a zip file, and that file; other locations as they are."""
    if not location.is_zip or not location.store.read_only:
        return location, None
    archive = str(location.store.path)
    partial = zarr().storage.ZipStore(archive + PARTIAL, mode="w")
    return Location(partial, location.component, location.nonce), archive


def source_chunks(x: Tensor) -> tuple[int, ...] | None:
    """Chunks of the stored array that `x` is a cell by cell function of, if they suit `x` too."""
    node = x
    while not isinstance(node.operator, Source):
        same = [i for i in node.inputs if i.type.shape == x.type.shape]
        if not same or not node.operator.transparent:
            return None
        node = same[0]
    chunks = node.operator.chunks
    size = prod(chunks or ()) * x.type.dtype.itemsize
    return chunks if chunks and CHUNK_BYTES // 16 <= size <= CHUNK_BYTES * 4 else None


def _sides(
    chunks: str | int | Sequence[int],
    x: TensorType,
    shards: Sequence[int] | None,
    like: tuple[int, ...] | None,
) -> tuple[int, ...]:
    if isinstance(chunks, str):
        if chunks != "auto":
            raise ShapeError(f"chunks must be 'auto' or lengths, not {chunks!r}")
        found = like or automatic_chunks(x.shape, x.dtype.itemsize)
        return (
            found
            if shards is None
            else tuple(np.gcd(s, n) for s, n in zip(shards, found, strict=True))
        )
    given = (chunks,) * x.ndim if isinstance(chunks, int) else tuple(chunks)
    if len(given) != x.ndim:
        raise ShapeError(
            f"chunks {given} have {len(given)} lengths; the array {x} has {x.ndim} dimensions"
        )
    if any(not isinstance(n, int | np.integer) or (n < 1 and n != -1) for n in given):
        raise ShapeError(f"chunks {given} must be one length of at least 1 (or -1) a dimension")
    return tuple(max(1, n if m == -1 else int(m)) for m, n in zip(given, x.shape, strict=True))


def _shard_sides(
    shards: Sequence[int] | None, chunks: tuple[int, ...], x: TensorType
) -> tuple[int, ...] | None:
    if shards is None:
        return None
    sides = tuple(int(n) for n in shards)
    if len(sides) != x.ndim or any(s % c for s, c in zip(sides, chunks, strict=False)):
        raise ShapeError(
            f"shards {sides} must be multiples of chunks {chunks} in each dimension of {x}"
        )
    return sides
