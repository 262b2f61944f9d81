"""Zarr arrays that exist, as targets: regions are written and arrays grow.

Of a chunk that a region covers in part, `write_box` of `io/chunks/zarr_chunk_io.py` keeps the other
cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.cells.fixed_dtype import cell_dtype
from dask_tapestry.errors import ShapeError, StoreError
from dask_tapestry.io.chunks.zarr_chunk_io import stored_chunk_shape, write_box
from dask_tapestry.io.journals.journal import Box
from dask_tapestry.io.journals.write_marks import write_marked
from dask_tapestry.io.journals.write_record import RecordedWrite
from dask_tapestry.io.journals.writer_id import WriterId
from dask_tapestry.io.journals.zarr_journal import (
    begin_write,
    end_write,
    maker_of,
    refuse_incomplete,
)
from dask_tapestry.io.resuming.resumption import Resume, WriteProgress, progress_of
from dask_tapestry.io.sources.zarr_source import ZarrSource, stored_names
from dask_tapestry.io.stores.pinned_folder import pinned
from dask_tapestry.io.stores.zarr_consolidate import consolidate
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_open import open_array
from dask_tapestry.io.targets.target import Target
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Source, TensorType
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class ZarrTarget(Target):
    """A Zarr array; one task writes all that goes into a chunk, or into a shard.

    Attributes
    ----------
    before
        Shape that the array has until it grows to `shape`, or None where it does not grow.
    resume
        How writes to it are resumed, if they are.
    empty_chunks
        Whether chunks of the fill value alone are stored; None as `write_box` says.
    consolidated
        Path of the group whose metadata are consolidated when it has grown, if any.
    """

    location: Location
    full_shape: tuple[int, ...]
    type: np.dtype[Any]
    stored: tuple[int, ...]
    before: tuple[int, ...] | None = None
    names: Dims = None
    resume: Resume | None = None
    empty_chunks: bool | None = None
    consolidated: str | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.full_shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.type

    @property
    def sides(self) -> tuple[int, ...]:
        return self.stored

    @property
    def local_only(self) -> str | None:
        return self.location.local_only

    @property
    def resumes(self) -> bool:
        return self.resume is not None

    def slot(self, number: int, identity: str) -> ZarrTarget:
        return replace(self, location=Location.slot(number, identity), resume=None)

    def progress(self, region: WriteRegion) -> WriteProgress | None:
        if self.resume is None:
            return None
        known = (self.location, partial(self._write, region), self.stored, self.resume)
        return progress_of(*known, may_be_followed=False, title=f"{self}{region}")

    def begin(self, regions: Sequence[WriteRegion], run: str) -> None:
        with pinned(self.location) as place:
            self._begin(place, regions, run)

    def _begin(self, location: Location, regions: Sequence[WriteRegion], run: str) -> None:
        writes = [self._write(region, run) for region in regions]
        maker = WriterId(self.location.nonce, run)
        last_maker = maker_of(location)
        if last_maker is not None and last_maker.run != run and maker.write in last_maker.over:
            raise StoreError(
                f"{self} was written to, and then replaced by a later write that read it; "
                "build both writes again"
            )
        if self.before is None:
            self._refuse_other_shape(location, self.shape)
            for write in writes:
                begin_write(location, write)
            return
        if (
            last_maker is not None and last_maker.write == maker.write
        ):  # it has grown for this write before
            self._refuse_other_shape(location, self.before, self.shape)
        else:
            self._refuse_other_shape(location, self.before)
        for write in writes:
            begin_write(location, write, maker)
        open_array(location, "r+").resize(self.shape)

    def _write(self, region: WriteRegion, run: str) -> RecordedWrite:
        cells = "" if region.is_dense else str(region)
        named = "" if self.resume is None else self.resume.named
        chunks = self.whole_chunks(region.hull)
        return RecordedWrite(self.location.nonce, run, region.hull, cells, chunks, named)

    def whole_chunks(self, box: Box) -> Box:
        """Box of the stored chunks that a box is in: they are changed as a whole."""
        if any(lo >= hi for lo, hi in box):
            return box
        sides = zip(box, self.stored, self.shape, strict=True)
        return tuple((lo // n * n, min(-(-hi // n) * n, extent)) for (lo, hi), n, extent in sides)

    def _refuse_other_shape(self, place: Location, *shapes: tuple[int, ...]) -> None:
        found = tuple(open_array(place).shape)
        if found not in shapes:
            raise StoreError(
                f"the Zarr array at {self.location} has shape {found} now; the write was made for "
                f"{shapes[0]}"
            )

    def write(self, selection: tuple[slice, ...], block: np.ndarray[Any, Any]) -> None:
        write_box(self.location, selection, block, self.empty_chunks)

    def write_of(
        self, region: WriteRegion, run: str, cells: ZRange, block: np.ndarray[Any, Any]
    ) -> None:
        selection, whole = region.selection(cells), region.hull
        box = tuple((part.start, part.stop) for part in selection)
        chunks = self._chunks(box), self._chunks(whole)

        def store(place: Location) -> dict[str, Any] | None:
            replace(self, location=place).write(selection, block)
            return self.resume and self.resume.states(place, box, self.stored)

        reach = self.whole_chunks(box)
        write_marked(self.location, self._write(region, run), box, chunks, store, reach)

    def _chunks(self, box: Box) -> int:
        """How many stored chunks a box meets."""
        sides = zip(box, self.stored, strict=True)
        return prod(-(-hi // n) - lo // n for (lo, hi), n in sides)

    def end(self, region: WriteRegion, run: str) -> None:
        with pinned(self.location) as place:
            end_write(place, self._write(region, run))
        if self.before is not None and self.consolidated is not None:
            consolidate(self.location, self.consolidated)

    def source(self, dims: Dims) -> Source:
        type_ = TensorType(self.shape, cell_dtype(self.type), self.names or dims)
        return ZarrSource(self.location, type_, self.stored, str(self.location))

    def is_read_by(self, source: Source) -> bool:
        return isinstance(source, ZarrSource) and source.location.key == self.location.key

    def meets(self, region: WriteRegion, other: Target, others: WriteRegion) -> bool:
        """Two targets may be one array, opened twice."""
        if not isinstance(other, ZarrTarget) or other.location.key != self.location.key:
            return False
        return region.meets(others)

    def __str__(self) -> str:
        return f"the Zarr array at {self.location}"


def zarr_target(location: Location) -> ZarrTarget:
    """Return the Zarr array at `location` as a target.

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is none, or it is in a store that cannot change.
    """
    array = open_array(location)
    refuse_unchangeable(location)
    return ZarrTarget(
        location,
        tuple(array.shape),
        np.dtype(array.dtype),
        stored_chunk_shape(array),
        names=stored_names(array),
    )


def refuse_unchangeable(location: Location) -> None:
    """Raise `StoreError` if what is stored at `location` cannot be changed."""
    if location.is_zip:
        raise StoreError(
            f"{location} is a zip file, whose arrays cannot be changed: write a new file"
        )
    if (why := location.only_read) is not None:
        raise StoreError(why)


def append_target(
    location: Location, axis: int | str, x: TensorType
) -> tuple[ZarrTarget, Sequence[slice]]:
    """Return the target that a Zarr array becomes when `x` is appended, and where `x` goes.

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is no array, a write of it has not ended, it cannot change, or the other
        dimensions differ.
    ShapeError
        If there is no such axis, or the dimensions have other names.
    """
    array = open_array(location)
    refuse_incomplete(location, tuple(array.shape))
    target = zarr_target(location)
    names = target.names
    number = axis_number(axis, names or x.dims, array.ndim, str(target))
    others = [n for n in range(array.ndim) if n != number]
    if x.ndim != array.ndim or any(x.shape[n] != array.shape[n] for n in others):
        raise StoreError(
            f"shape {x.shape} cannot be appended to {target} of shape {target.shape} along axis "
            f"{number}: the others must be equal"
        )
    if names and x.dims and any(a and b and a != b for a, b in zip(names, x.dims, strict=True)):
        raise ShapeError(f"dimensions {x.dims} cannot be appended to {target} with {names}")
    before = target.shape
    shape = tuple(n + x.shape[number] * (d == number) for d, n in enumerate(before))
    region = [slice(before[d] if d == number else 0, n) for d, n in enumerate(shape)]
    return replace(target, full_shape=shape, before=before), region


def axis_number(axis: int | str, names: Dims, ndim: int, what: str) -> int:
    """Return the number of a dimension that is given by number or name.

    Raises
    ------
    ShapeError
        If there is none.
    """
    if isinstance(axis, str):
        if names is None or axis not in names:
            those = "which have no names: give numbers" if names is None else f"which are {names}"
            raise ShapeError(f"{what} has no dimension {axis!r} among its own, {those}")
        return names.index(axis)
    if not -ndim <= axis < ndim:
        raise ShapeError(f"axis {axis} is out of bounds for {what}, which has {ndim} dimensions")
    return axis % ndim
