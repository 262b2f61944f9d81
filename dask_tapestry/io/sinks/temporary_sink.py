"""Values that workers cannot hold as sinks: written in chunks, by the compute that reads them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from dask_tapestry.errors import StoreError
from dask_tapestry.io.chunks.chunk_costs import write_scratch_bytes
from dask_tapestry.io.chunks.stored_buckets import StoredBuckets
from dask_tapestry.io.chunks.zarr_array_format import COMPLETE
from dask_tapestry.io.chunks.zarr_chunk_io import write_box
from dask_tapestry.io.files.process_name import this_process
from dask_tapestry.io.sinks.zarr_create import create
from dask_tapestry.io.stores.temporary_folder import (
    as_stored,
    byte_box,
    claim,
    folder_of_run,
    stored_dtype,
    temporary_location,
    temporary_root,
)
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_open import exists
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import PLAIN_CODEC, Block, Sink, TensorType
from dask_tapestry.teg.buckets import is_buckets
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.bucket_blocks import BucketBlocks

NOT_ENCODED: Final[dict[str, Any]] = {
    "compressors": None,
    "filters": None,
    "fill_value": 0,
    "zarr_format": 3,
    "attributes": {COMPLETE: True},
    "chunk_key_encoding": {"name": "default", "separator": "."},  # all in one folder
}


@dataclass(frozen=True)
class TemporarySink(Sink):
    """Writes a value to a Zarr array, whose cells are not encoded, in the folder of a compute.

    Buckets, whose sizes are known only then, are objects there.

    Attributes
    ----------
    value
        Name of the value.
    stored
        Sides of the chunks.
    root, run, owner
        Where computes have their folders, the compute, and its process; empty in a plan.
    """

    name = "exchangestore"
    codec = PLAIN_CODEC
    value: str
    stored: tuple[int, ...]
    root: str = ""
    run: str = ""
    owner: str = ""

    def for_run(self, run: str) -> TemporarySink:
        return replace(self, root=temporary_root(), run=run, owner=this_process())

    @property
    def location(self) -> Location:
        """The location that the value is written to."""
        return temporary_location(self.root, self.run, self.value)

    @property
    def chunks(self) -> tuple[int, ...]:
        return self.stored

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        if is_buckets(inputs[0]):
            return 0  # they are stored from where they lie
        return write_scratch_bytes(box, self.stored, inputs[0].dtype.itemsize)

    def prepare(self, type_: TensorType, run: str) -> None:
        """Create the array, unless this compute has: a task that runs again keeps what is there."""
        try:
            claim(self.root, self.run, self.owner)
        except OSError as error:
            raise StoreError(_unwritable(self.root, error)) from error
        if is_buckets(type_):
            self.buckets.prepare()
            return
        if exists(self.location):
            return
        shape = byte_box(type_.box, type_.dtype).shape
        chunks = (*self.stored, *shape[type_.ndim :])
        dtype = stored_dtype(type_.dtype)
        options = NOT_ENCODED | {"shape": shape, "dtype": dtype, "chunks": chunks}
        try:
            create(self.location, overwrite=False, **options)
        except StoreError as error:
            with suppress(StoreError):
                if exists(self.location):  # by the same task, elsewhere
                    return
            raise StoreError(_unwritable(self.root, error)) from error

    @property
    def buckets(self) -> StoredBuckets:
        """The place of a value that is buckets."""
        return StoredBuckets(f"{folder_of_run(self.root, self.run)}/{self.value}", self.stored)

    def write(self, box: ZRange, block: Block) -> None:
        try:
            if isinstance(block, BucketBlocks):
                self.buckets.write(box, block)
                return
            cells = as_stored(block)
            there = byte_box(box, block.dtype)
            write_box(self.location, there.slices(), cells, empty_chunks=True)
        except Exception as error:
            raise StoreError(
                f"cannot write {box} of a value: {_unwritable(self.root, error)}"
            ) from (error)

    def finish(self) -> None:
        """Nothing is left to do: its readers wait for all blocks."""

    def slot(self, number: int, identity: str = "") -> TemporarySink:
        return TemporarySink(f"slot {number} {identity}", self.stored)

    def text(self) -> str:
        return f"chunks {self.stored}"


def _unwritable(root: str, error: Exception) -> str:
    return (
        f"workers write what they cannot hold to {root}, which fails: {error}; the setting "
        "'temporary-store' names another folder, or a URL, that all workers reach"
    )
