"""The version of a Zarr array that a computation reads: one, or an error.

A version is what the array's metadata and the records of writes to it say when the computation
begins. Each task looks again when it has read its last chunk.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

from dask_tapestry.errors import StoreError, StoreNotFoundError
from dask_tapestry.io.journals.journal import Box
from dask_tapestry.io.journals.write_record import (
    BEGIN,
    DONE,
    MADE,
    MARK,
    OVER,
    Record,
    WriteKey,
    boxes_meet,
    digest,
)
from dask_tapestry.io.journals.zarr_journal import unfinished_writes
from dask_tapestry.io.stores.stored_objects import StoredObjects, objects_of
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.tuning import NAMES_LISTED_AT_ONCE, RECORD_KEPT_SECONDS


class Version(NamedTuple):
    """A version of an array, as a compute found it.

    Attributes
    ----------
    metadata
        A value that changes with the array's metadata; None if there was no array.
    names
        Of the records of writes that had ended.
    run
        Of the compute, as records tell it: its own writes are in the order that it needs.
    time
        When it was looked at, in hours since 1970.
    """

    metadata: object
    names: frozenset[str]
    run: str
    time: int

    @classmethod
    def of(cls, location: Location, run: str) -> Version | None:
        """The version that is there now; None if nothing can change."""
        objects = objects_of(location)
        if objects is None:
            return None
        names = objects.names()
        metadata = objects.metadata()
        ended = names.difference(unfinished_writes(location, attribute=False))
        return cls(metadata, ended, digest(run), int(time.time() // 3600))

    @property
    def text(self) -> str:
        """Text that is another for another version, in whatever compute."""
        return digest(f"{self.metadata!r} {sorted(self.names)}")

    def checked_metadata(self, location: Location) -> object:
        """Return what stands for the metadata.

        Raises
        ------
        StoreNotFoundError
            If there was no array when the computation began: another write was replacing it.
        """
        if self.metadata is None:
            raise StoreNotFoundError(f"there is no Zarr array at {location}")
        return self.metadata

    def confirm(self, location: Location, boxes: Iterable[Box]) -> None:
        """Look again, now that `boxes` have been read.

        Raises
        ------
        StoreError
            If another version is there, or cells of the boxes may have been written meanwhile.
        """
        objects = objects_of(location)
        assert objects is not None
        names = objects.names()
        if len(names) > NAMES_LISTED_AT_ONCE:  # a write that ended meanwhile may be in neither half
            names |= objects.names()
        made = [name for name in self.names if name.startswith(MADE)]
        lost = made and not any(name.startswith(MADE) for name in names)
        if lost or objects.metadata() != self.metadata:
            raise StoreError(
                f"the Zarr array at {location} was replaced while it was read: compute again"
            )
        if time.time() - self.time * 3600 > RECORD_KEPT_SECONDS and names != self.names:
            raise _written_error(location)  # records of what was written may have gone since
        boxes_read = [box for box in boxes if all(lo < hi for lo, hi in box)]
        kinds = (BEGIN, MARK, DONE)
        fresh = {WriteKey.in_name(n) for n in names - self.names if n.startswith(kinds)}
        for key in (key for key in fresh if boxes_read and key.run != self.run):
            written = _boxes_of(objects, names, key)
            if written is None:  # it has ended just now
                written = _boxes_of(objects, objects.names(), key)
            if written is None or any(boxes_meet(a, b) for a in boxes_read for b in written):
                raise _written_error(location)


def _written_error(location: Location) -> StoreError:
    return StoreError(
        f"cells of the Zarr array at {location} were written while they were read, or are being "
        "written: compute again when that has ended"
    )


def _boxes_of(objects: StoredObjects, names: frozenset[str], key: WriteKey) -> set[Box] | None:
    """Return the boxes of a write as its records tell them; None if they are not known."""
    of_boxes = (BEGIN, MARK, OVER, DONE)
    own = [n for n in names if n.startswith(of_boxes) and WriteKey.in_name(n) == key]
    whole = [name for name in own if not name.startswith(MARK)]  # a mark is of a part
    boxes_written: set[Box] = set()
    for name in whole or own:
        text = objects.read(name)
        boxes = None if text is None else Record.of(text).boxes
        if boxes is None:
            return None
        boxes_written |= boxes
    return boxes_written or None
