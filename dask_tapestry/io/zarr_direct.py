"""The short way to the chunks of a Zarr array: from files straight to where cells are wanted.

zarr reads a file into fresh memory, and copies its cells to fresh memory. Here uncompressed chunks
of a local folder are read to their place at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from dask_tapestry.errors import StoreError
from dask_tapestry.io.file_cells import CellFile, Part
from dask_tapestry.io.zarr_format import ChunkFormat
from dask_tapestry.io.zarr_location import zarr

if TYPE_CHECKING:
    from pathlib import Path

Block = np.ndarray[Any, Any]
MISSING: Final = (FileNotFoundError, IsADirectoryError, NotADirectoryError)


class DirectArray(NamedTuple):
    """An array whose chunks are files of a known format.

    Attributes
    ----------
    folder
        That the keys of chunks begin in.
    chunk
        Sides of the chunks.
    format
        How they are encoded.
    """

    folder: Path
    chunk: tuple[int, ...]
    format: ChunkFormat

    @classmethod
    def of(cls, array: Any) -> DirectArray | None:
        """Return what is known of an array; None where zarr must read it."""
        if type(array.store) is not zarr().storage.LocalStore or not hasattr(os, "preadv"):
            return None
        form = ChunkFormat.of(array)
        if form is None or form.dtype.hasobject:
            return None
        chunk = tuple(max(1, int(n)) for n in array.chunks)
        return cls(array.store.root / array.path, chunk, form)

    def read(self, selection: Sequence[slice], out: Block) -> None:
        """Fill `out` with the cells that slices of the array select.

        Raises
        ------
        StoreError
            If a chunk cannot be read, or is not as long as it must be.
        """
        for place, part, there in chunks_met(selection, self.chunk):
            self._read_chunk(self.format.key(place), part, part_of(out, there))

    def _read_chunk(self, key: str, part: Part, out: Block) -> None:
        form = self.format
        file = None
        try:
            file = os.open(self.folder / key, os.O_RDONLY)
            size = os.fstat(file).st_size
            if size != form.nbytes:
                raise EOFError(f"it has {size} bytes, not {form.nbytes}")
            stored = tuple(part[axis] for axis in form.axes)
            CellFile(file, form.dtype).fill(0, form.sides, stored, out.transpose(form.axes))
        except MISSING:
            out[...] = form.fill
        except (OSError, EOFError) as error:
            raise StoreError(f"cannot read chunk {key}: {error}") from error
        finally:
            if file is not None:
                os.close(file)


def part_of(cells: Block, part: Part) -> Block:
    """A view of some cells, also of an array without dimensions."""
    where: tuple[Any, ...] = (*part, ...)
    view: Block = cells[where]
    return view


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
