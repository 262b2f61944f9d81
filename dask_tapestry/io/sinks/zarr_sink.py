"""New Zarr arrays as sinks: each stored chunk, or shard, is written by one task."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import field, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from dask_tapestry.errors import DTypeError, StoreError
from dask_tapestry.imports import unpickle
from dask_tapestry.io.chunks.chunk_costs import write_scratch_bytes
from dask_tapestry.io.chunks.codec_names import codec_name
from dask_tapestry.io.chunks.zarr_chunk_io import write_box
from dask_tapestry.io.chunks.zarr_direct import remove_partial_files
from dask_tapestry.io.journals.journal import Box, whole_box
from dask_tapestry.io.journals.write_marks import write_marked
from dask_tapestry.io.journals.write_record import RecordedWrite
from dask_tapestry.io.journals.writer_id import WriterId, next_step
from dask_tapestry.io.journals.zarr_journal import begin_write, end_write, is_incomplete, maker_of
from dask_tapestry.io.resuming.resumed_sink import (
    is_same_job,
    refuse_other_write,
    refuse_reading_itself,
    write_identity,
)
from dask_tapestry.io.resuming.resumption import Resume, complete, progress_of
from dask_tapestry.io.sinks.pending_parts import as_ranges, parts_of
from dask_tapestry.io.sinks.region_sink import RegionSink
from dask_tapestry.io.sinks.zarr_create import create, create_begun, create_groups, dry_run_create
from dask_tapestry.io.sinks.zarr_layout import PLAIN, Extras, ZarrLayout
from dask_tapestry.io.sinks.zarr_overwrite import (
    Replacement,
    abandoned,
    is_in_place,
    put_in_place,
    replacing,
)
from dask_tapestry.io.sinks.zarr_write_error import write_error
from dask_tapestry.io.sources.zarr_source import ZarrSource
from dask_tapestry.io.stores.zarr_consolidate import consolidate
from dask_tapestry.io.stores.zarr_location import Location, zarr
from dask_tapestry.io.stores.zarr_open import exists, format_of_group
from dask_tapestry.io.targets.zarr_target import ZarrTarget
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import USUAL_CODEC, Node, Sink, Tensor, TensorType, apply
from dask_tapestry.teg.node import topological
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange

PARTIAL = ".partial"  # ends the name of a zip file while it is written


@dataclass(frozen=True)
class ZarrSink(Sink):
    """Writes a tensor to a Zarr array that it creates.

    Attributes
    ----------
    location
        Where it is written.
    stored
        Shape of what is written as a whole: shards, or chunks where there are none.
    options
        What zarr is told of the new array.
    overwrite
        Whether it may replace what is there.
    workers
        Names or addresses of the workers that write it.
    archive
        Path of the zip file, which has another name until it is complete.
    replaced
        The location that the array takes when it is complete, and the folder of that. What is there
        can be read until all is written, and is kept if the write fails.
    once
        Whether computing it again changes nothing, as its value reads what it replaced and would be
        another value now.
    over
        Names of the earlier writes to the same place that it follows. Writes to regions are among
        them only if its value reads the place.
    extent
        Shape of the array.
    run
        Name of the compute in which it writes.
    resume
        How it is resumed, if it is.
    pending
        What of it is missing; None for all.
    extras
        What else is asked for.
    codec
        The name of what encodes its cells.
    """

    name = "store"
    location: Location
    stored: tuple[int, ...]
    options: dict[str, Any] = field(compare=False)
    overwrite: bool = False
    workers: tuple[str, ...] = ()
    archive: str | None = None
    replaced: tuple[Location, str] | None = None
    once: bool = False
    over: tuple[str, ...] = ()
    extent: tuple[int, ...] = ()
    run: str = ""
    resume: Resume | None = None
    pending: tuple[ZRange, ...] | None = None
    extras: Extras = PLAIN
    codec: str = USUAL_CODEC

    def for_run(self, run: str) -> ZarrSink:
        if self.resume is None:
            return replace(self, run=run)
        if self._is_whole:
            found = complete(self.final, self._made_in)
        else:
            known = (self.location, self._write_in, self.stored, self.resume)
            found = progress_of(*known, may_be_followed=True, title=self.final)
        return replace(self, run=found.run, pending=as_ranges(found.pending))

    @property
    def resumes(self) -> bool:
        return self.resume is not None

    @property
    def chunks(self) -> tuple[int, ...]:
        return self.stored

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return write_scratch_bytes(box, self.stored, inputs[0].dtype.itemsize)

    @property
    def _write(self) -> RecordedWrite:
        return self._write_in(self.run)

    def _write_in(self, run: str) -> RecordedWrite:
        named = "" if self.resume is None else self.resume.named
        return RecordedWrite(self.location.nonce, run, whole_box(self.extent), named=named)

    def prepare(self, type_: TensorType, run: str) -> None:
        options, run = self._options(type_), run if self.resume is None else self.run
        if self.location.is_zip:
            if self.archive is not None:
                _delete_partial_zip(self.location.store)
            create(self.location, overwrite=False, **options)  # a zip file cannot be written twice
            return
        maker, found = WriterId(self.location.nonce, run, self.over), maker_of(self.final)
        self._refuse_replaced(found)
        beside = maker_of(self.location)
        step = next_step(maker, found, beside, once=self.once, overwrite=self.overwrite)
        if step == "keep":
            return
        if step == "repeat" and self.replaced is None:
            begin_write(self.location, self._write, maker)
            return
        if self.replaced is not None:
            create_groups(self.replaced[0], self.options["zarr_format"])
        create_begun(self.location, self._write, maker, self.overwrite, options)

    def _refuse_replaced(self, found: WriterId | None) -> None:
        """Raise if a write that was to follow has replaced this one, which may replace nothing."""
        followed = found is not None and self.location.nonce in found.over
        if followed and not self.overwrite and self.location.stamp is None:
            raise StoreError(f"{self.location} was written, and replaced by a later write")

    def _options(self, type_: TensorType) -> dict[str, Any]:
        """What zarr is told of the array that is created."""
        dtype = type_.dtype
        if dtype.kind in "iu":
            dtype = np.dtype(dtype.str)  # zarr knows one of C's equally long integers only
        return self.options | {"shape": type_.shape, "dtype": dtype}

    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        try:
            if not self._is_done:
                for part in parts_of(box, self.pending):
                    self._write_part(part, block[part.index(box)])
        except Exception as error:
            kept = None if self.replaced is None else self.final
            resumes = self.resume is not None
            raise write_error(box, self.location, error, kept, resumes) from error

    def _write_part(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        whole = prod(-(-n // side) for n, side in zip(self.extent, self.stored, strict=True))
        own = prod(-(-n // side) for n, side in zip(box.shape, self.stored, strict=True))

        def store(place: Location) -> dict[str, Any] | None:
            write_box(place, box.slices(), block, self.extras.empty_chunks)
            return self.resume and self.resume.states(place, _sides(box), self.stored)

        write_marked(self.location, self._write, _sides(box), (own, whole), store)

    def finish(self) -> None:
        if not self.location.is_zip:
            whole = self.resume is not None and self._is_whole
            if not whole and not self._is_done:
                folder = None if self.pending is None else self.location.folder
                if folder is not None:
                    remove_partial_files(folder)
                end_write(self.location, self._write)
            if self.replaced and (not whole or is_in_place(self.location, self.final, self.run)):
                put_in_place(self.location, *self.replaced, self.run)
            if self.extras.consolidated is not None:
                consolidate(self.final, self.extras.consolidated)
        elif self.archive is not None:
            self.location.store.close()
            Path(self.location.store.path).replace(self.archive)

    def abandon(self) -> str | None:
        if self.replaced is None or not abandoned(self.location):
            return None
        return (
            f"what was written lies in {self.location}: delete it, or overwrite {self.final} again"
        )

    def meets(self, other: Sink) -> bool:
        """A new array takes all of its place, with whatever is within."""
        match other:
            case ZarrSink(archive=archive) if archive is not None:
                return archive == self.archive
            case ZarrSink():
                place = other.final
            case RegionSink(target=ZarrTarget() as target):
                place = target.location
            case _:
                return False
        return self.final.holds(place) or place.holds(self.final)

    @property
    def _is_done(self) -> bool:
        """Whether the array is complete in its place: a task that runs again does nothing."""
        if self.replaced is not None:
            if Path(self.location.store).exists():
                return is_in_place(self.location, self.replaced[0], self.run)
        elif self._is_emptied_again or is_incomplete(self.location):
            return False
        made = maker_of(self.final)
        return made is not None and made.has_done(self.location.nonce)

    @property
    def _made_in(self) -> str:
        """Run that has made what is in the place, of this write that is resumed; or nothing."""
        made = maker_of(self.final)
        return "" if made is None or not is_same_job(made.write, self.location.nonce) else made.run

    @property
    def _is_whole(self) -> bool:
        """Whether this write, which is resumed, has made what is in the place, and completed it."""
        return bool(self._made_in) and not is_incomplete(self.final)

    @property
    def _is_emptied_again(self) -> bool:
        """Whether each compute writes the place anew, or looking at it would be slow."""
        return not self.once and (self.overwrite or self.location.stamp is None)

    @property
    def final(self) -> Location:
        """Location of the array when it is complete."""
        if self.replaced is not None:
            return self.replaced[0]
        if self.archive is None:
            return self.location
        return Location.of(self.archive, self.location.component, self.location.nonce)

    def slot(self, number: int, identity: str = "") -> ZarrSink:
        place = Location.slot(number, identity)
        sink = ZarrSink(place, self.stored, {}, self.overwrite, self.workers, once=self.once)
        return replace(sink, extent=self.extent, codec=self.codec)

    def text(self) -> str:
        return f"{str(self.final)!r}, chunks {self.stored}"

    @property
    def local_only(self) -> str | None:
        return self.final.local_only

    def __reduce__(self) -> tuple[Any, ...]:
        if self.local_only:
            raise StoreError(self.local_only)
        options = pickle.dumps(self.options)  # codecs among them: zarr is imported to load them
        how = (self.overwrite, self.workers, self.archive)
        rest = (*how, self.replaced, self.once, self.over, self.extent, self.run)
        parts = (options, self.location, self.stored, *rest)
        return _loaded, (*parts, self.resume, self.pending, self.extras, self.codec)


def _sides(box: ZRange) -> Box:
    return tuple(zip(box.lo, box.hi, strict=True))


def _loaded(options: bytes, location: Location, stored: tuple[int, ...], *rest: Any) -> ZarrSink:
    return ZarrSink(location, stored, unpickle(options), *rest)


def zarr_sink(
    x: Tensor,
    location: Location,
    layout: ZarrLayout,
    *,
    overwrite: bool,
    workers: tuple[str, ...] = (),
    after: Sequence[Node] = (),
    memory: int | None = None,
    resume: Any = False,
    extras: Extras = PLAIN,
) -> Node:
    """Return the sink that writes `x` to a new array, by tasks that have `memory` bytes.

    What `resume` says is that of `Resume.of`, or false.

    Raises
    ------
    StoreError
        If something is there and `overwrite` is false, or the format has not what is asked for.
    ShapeError
        If chunks or shards do not fit the shape.
    """
    if (why := location.only_read) is not None:
        raise StoreError(why)
    location, archive = _partial_zip(location)
    exists_already = exists(location) if archive is None else Path(archive).exists()
    if exists_already and not overwrite and not resume:
        raise StoreError(f"{archive or location} exists: give overwrite=True to replace it")
    if x.type.dtype.hasobject:
        raise DTypeError(
            f"no Zarr array is made of cells of {x.type.dtype}: convert them first, texts with "
            "astype('U9') to some length"
        )
    group = None if archive else format_of_group(location)
    options = layout.options(x, location, group, memory)
    tried = dry_run_create(x.type, location, **options)
    resumed = None
    if resume:
        identity = write_identity(x, after, location, tried.metadata.to_dict())
        location, resumed = replace(location, nonce=identity.text), Resume.of(identity, resume)
        if exists_already and not overwrite:
            refuse_other_write(location, identity)
    how = Replacement(location, x, after)
    overwritten: tuple[str, ...] = ()
    if overwrite and archive is None:
        location.refuse_outside()
        earlier = _earlier(location, [x, *after])
        how = replacing(location, x, after, tuple(earlier))
        kept = [n for n in earlier if how.reads_itself or isinstance(n.operator, ZarrSink)]
        overwritten = tuple(earlier[node] for node in kept)
    into = (
        how.location,
        options["shards"] or options["chunks"],
        options,
        overwrite,
        workers,
        archive,
    )
    if resumed and (how.reads_itself or overwritten):
        refuse_reading_itself(location)
    rest = (how.replaced, how.reads_itself, overwritten, x.type.shape, "", resumed)
    sink = ZarrSink(*into, *rest, extras=extras, codec=codec_name(tried))
    return apply(sink, how.x, after=how.after)


def _earlier(location: Location, nodes: Sequence[Node]) -> dict[Node, str]:
    """Return the sinks among what `nodes` need that write to the same place, and their nonces."""
    earlier_writes = {}
    for node in topological(nodes):
        match node.operator:
            case ZarrSink(archive=None) as sink if sink.final.key == location.key:
                earlier_writes[node] = sink.location.nonce
            case RegionSink(target=ZarrTarget() as target) if target.location.key == location.key:
                earlier_writes[node] = target.location.nonce
    return earlier_writes


def written_source(node: Node) -> ZarrSource:
    """The source that reads what a sink writes."""
    sink = node.operator
    assert isinstance(sink, ZarrSink)
    type_ = node.type._replace(dtype=node.type.dtype.newbyteorder("="))
    return ZarrSource(sink.final, type_, sink.stored, str(sink.final))


def _delete_partial_zip(archive: Any) -> None:
    """Delete what an earlier attempt left of a zip file."""
    if archive._is_open:
        archive.close()
    Path(archive.path).unlink(missing_ok=True)


def _partial_zip(location: Location) -> tuple[Location, str | None]:
    """Return where a zip file is written until it is complete, and its path; else the location."""
    if not location.is_zip or not location.store.read_only:
        return location, None
    archive = str(location.store.path)
    partial = zarr().storage.ZipStore(archive + PARTIAL, mode="w")
    return Location(partial, location.component, location.nonce), archive
