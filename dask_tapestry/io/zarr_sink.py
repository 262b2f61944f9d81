"""Zarr arrays as sinks: whole stored pieces, each written by one task."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import DTypeError, ShapeError, StoreError
from dask_tapestry.imports import loads
from dask_tapestry.io.chunks import CHUNK_BYTES, automatic_chunks
from dask_tapestry.io.zarr_array import (
    Location,
    complete,
    compressors,
    create,
    exists,
    mark_incomplete,
    opened,
    write_box,
    zarr,
)
from dask_tapestry.teg import Node, Sink, Source, Tensor, TensorType, apply
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class ZarrSink(Sink):
    """Writes a tensor to a Zarr array that it creates, or to one that is there.

    `stored` are the sides of the pieces written whole: shards, or chunks where there are none.
    """

    name = "store"
    location: Location
    stored: tuple[int, ...]
    options: dict[str, Any] | None = field(compare=False)  # of a new array; None: it is there
    overwrite: bool = False
    workers: tuple[str, ...] = ()

    @property
    def chunks(self) -> tuple[int, ...]:
        return self.stored

    def prepare(self, type_: TensorType) -> None:
        if self.options is None:
            mark_incomplete(self.location)
            return
        dtype = type_.dtype
        if dtype.kind in "iu":
            dtype = np.dtype(dtype.str)  # zarr knows one of C's equally long integers only
        create(self.location, self.overwrite, shape=type_.shape, dtype=dtype, **self.options)

    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        empty_chunks = not _may_be_fill(block, self.location)
        try:
            write_box(self.location, box.slices(), block if box.ndim else block[()], empty_chunks)
        except Exception as error:
            raise StoreError(f"cannot write {box} to {self.location}: {error}") from error

    def finish(self) -> None:
        complete(self.location)

    def text(self) -> str:
        return f"{str(self.location)!r}, chunks {self.stored}"

    @property
    def local_only(self) -> str | None:
        if not self.location.is_in_memory:
            return None
        return (
            f"the in-memory store {self.location} cannot be written by another process: use the "
            "threaded scheduler, or a store on disk"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        if self.local_only:
            raise StoreError(self.local_only)
        options = pickle.dumps(self.options)  # codecs among them: zarr is imported to load them
        return _loaded, (options, self.location, self.stored, self.overwrite, self.workers)


def _loaded(options: bytes, location: Location, stored: tuple[int, ...], *rest: Any) -> ZarrSink:
    return ZarrSink(location, stored, loads(options), *rest)


def _may_be_fill(block: np.ndarray[Any, Any], location: Location) -> bool:
    """Whether a block's first cell is the fill value.

    Only then does zarr compare the others too; that comparison takes longer than writing does.
    """
    if not block.size:
        return False
    fill = opened(location, "r+").fill_value
    first = block[(0,) * block.ndim]
    return bool(fill is None or first == fill or (first != first and fill != fill))


def zarr_sink(
    x: Tensor,
    store: Any,
    component: str | None,
    *,
    chunks: str | int | Sequence[int],
    shards: Sequence[int] | None,
    compressor: Any,
    overwrite: bool,
    workers: tuple[str, ...] = (),
    after: Sequence[Node] = (),
) -> Node:
    """Return the sink that writes `x`.

    Raises
    ------
    StoreError
        If an array is there and `overwrite` is false, or the one given does not fit.
    ShapeError
        If chunks or shards do not fit the shape.
    """
    location = Location.of(store, component, uuid4().hex)
    if isinstance(store, zarr().Array):
        return apply(_sink_to_array(store, x.type, location, workers), x, after=after)
    if not overwrite and exists(location):
        raise StoreError(f"{location} exists: give overwrite=True to replace it")
    if x.type.dtype.hasobject:
        raise DTypeError(f"Zarr cannot store cells of dtype {x.type.dtype}")
    inner = _sides(chunks, x.type, shards, source_chunks(x))
    outer = _shard_sides(shards, inner, x.type)
    options = {"chunks": inner, "shards": outer, **compressors(compressor, x.type.dtype)}
    if x.type.dims:
        options["dimension_names"] = x.type.dims
    sink = ZarrSink(location, outer or inner, options, overwrite, workers)
    return apply(sink, x, after=after)


def _sink_to_array(
    array: Any, x: TensorType, location: Location, workers: tuple[str, ...]
) -> ZarrSink:
    if tuple(array.shape) != x.shape:
        raise StoreError(f"the Zarr array at {location} has shape {array.shape}, not {x.shape}")
    sides = getattr(array, "shards", None) or array.chunks
    return ZarrSink(location, tuple(max(1, n) for n in sides), None, workers=workers)


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
