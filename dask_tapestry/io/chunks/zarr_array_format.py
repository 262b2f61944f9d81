"""The format of a stored Zarr array, where its chunks can be read and written without zarr."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import Any, Final

from dask_tapestry.errors import StoreError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.chunks.chunk_format import ChunkFormat
from dask_tapestry.io.chunks.shard_index import ShardIndex
from dask_tapestry.io.files.file_cells import Block, Part
from dask_tapestry.io.tuning import HANDED_OVER_BYTES
from dask_tapestry.late_dataclass import dataclass

COMPLETE: Final = "dask_tapestry_complete"  # attribute of arrays all of whose chunks are stored


@dataclass(frozen=True)
class ArrayFormat:
    """How an array's chunks are encoded and named.

    Attributes
    ----------
    shape
        Of the array.
    chunk
        Sides of what is in one file or object: a shard, or a chunk where there are none.
    format
        How chunks are encoded.
    shards
        How they lie in shards, if they do.
    fill
        The cell of chunks that are not there.
    key
        The name of a file or object, of its place in the grid.
    is_complete
        Whether all chunks are stored: one that is not there has been lost.
    """

    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    format: ChunkFormat
    shards: ShardIndex | None
    fill: Any
    key: Callable[[tuple[int, ...]], str]
    is_complete: bool = False

    @classmethod
    def of(cls, array: Any) -> ArrayFormat | None:
        """Return the format of one of zarr's arrays; None where zarr must decode it."""
        metadata = array.metadata
        form, shards = _formats(metadata)
        if form is None:
            return None
        fill = metadata.fill_value
        if fill is None:
            fill = metadata.dtype.default_scalar()
        chunk = tuple(max(1, int(n)) for n in array.shards or array.chunks)
        whole = bool(array.attrs.get(COMPLETE))
        return cls(array.shape, chunk, form, shards, fill, metadata.encode_chunk_key, whole)

    def fill_absent(self, out: Block) -> None:
        """Fill `out`, the cells of a chunk that is not there.

        Raises
        ------
        StoreError
            If all chunks were stored.
        """
        if self.is_complete:
            raise StoreError("a chunk is gone that was written: something has removed it")
        out[...] = self.fill

    @property
    def chunks_handed_over(self) -> int:
        """How many chunks, or shards, another thread takes at a time that helps with them."""
        size = prod(self.chunk) * self.format.dtype.itemsize
        return max(1, HANDED_OVER_BYTES // max(1, size))

    @property
    def is_encoded(self) -> bool:
        """Whether anything but cells is stored."""
        return bool(self.format.decoders) or self.shards is not None


def has_other_pipeline(array: Any) -> bool:
    """Whether the user has told zarr to decode by another library, as `zarrs`."""
    usual = lazy_import("zarr.core.codec_pipeline").BatchedCodecPipeline
    return type(array.async_array.codec_pipeline) is not usual


def _formats(metadata: Any) -> tuple[ChunkFormat | None, ShardIndex | None]:
    """Formats of an array's chunks and shards."""
    if metadata.zarr_format == 2:
        return ChunkFormat.of_version_2(metadata), None
    regular = lazy_import("zarr.core.chunk_grids").RegularChunkGrid
    if type(metadata.chunk_grid) is not regular or metadata.storage_transformers:
        return None, None
    chunk, dtype = metadata.chunk_grid.chunk_shape, metadata.data_type.to_native_dtype()
    first, *rest = metadata.codecs
    if type(first) is not lazy_import("zarr.codecs").ShardingCodec or rest:
        return ChunkFormat.of_codecs(metadata.codecs, chunk, dtype), None
    index = ShardIndex.of(first, chunk)
    inner = ChunkFormat.of_codecs(first.codecs, first.chunk_shape, dtype)
    return (None, None) if index is None else (inner, index)


def chunks_met(
    selection: Sequence[slice], chunk: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], Part, Part]]:
    """Yield the places in the grid of the chunks that a selection meets, and what it takes of each.

    That is slices of the chunk, and slices of what is selected.

    Examples
    --------
    >>> list(chunks_met((slice(3, 12),), (10,)))
    [((0,), (slice(3, 10, None),), (slice(0, 7, None),)), \
((1,), (slice(0, 2, None),), (slice(7, 9, None),))]
    """
    lines = []
    for part, side in zip(selection, chunk, strict=True):
        first, last = part.start, part.stop
        line = []
        for number in range(first // side, -(-last // side) if last > first else 0):
            lo, hi = max(first, number * side), min(last, (number + 1) * side)
            at = number * side
            line.append((number, slice(lo - at, hi - at), slice(lo - first, hi - first)))
        lines.append(line)
    for found in product(*lines):
        numbers, parts, there = zip(*found, strict=True) if found else ((), (), ())
        yield numbers, parts, there
