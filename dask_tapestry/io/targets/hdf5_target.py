"""HDF5 datasets, by h5py, as targets.

A file is written by the process that opened it: HDF5 has one writer, and h5py one lock for all its
calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import StoreError, TapestryError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.files.folder_swap import PARTIAL
from dask_tapestry.io.journals.journal import (
    JOURNAL,
    Box,
    boxes_to_json,
    remaining_boxes,
    whole_box,
)
from dask_tapestry.io.sources.hdf5_source import (
    Hdf5Source,
    pending_boxes,
    refuse_closed,
    source_of_dataset,
    title,
)
from dask_tapestry.io.stores.component_path import checked_component
from dask_tapestry.io.targets.hdf5_conflicts import OpenWrite, OpenWrites
from dask_tapestry.io.targets.target import Target
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Source, TensorType
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange

if TYPE_CHECKING:
    import h5py

ONE_PROCESS: Final = (
    "an HDF5 file is written by the process that opened it: use the threaded scheduler, or store "
    "to Zarr"
)
_lock: Final = Lock()  # while a journal changes, and while cells are stored
_open: Final = OpenWrites()


@dataclass(frozen=True)
class Hdf5Target(Target):
    """A dataset that is open for writing."""

    identity: str
    type: TensorType
    stored: tuple[int, ...]
    data: h5py.Dataset = field(compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.type.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.type.dtype

    @property
    def sides(self) -> tuple[int, ...]:
        return self.stored

    @property
    def local_only(self) -> str | None:
        return ONE_PROCESS

    def begin(self, regions: Sequence[WriteRegion], run: str) -> None:
        refuse_closed(self.data)
        with _lock:
            for region in regions:
                _open.begin(self._write(region, run))
            _write_journal(
                self.data, pending_boxes(self.data) | {region.hull for region in regions}
            )

    def write(self, selection: tuple[slice, ...], block: np.ndarray[Any, Any]) -> None:
        self.data[selection] = block

    def write_of(
        self, region: WriteRegion, run: str, cells: ZRange, block: np.ndarray[Any, Any]
    ) -> None:
        with _lock:  # h5py has one for all calls, too: nothing waits longer
            _open.require(self._write(region, run))
            self.write(region.selection(cells), block)

    def _write(self, region: WriteRegion, run: str) -> OpenWrite:
        info = lazy_import("h5py").h5o.get_info(self.data.id)
        return OpenWrite((info.fileno, info.addr), region, run)

    def end(self, region: WriteRegion, run: str) -> None:
        with _lock:
            _open.end(self._write(region, run))
            _write_journal(
                self.data, remaining_boxes(pending_boxes(self.data), region.hull, region.is_dense)
            )

    def source(self, dims: Dims) -> Source:
        return source_of_dataset(self.data, dims)

    def is_read_by(self, source: Source) -> bool:
        if not isinstance(source, Hdf5Source):
            return False
        return self._is(source.path, source.dataset)

    def meets(self, region: WriteRegion, other: Target, others: WriteRegion) -> bool:
        """Two targets may be one dataset, as files can be opened twice and datasets have links."""
        if not isinstance(other, Hdf5Target) or not (self.data and other.data):
            return False
        same = self._is(other.data.file.filename, other.data.name)
        return same and region.meets(others)

    def _is(self, path: str, dataset: str) -> bool:
        """Whether a path and a name in the file lead to the dataset."""
        file = self.data.file
        if Path(path).resolve() != Path(file.filename).resolve():
            return False
        return bool(file.get(dataset) == self.data)

    def __reduce__(self) -> tuple[Any, ...]:
        raise StoreError(ONE_PROCESS)

    def __str__(self) -> str:
        return title(self.data) if self.data else "the closed HDF5 dataset"


def open_file(path: str | PathLike[str], mode: str) -> h5py.File:
    """Open an HDF5 file with h5py.

    Raises
    ------
    StoreError
        If it cannot be opened, or h5py is not installed.
    """
    try:
        return lazy_import("h5py").File(path, mode)
    except ImportError:
        raise StoreError("h5py is not installed: pip install dask_tapestry[hdf5]") from None
    except OSError as error:
        raise StoreError(f"cannot open the HDF5 file {path}: {error}") from error


@contextmanager
def written_file(path: str | PathLike[str]) -> Iterator[h5py.File]:
    """Open an HDF5 file to write to it, and close it; a full disk may show only then.

    Raises
    ------
    StoreError
        If it cannot be opened, written or closed, or h5py is not installed.
    """
    file = open_file(path, "a")
    try:
        try:
            yield file
        except BaseException:
            with suppress(OSError, RuntimeError):  # of which the first error is the cause
                file.close()
            raise
        file.close()
    except TapestryError:
        raise
    except (OSError, RuntimeError) as error:
        why = " ".join(str(error).split())
        raise StoreError(f"cannot write the HDF5 file {path}: {why}") from error


def create_dataset(
    file: h5py.File,
    path: str,
    type_: TensorType,
    chunks: tuple[int, ...] | None,
    overwrite: bool,
    options: Mapping[str, Any],
) -> h5py.Dataset:
    """Create a dataset, and enter all of it in its journal.

    Where something is there, the dataset is made beside it: `replace_dataset` puts it in its place.

    Raises
    ------
    StoreError
        If something is there and `overwrite` is false, the path leads nowhere within the file, or
        HDF5 cannot hold the dtype.
    """
    checked_component(path.removeprefix("/") or "/", file.filename)
    if path in file and not overwrite:
        raise StoreError(f"{file.filename} has {path}: give overwrite=True to replace it")
    if _lock_path(path) in file:  # from a write that was broken off
        del file[_lock_path(path)]
    at = _lock_path(path) if path in file else path
    data = _create(file, at, type_, chunks, options)
    _write_journal(data, frozenset({whole_box(type_.shape)}))
    return data


def replace_dataset(file: h5py.File, path: str, complete: bool = True) -> None:
    """Move the dataset that was made beside `path` into its place, or delete it if incomplete."""
    if _lock_path(path) not in file:
        return
    if not complete:
        del file[_lock_path(path)]
        return
    del file[path]
    file.move(_lock_path(path), path)


def _lock_path(path: str) -> str:
    return path.rstrip("/") + PARTIAL


def _create(
    file: h5py.File,
    path: str,
    type_: TensorType,
    chunks: tuple[int, ...] | None,
    options: Mapping[str, Any],
) -> h5py.Dataset:
    try:
        return file.create_dataset(path, type_.shape, type_.dtype, chunks=chunks, **options)
    except (TypeError, ValueError, OSError) as error:
        raise StoreError(f"cannot create {path} of {type_} in {file.filename}: {error}") from error


def dataset_target(data: h5py.Dataset) -> Hdf5Target:
    """Return a dataset of h5py's as a target.

    Raises
    ------
    StoreError
        If its file is closed, or open to read only.
    """
    refuse_closed(data)
    if data.file.mode == "r":
        raise StoreError(f"{title(data)} was opened to read only")
    shape = tuple(int(n) for n in data.shape)
    stored = tuple(int(n) for n in data.chunks or (1,) * len(shape))
    return Hdf5Target(uuid4().hex, TensorType(shape, data.dtype), stored, data)


def _write_journal(data: h5py.Dataset, boxes: frozenset[Box]) -> None:
    """Replace the journal of a dataset; delete it where no box is left."""
    if boxes:
        data.attrs[JOURNAL] = json.dumps(boxes_to_json(boxes))
    elif JOURNAL in data.attrs:
        del data.attrs[JOURNAL]
