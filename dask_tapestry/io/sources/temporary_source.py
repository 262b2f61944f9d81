"""Values that a compute has written for itself, because workers cannot hold them, as sources."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.io.chunks.chunk_costs import ReadBuffers
from dask_tapestry.io.chunks.stored_buckets import StoredBuckets
from dask_tapestry.io.chunks.zarr_chunk_io import read_box
from dask_tapestry.io.sources.chunked_source import ChunkedSource
from dask_tapestry.io.stores.temporary_folder import (
    as_stored,
    byte_box,
    folder_of_run,
    temporary_location,
    temporary_root,
)
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, TensorType
from dask_tapestry.teg.buckets import is_buckets
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import Cuts, ZRange


@dataclass(frozen=True)
class TemporarySource(ChunkedSource):
    """Reads what the `TemporarySink` of the same value has written in the same compute.

    Attributes
    ----------
    value
        Name of the value.
    stored
        Sides of the chunks.
    lattice
        The grid in which the data was stored that the value is made of: sums are the same as if
        it had not been written.
    root, run
        Where computes have their folders, and the compute; empty in a plan.
    """

    name = "exchanged"
    is_plain = True
    waits_where_read = True
    value: str
    type: TensorType
    stored: tuple[int, ...]
    lattice: tuple[Cuts | None, ...] | None = None
    root: str = ""
    run: str = ""

    @property
    def fills(self) -> bool:  # type: ignore[override]
        """Whether cells are read to where they are wanted: buckets are made as they are found."""
        return not is_buckets(self.type)

    @property
    def stored_cuts(self) -> tuple[Cuts | None, ...] | None:
        return self.lattice

    def for_run(self, run: str) -> TemporarySource:
        return replace(self, root=temporary_root(), run=run)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        if is_buckets(self.type):
            return 0
        return self._buffers.scratch_bytes(box, self.stored)

    @property
    def helper_bytes(self) -> int | None:
        return None if is_buckets(self.type) else self._buffers.helper_bytes

    @property
    def _buffers(self) -> ReadBuffers:
        return ReadBuffers.by_zarr(self.stored, self.type.dtype.itemsize)

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        return self.read_some(box, out, 1)

    def read_some(self, box: ZRange, out: Block | None, every: int) -> Block:
        location = temporary_location(self.root, self.run, self.value)
        try:
            if is_buckets(self.type):
                place = f"{folder_of_run(self.root, self.run)}/{self.value}"
                return cast("Block", StoredBuckets(place, self.stored).read(box, self.type))
            cells = np.empty(box.shape, self.type.dtype) if out is None else out
            there, whole = (byte_box(one, cells.dtype) for one in (box, self.type.box))
            read_box(location, there.slices(), as_stored(cells), whole.shape, every, self.run)
        except Exception as error:
            raise StoreError(
                f"cannot read {box} of a value that workers wrote to {location}: {error}"
            ) from error
        return cells

    def slot(self, number: int, identity: str = "") -> TemporarySource:
        return TemporarySource(f"slot {number} {identity}", self.type, self.stored, self.lattice)

    def text(self) -> str:
        return f"chunks {self.stored}"
