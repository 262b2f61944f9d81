"""Zarr arrays as sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.io.chunks.chunk_costs import ReadBuffers
from dask_tapestry.io.chunks.codec_names import codec_name
from dask_tapestry.io.chunks.zarr_chunk_io import (
    direct_path,
    opened_box,
    read_box,
    read_to_device,
    stored_chunk_shape,
)
from dask_tapestry.io.chunks.zarr_direct import DirectArray
from dask_tapestry.io.journals.zarr_journal import refuse_incomplete
from dask_tapestry.io.journals.zarr_version import Version
from dask_tapestry.io.sources.chunked_source import ChunkedSource
from dask_tapestry.io.sources.declared_type import declared_type
from dask_tapestry.io.stores.checked_metadata import check_metadata
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_open import open_cached
from dask_tapestry.io.stores.zarr_sync import is_at_hand
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import USUAL_CODEC, Block, Source, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.origin import file_stamp
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat

if TYPE_CHECKING:
    import zarr

NAMES_OF_VERSION_2 = "_ARRAY_DIMENSIONS"  # the attribute in which xarray keeps them


@dataclass(frozen=True)
class ZarrSource(ChunkedSource):
    """A stored array, version 2 or 3.

    Attributes
    ----------
    location
        Where it is.
    stored
        Sides of its shards, else of its chunks.
    written
        The store, for printing.
    in_hand
        What reading has in memory beside the cells; None where that is not known yet.
    parts
        Sides of what is read as a whole; None for whole chunks.
    plain
        Whether chunks are files of this machine, whose cells are not encoded.
    codec
        The name of what encodes them.
    version
        That a compute reads; None before it begins.
    """

    name = "zarr"
    fills = True
    may_change = True
    location: Location
    type: TensorType
    stored: tuple[int, ...]
    written: str = field(compare=False)
    in_hand: ReadBuffers | None = None
    parts: tuple[int, ...] | None = None
    plain: bool = False
    codec: str = USUAL_CODEC
    version: Version | None = None

    def for_run(self, run: str) -> ZarrSource:
        return replace(self, version=Version.of(self.location, run))

    @property
    def stamp(self) -> str:
        return "" if self.version is None else self.version.text

    def origin(self) -> str:
        """Where the array is, and the stamp of its metadata and of the writes to it."""
        found = Version.of(self.location, "")
        stamp = "" if found is None else found.text
        if self.location.is_zip:
            stamp = file_stamp(self.location.store.path)
        return f"{self.location.key} {self.type} {self.stored} {stamp}{self.location.contents}"

    def confirm(self, boxes: Iterable[ZRange]) -> None:
        if self.version is not None:
            sides = (tuple(zip(box.lo, box.hi, strict=True)) for box in boxes)
            self.version.confirm(self.location, sides)

    @property
    def is_plain(self) -> bool:
        return self.plain

    @property
    def read_sides(self) -> tuple[int, ...]:
        return self.parts or self.stored

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        if self._buffers.in_place:
            return self._buffers.scratch_bytes(box, self.read_sides, self.type.shape)
        return self.strided_scratch_bytes(box)

    def strided_scratch_bytes(self, box: ZRange) -> int:
        return self._buffers.scratch_bytes(box, self.stored)

    @property
    def helper_bytes(self) -> int:
        return self._buffers.helper_bytes

    @property
    def _buffers(self) -> ReadBuffers:
        return self.in_hand or ReadBuffers.by_zarr(self.stored, self.type.dtype.itemsize)

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        return self.read_some(box, out, 1)

    def read_some(self, box: ZRange, out: Block | None, every: int) -> Block:
        cells = np.empty(box.shape, self.type.dtype) if out is None else out
        try:
            metadata = (
                None if self.version is None else self.version.checked_metadata(self.location)
            )
            read_box(self.location, box.slices(), cells, self.type.shape, every, metadata)
        except Exception as error:
            raise StoreError(
                f"cannot read {box} of the Zarr array {self.written}: {error}"
            ) from error
        return cells

    @contextmanager
    def opened(self, box: ZRange) -> Iterator[tuple[int, int] | None]:
        with ExitStack() as stack:
            try:
                metadata = (
                    None if self.version is None else self.version.checked_metadata(self.location)
                )
                whole = self.type.shape, self.type.dtype
                file = opened_box(self.location, box.slices(), *whole, metadata)
                place = stack.enter_context(file)
            except Exception:  # `read` says which
                place = None
            yield place

    def read_on_device(self, box: ZRange, wanted: BlockFormat) -> Any:
        try:
            metadata = (
                None if self.version is None else self.version.checked_metadata(self.location)
            )
            whole = self.type.shape, self.type.dtype
            return read_to_device(self.location, box, *whole, wanted, metadata)
        except Exception as error:
            raise StoreError(
                f"cannot read {box} of the Zarr array {self.written} to a device: {error}"
            ) from error

    def slot(self, number: int, identity: str = "") -> ZarrSource:
        place = Location.slot(number, identity)
        told = self.in_hand, self.parts, self.plain, self.codec
        return ZarrSource(place, self.type, self.stored, "open", *told)

    def text(self) -> str:
        return f"{self.written!r}, chunks {self.stored}"


def from_zarr_location(
    location: Location, dims: Dims = None, member: zarr.Array[Any] | None = None
) -> Tensor:
    """Return the tensor stored at `location`; nothing but its metadata is read.

    Parameters
    ----------
    member
        The array, as its group's consolidated metadata describe it. Behind a network they are
        taken as they are: to look at each array's own takes as long as several requests.

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is no array, it cannot be read, or a write of it has not ended.
    """
    if member is None or is_at_hand(member):
        array = open_cached(location)
        refuse_incomplete(location, tuple(array.shape))
    else:
        array = member
        check_metadata(array, location)
    names = dims if dims is not None else stored_names(array)
    return apply(source_of_array(array, location, names))


def source_of_array(array: zarr.Array[Any], location: Location, names: Dims = None) -> ZarrSource:
    """Return the source that reads an array, which is stored at `location`."""
    type_ = declared_type(tuple(array.shape), np.dtype(array.dtype), names)
    stored, direct = stored_chunk_shape(array), direct_path(array)
    if direct is None:
        in_hand = ReadBuffers.by_zarr(stored, type_.dtype.itemsize, is_at_hand(array))
    else:
        in_hand = direct.in_hand
    parts = None if direct is None else direct.read_sides
    plain = isinstance(direct, DirectArray) and not direct.form.is_encoded
    how = in_hand, parts, plain, codec_name(array)
    return ZarrSource(location, type_, stored, str(location), *how)


def locations_of(source: Source) -> tuple[Location, ...]:
    """Return the locations of the Zarr arrays that a source reads: one or none."""
    return (source.location,) if isinstance(source, ZarrSource) else ()


def stored_names(array: zarr.Array[Any]) -> Dims:
    """Return the names of the dimensions of a stored array, or None."""
    names = getattr(array.metadata, "dimension_names", None) or array.attrs.get(NAMES_OF_VERSION_2)
    if not isinstance(names, list | tuple) or not any(names):
        return None
    return tuple(None if name is None else str(name) for name in names)
