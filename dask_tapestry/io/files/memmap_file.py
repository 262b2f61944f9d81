"""Memory-mapped files: arrays that travel to other processes by the name of their file."""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from dataclasses import field
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.lib.array_utils import byte_bounds

from dask_tapestry.errors import StoreError, StoreNotFoundError
from dask_tapestry.io.files.mapped_pages import MAPPED_PAGES
from dask_tapestry.io.tuning import GATHERED_SPREAD, MAPPED_PAGES_BYTES, MOST_LAYOUT_STEPS
from dask_tapestry.late_dataclass import dataclass


@dataclass(frozen=True)
class MappedFile:
    """An array in a file, as any process can map it.

    Attributes
    ----------
    path, offset
        The file, and the byte in it that holds the array's first cell.
    strides
        Bytes from one cell to the next along each dimension; they may be negative or zero.
    nonce
        Tells two mappings of one file apart.
    """

    path: str
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    nonce: str
    known: Any = field(default=None, compare=False, repr=False)  # the array in this process

    @property
    def array(self) -> np.ndarray[Any, Any]:
        """The cells, to be read."""
        return _mapped(self, "r") if self.known is None else self.known

    @property
    def writable(self) -> np.ndarray[Any, Any]:
        """The cells, to be written to."""
        return _mapped(self, "r+") if self.known is None else self.known

    @property
    def cells(self) -> tuple[Any, ...]:
        """Which cells of which file it holds, in what order."""
        return self.path, self.offset, self.shape, self.strides, self.dtype

    @property
    def begins(self) -> int:
        """Address of the file's first byte in the memory of this process."""
        return int(self.array.__array_interface__["data"][0]) - self.offset

    def span(self, view: np.ndarray[Any, Any]) -> tuple[int, int]:
        """First and one-past-last byte of the file that a view of the array takes."""
        lo, hi = byte_bounds(view)
        return (lo - self.begins, hi - self.begins) if view.size else (0, 0)

    def read(self, index: tuple[Any, ...]) -> np.ndarray[Any, Any]:
        """Return a view of cells, or a copy where most of the pages between them hold others."""
        view: np.ndarray[Any, Any] = self.array[index]
        touched = _span(view)
        if touched > MAPPED_PAGES_BYTES and touched > GATHERED_SPREAD * view.nbytes:
            return _gathered(view)
        MAPPED_PAGES.touch(touched)
        return view

    def touched_bytes(self, lengths: Sequence[int]) -> int:
        """Return how many bytes the pages have that a box of these lengths touches."""
        run, runs = self.dtype.itemsize, 1
        for length, stride in sorted(zip(lengths, self.strides, strict=True), key=_by_stride):
            if not length:
                return 0
            if runs == 1 and abs(stride) - run < mmap.PAGESIZE:
                run = max(run, (length - 1) * abs(stride) + run)
            elif length > 1:
                runs *= length
        return run if runs == 1 else runs * (-(-run // mmap.PAGESIZE) * mmap.PAGESIZE)

    def write(self, index: tuple[Any, ...], block: np.ndarray[Any, Any]) -> None:
        """Write cells; what was touched before may be let go of."""
        cells = self.writable
        MAPPED_PAGES.touch(_span(cells[index]))
        cells[index] = block

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.path, self.offset, self.shape, self.strides, self.dtype, self.nonce)
        return MappedFile, parts


def share_cells(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays have a byte of memory in common; True where that is too hard to tell."""
    try:
        return bool(np.shares_memory(first, second, max_work=MOST_LAYOUT_STEPS))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return True


def _by_stride(axis: tuple[int, int]) -> int:
    return abs(axis[1])


def _span(view: np.ndarray[Any, Any]) -> int:
    """Bytes from the first cell of a view of a mapped file to its last one."""
    lo, hi = byte_bounds(view) if view.ndim and view.size else (0, 0)
    return hi - lo


def _gathered(view: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The cells of a view, copied part by part: pages of one go before the next is read."""
    axis = int(np.argmax(np.abs(view.strides) * (np.array(view.shape) > 1)))
    length = max(1, MAPPED_PAGES_BYTES // max(1, abs(view.strides[axis])))
    cells, parts = np.empty(view.shape, view.dtype), np.moveaxis(view, axis, 0)
    for begin in range(0, len(parts), length):
        part = parts[begin : begin + length]
        MAPPED_PAGES.touch(_span(part))
        np.moveaxis(cells, axis, 0)[begin : begin + length] = part
    return cells


@lru_cache(maxsize=128)
def _mapped(file: MappedFile, mode: str) -> np.ndarray[Any, Any]:
    """Map a file, once in each process."""
    if not prod(file.shape):
        return np.empty(file.shape, file.dtype)
    try:
        cells = np.memmap(file.path, np.uint8, mode)  # type: ignore[call-overload]
        MAPPED_PAGES.add(cells._mmap)
        return np.ndarray(file.shape, file.dtype, cells, file.offset, file.strides)
    except FileNotFoundError:
        raise StoreNotFoundError(f"there is no file {file.path}") from None
    except (OSError, ValueError) as error:
        raise StoreError(f"cannot map the file {file.path}: {error}") from error


def mapped_file(array: np.ndarray[Any, Any]) -> MappedFile | None:
    """Return how other processes map the file that holds an array; None if no file holds its cells.

    A view keeps the offset of the array it was made from, so the place in the file is measured.
    """
    if not isinstance(array, np.memmap) or array.filename is None or array.mode == "c":
        return None
    mapping: Any = array._mmap  # type: ignore[attr-defined]
    if mapping is None:
        return None
    buffer = np.frombuffer(mapping, np.uint8)
    begins = array.offset - array.offset % mmap.ALLOCATIONGRANULARITY
    offset = begins + array.__array_interface__["data"][0] - buffer.__array_interface__["data"][0]
    if not 0 <= offset <= begins + buffer.size:
        return None
    MAPPED_PAGES.add(mapping)
    path = str(Path(array.filename).resolve())
    known = array.view(np.ndarray)
    return MappedFile(
        path, offset, array.shape, array.strides, array.dtype, uuid4().hex, known=known
    )


def mapped_path(array: object) -> str | None:
    """Return the path of the file that an array or its base is mapped from, or None."""
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap) and array.filename is not None and array.mode != "c":
            return str(Path(array.filename).resolve())
        array = array.base
    return None
