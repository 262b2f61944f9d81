"""The short way to the chunks of a Zarr array: from files straight to where cells are wanted.

zarr reads a file into fresh memory, decodes it into fresh memory, and copies its cells to memory
that may be fresh, too: 2.5 times the time of reading an uncompressed file into used memory. Here
uncompressed cells go to their place at once, and compressed ones through memory that is used again.
What zarr alone can decode, and stores that are no local folder, are left to zarr.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.chunk_costs import InHand
from dask_tapestry.io.chunk_format import BYTE, ChunkFormat
from dask_tapestry.io.file_cells import SCRATCH, Block, CellFile, Part, part_of
from dask_tapestry.io.shard_index import ABSENT, ShardIndex
from dask_tapestry.io.zarr_location import zarr
from dask_tapestry.memory.buffer_pool import POOL

if TYPE_CHECKING:
    from pathlib import Path

MISSING: Final = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


@dataclass(frozen=True)
class DirectArray:
    """An array whose chunks, or shards, are files of a known format.

    Attributes
    ----------
    folder
        That the keys of chunks begin in.
    shape
        Of the array.
    chunk
        Sides of what is in one file.
    format
        How chunks are encoded.
    shards
        How they lie in shards, if they do.
    fill
        The cell of chunks that are not there.
    key
        The name of a file, of its place in the grid.
    """

    folder: Path
    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    format: ChunkFormat
    shards: ShardIndex | None
    fill: Any
    key: Callable[[tuple[int, ...]], str]

    @classmethod
    def of(cls, array: Any) -> DirectArray | None:
        """Return what is known of an array; None where zarr must read it."""
        if type(array.store) is not zarr().storage.LocalStore or not hasattr(os, "preadv"):
            return None
        metadata = array.metadata
        form, shards = _formats(metadata)
        if form is None or ((form.decoders or shards) and _has_other_pipeline(array)):
            return None
        fill = metadata.fill_value
        if fill is None:
            fill = metadata.dtype.default_scalar()
        chunk = tuple(max(1, int(n)) for n in array.shards or array.chunks)
        folder = array.store.root / array.path
        return cls(folder, array.shape, chunk, form, shards, fill, metadata.encode_chunk_key)

    @property
    def in_hand(self) -> InHand:
        """What reading has in memory beside the cells."""
        return InHand(self.format.nbytes if self.format.decoders else SCRATCH // 2, 1)

    def read(self, selection: Sequence[slice], out: Block) -> None:
        """Fill `out` with the cells that slices of the array select.

        Raises
        ------
        StoreError
            If a chunk cannot be read or decoded.
        """
        for place, part, there in chunks_met(selection, self.chunk):
            key = self.key(place)
            try:
                self._read_file(self.folder / key, part, part_of(out, there))
            except MISSING:
                part_of(out, there)[...] = self.fill
            except Exception as error:  # codecs have errors of their own
                raise StoreError(f"cannot read chunk {key}: {error}") from error

    def writes(self, selection: Sequence[slice], dtype: np.dtype[Any]) -> bool:
        """Whether cells of a dtype that a selection of the array takes are written here.

        They are where chunks are not encoded, and written whole.
        """
        if self.format.decoders or self.shards is not None:
            return False
        sides = zip(selection, self.chunk, self.shape, strict=True)
        return dtype.newbyteorder("=") == self.format.dtype.newbyteorder("=") and all(
            part.step in (None, 1)
            and not part.start % side
            and (not part.stop % side or part.stop == extent)
            for part, side, extent in sides
        )

    def write(self, selection: Sequence[slice], block: Block) -> None:
        """Write the cells that slices of the array select, as `writes` says.

        Raises
        ------
        StoreError
            If a chunk cannot be written; then it is as it was before.
        """
        for place, part, there in chunks_met(selection, self.chunk):
            key, cells = self.key(place), part_of(block, there)
            if cells.shape != self.chunk:  # at the array's end
                whole = np.full(self.chunk, self.fill, self.format.dtype)
                part_of(whole, part)[...] = cells
                cells = whole
            try:
                with replaced_file(self.folder / key) as number:
                    file = CellFile(number, self.format.dtype)
                    file.put(0, cells.transpose(self.format.axes))
            except OSError as error:
                raise StoreError(f"cannot write chunk {key}: {error}") from error

    def _read_file(self, path: Path, part: Part, out: Block) -> None:
        number = os.open(path, os.O_RDONLY)
        try:
            file, size = CellFile(number, self.format.dtype), os.fstat(number).st_size
            if self.shards is None:
                self._read_chunk(file, 0, size, part, out)
                return
            pairs = self.shards.read(file, size)
            for place, inner, there in chunks_met(part, self.shards.chunk):
                at, length = map(int, pairs[place])
                if at == ABSENT:
                    part_of(out, there)[...] = self.fill
                else:
                    self._read_chunk(file, at, length, inner, part_of(out, there))
        finally:
            os.close(number)

    def _read_chunk(self, file: CellFile, at: int, size: int, part: Part, out: Block) -> None:
        form = self.format
        stored_part, place = tuple(part[a] for a in form.axes), out.transpose(form.axes)
        if form.decoders:
            stored = POOL.room((max(size, form.nbytes),), BYTE)[:size]  # of one size: used again
            file.read_bytes(at, stored)
            form.decode(stored, stored_part, place)
        elif size == form.nbytes:
            file.fill(at, form.sides, stored_part, place)
        else:
            raise ValueError(f"it has {size} bytes, not {form.nbytes}")


@contextmanager
def replaced_file(path: Path) -> Iterator[int]:
    """A new file to write to, which takes its place when all is written: another name until then.

    Another task or process sees all of a chunk or nothing of it, as with zarr's own local store.
    """
    partial = path.with_name(f"{path.name}.{uuid4().hex}.partial")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        number = os.open(partial, flags, 0o666)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        number = os.open(partial, flags, 0o666)
    try:
        try:
            yield number
        finally:
            os.close(number)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _has_other_pipeline(array: Any) -> bool:
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
