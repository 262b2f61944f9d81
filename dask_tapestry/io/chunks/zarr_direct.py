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
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.idle_threads import by_idle_threads
from dask_tapestry.io.chunks.chunk_costs import ReadBuffers
from dask_tapestry.io.chunks.chunk_format import BYTE
from dask_tapestry.io.chunks.filled_chunks import is_filled
from dask_tapestry.io.chunks.shard_index import ABSENT, bytes_within
from dask_tapestry.io.chunks.zarr_array_format import ArrayFormat, chunks_met, has_other_pipeline
from dask_tapestry.io.files.file_cells import Block, CellFile, Part, part_of, rows_of
from dask_tapestry.io.stores.retry_policy import MISSING, read_again
from dask_tapestry.io.stores.zarr_location import zarr
from dask_tapestry.io.tuning import READ_SCRATCH_BYTES
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.memory.buffer_pool import POOL

if TYPE_CHECKING:
    from pathlib import Path

PARTIAL: Final = ".partial"  # ends the names of files until they are complete, zarr's own too


@dataclass(frozen=True)
class DirectArray:
    """An array whose chunks, or shards, are files of a known format.

    Attributes
    ----------
    folder
        That the keys of chunks begin in.
    form
        Of its chunks.
    """

    folder: Path
    form: ArrayFormat

    @classmethod
    def of(cls, array: Any) -> DirectArray | None:
        """Return what is known of an array; None where it is not a folder, or zarr must read it."""
        if type(array.store) is not zarr().storage.LocalStore or not hasattr(os, "preadv"):
            return None
        form = ArrayFormat.of(array)
        if form is None or (form.is_encoded and has_other_pipeline(array)):
            return None
        return cls(array.store.root / array.path, form)

    @property
    def in_hand(self) -> ReadBuffers:
        """What reading has in memory beside the cells."""
        coded = self.form.format
        if not coded.decoders:
            return ReadBuffers(READ_SCRATCH_BYTES // 2, 1)
        return ReadBuffers(coded.nbytes, 1, coded.is_decoded_in_place)

    @property
    def read_sides(self) -> tuple[int, ...]:
        """Sides of what is read as a whole: inner chunks of shards; rows of what is not encoded."""
        known, coded = self.form, self.form.format
        if coded.decoders:
            return known.chunk if known.shards is None else known.shards.chunk
        rows = rows_of(coded.sides, coded.dtype.itemsize)
        return tuple([rows[coded.axes.index(axis)] for axis in range(len(rows))])

    def read(self, selection: Sequence[slice], out: Block, every: int = 1) -> None:
        """Fill `out` with the cells that slices of the array select.

        Of the first axis one in `every` is wanted, the first one first: others may be left out.

        Raises
        ------
        StoreError
            If a chunk cannot be read or decoded.
        """
        form, keys, reads = self.form, list[str](), list[Callable[[], None]]()
        skips = every != 1 and not form.is_encoded and not form.format.axes[0]
        for place, part, there in chunks_met(selection, form.chunk):
            how = (-there[0].start % every, every) if skips else None
            keys.append(form.key(place))
            reads.append(partial(self._read_one, keys[-1], part, part_of(out, there), how))

        def mend(number: int, error: Exception) -> None:  # codecs have errors of their own
            try:
                read_again(reads[number], error, self.folder)
            except Exception as last:
                raise StoreError(f"cannot read chunk {keys[number]}: {last}") from last

        by_idle_threads(reads, form.chunks_handed_over, mend)

    @contextmanager
    def opened(self, selection: Sequence[slice]) -> Iterator[tuple[int, int] | None]:
        """The open file of a chunk, and the byte at which cells of a selection begin there.

        None where they do not lie side by side in one, or it cannot be opened.
        """
        coded, met = self.form.format, list(chunks_met(selection, self.form.chunk))
        plain = not self.form.is_encoded and coded.dtype.isnative
        if not plain or len(met) != 1 or coded.axes != tuple(range(len(selection))):
            yield None
            return
        ((place, part, _),) = met
        whole = all(p == slice(0, n) for p, n in zip(part[1:], coded.sides[1:], strict=True))
        try:
            number = os.open(self.folder / self.form.key(place), os.O_RDONLY)
        except OSError:
            yield None
            return
        try:
            row = coded.nbytes // coded.sides[0] if coded.sides else 0
            fits = whole and coded.sides and os.fstat(number).st_size == coded.nbytes
            yield (number, part[0].start * row) if fits else None
        finally:
            os.close(number)

    def _read_one(self, key: str, part: Part, out: Block, skips: tuple[int, int] | None) -> None:
        """Read from a chunk, or shard: all rows, or of rows from the first on one in so many."""
        try:
            if skips is None:
                self._read_file(self.folder / key, part, out)
            else:
                self._read_some(self.folder / key, part, out, *skips)
        except MISSING:
            self.form.fill_absent(out)

    def writes(self, selection: Sequence[slice], dtype: np.dtype[Any]) -> bool:
        """Whether cells of a dtype that a selection of the array takes are written here.

        They are where chunks are not encoded, and written whole.
        """
        known = self.form
        if known.is_encoded or dtype.newbyteorder("=") != known.format.dtype.newbyteorder("="):
            return False
        sides = zip(selection, known.chunk, known.shape, strict=True)
        return all(
            part.step in (None, 1)
            and not part.start % side
            and (not part.stop % side or part.stop == extent)
            for part, side, extent in sides
        )

    def write(self, selection: Sequence[slice], block: Block, empty_chunks: bool = True) -> None:
        """Write the cells that slices of the array select, as `writes` says.

        Chunks that hold the fill value alone are deleted, unless `empty_chunks` says to store them.

        Raises
        ------
        StoreError
            If a chunk cannot be written; then it is as it was before.
        """
        form = self.form
        writes = [
            partial(self._write_one, form.key(place), part, part_of(block, there), empty_chunks)
            for place, part, there in chunks_met(selection, form.chunk)
        ]
        by_idle_threads(writes, form.chunks_handed_over)

    def _write_one(self, key: str, part: Part, cells: Block, empty_chunks: bool) -> None:
        """Write the cells of a part of a chunk: of all that the array has there."""
        form = self.form
        if not empty_chunks and is_filled(cells, form.fill, form.format.dtype):
            _remove_chunk(self.folder / key, key)
            return
        if cells.shape != form.chunk:  # at the array's end
            whole = np.full(form.chunk, form.fill, form.format.dtype)
            part_of(whole, part)[...] = cells
            cells = whole
        try:
            with replaced_file(self.folder / key, form.is_complete) as number:
                file = CellFile(number, form.format.dtype)
                file.put(0, cells.transpose(form.format.axes))
        except OSError as error:
            raise StoreError(f"cannot write chunk {key}: {error}") from error

    def _read_some(self, path: Path, part: Part, out: Block, first: int, every: int) -> None:
        """Fill one in `every` row of a chunk that is not encoded, from row `first` of a part on."""
        lead, *other_slices = part
        if lead.start + first >= lead.stop:
            return
        coded, rows = self.form.format, slice(lead.start + first, lead.stop)
        number = os.open(path, os.O_RDONLY)
        try:
            if (size := os.fstat(number).st_size) != coded.nbytes:
                raise ValueError(f"it has {size} bytes, not {coded.nbytes}")
            selected = tuple((rows, *other_slices)[a] for a in coded.axes)
            place = out[first:].transpose(coded.axes)
            file = CellFile(number, coded.dtype)
            file.fill_some(0, coded.sides, selected, place, every)
        finally:
            os.close(number)

    def _read_file(self, path: Path, part: Part, out: Block) -> None:
        form = self.form
        number = os.open(path, os.O_RDONLY)
        try:
            file, size = CellFile(number, form.format.dtype), os.fstat(number).st_size
            if form.shards is None:
                self._read_chunk(file, 0, size, part, out)
                return
            pairs = form.shards.read(file, size)
            for place, inner, out_part in chunks_met(part, form.shards.chunk):
                at, length = map(int, pairs[place])
                if at == ABSENT:
                    form.fill_absent(part_of(out, out_part))
                else:
                    bytes_within(at, length, size)
                    self._read_chunk(file, at, length, inner, part_of(out, out_part))
        finally:
            os.close(number)

    def _read_chunk(self, file: CellFile, at: int, size: int, part: Part, out: Block) -> None:
        coded = self.form.format
        if coded.decoders and size > coded.most_stored:
            raise ValueError(f"it has {size} bytes, more than {coded.most_stored}")
        if coded.decoders:
            stored = POOL.empty((max(size, coded.nbytes),), BYTE)[:size]  # of one size: used again
            file.read_bytes(at, stored)
            coded.unpack(stored, part, out)
        elif size == coded.nbytes:
            stored_part, place = tuple(part[a] for a in coded.axes), out.transpose(coded.axes)
            file.fill(at, coded.sides, stored_part, place)
        else:
            raise ValueError(f"it has {size} bytes, not {coded.nbytes}")


def _remove_chunk(path: Path, key: str) -> None:
    try:
        path.unlink(missing_ok=True)
    except NotADirectoryError:
        return
    except OSError as error:
        raise StoreError(f"cannot delete chunk {key}: {error}") from error


@contextmanager
def replaced_file(path: Path, in_folder: bool = False) -> Iterator[int]:
    """A new file to write to, which takes its place when all is written: another name until then.

    Another task or process sees all of a chunk or nothing of it, as with zarr's own local store.
    With `in_folder` its folder must be there.
    """
    partial = path.with_name(f"{path.name}.{uuid4().hex}{PARTIAL}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        number = os.open(partial, flags, 0o666)
    except FileNotFoundError:
        if in_folder:
            raise
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


def remove_partial_files(folder: Path) -> None:
    """Delete what killed processes have left of files of an array that nobody else writes now."""
    for path in folder.rglob(f"*{PARTIAL}"):
        path.unlink(missing_ok=True)
