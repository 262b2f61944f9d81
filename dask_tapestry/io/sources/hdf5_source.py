"""HDF5 datasets, by h5py, as sources.

To be read by another process a dataset travels by the name of its file and its own.
"""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard
from uuid import uuid4

from dask_tapestry.errors import StoreError, StoreNotFoundError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.journals.journal import JOURNAL, Box, boxes_from_json, incomplete_error
from dask_tapestry.io.sources.chunked_source import ChunkedSource
from dask_tapestry.io.sources.declared_type import checked_block, declared_type
from dask_tapestry.io.stores.retry_policy import read_patiently
from dask_tapestry.json_form import FormError, parsed
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Tensor, TensorType, apply
from dask_tapestry.teg.origin import UnnamedError, file_stamp
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange

if TYPE_CHECKING:
    import h5py


def is_dataset(data: object) -> TypeGuard[h5py.Dataset]:
    """Whether an object is a dataset of h5py's."""
    return type(data).__module__.startswith("h5py.") and hasattr(type(data), "dtype")


@dataclass(frozen=True)
class Hdf5Source(ChunkedSource):
    """A dataset that is read box by box, in this process or in one that opens the file to read.

    `changing` says why another process cannot read it, if so.
    """

    name = "hdf"
    fills = True
    identity: str
    path: str
    dataset: str
    type: TensorType
    stored: tuple[int, ...] | None
    changing: str | None = field(default=None, compare=False)
    data: h5py.Dataset | None = field(default=None, compare=False, repr=False)

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        try:
            cells = read_patiently(lambda: self._cells(box, out), self.path)
            if out is not None and cells is out:
                return out
            return checked_block(cells, box.shape, self.type.dtype, self)
        except FileNotFoundError:
            raise StoreNotFoundError(f"there is no HDF5 file {self.path}") from None
        except (OSError, KeyError, ValueError, TypeError) as error:
            where = f"{self.dataset} of the HDF5 file {self.path}"
            raise StoreError(f"cannot read {box} of {where}: {error}") from error

    def _cells(self, box: ZRange, out: Block | None) -> Any:
        """The cells `box`, of the open file or of one that is opened to read them."""
        if self.data is not None and self.data:
            return _cells(self.data, box, self.type, out)
        return _read(self.path, self.dataset, box, self.type, out)

    def origin(self) -> str:
        """The dataset, and the stamp of its file, which must be open to read alone."""
        if self.changing:
            way = "open the file with mode 'r'"
            raise UnnamedError(f"what is in {self.path}{self.dataset} may change", way)
        return f"{Path(self.path).resolve()} {self.dataset} {self.type} {file_stamp(self.path)}"

    def text(self) -> str:
        return repr(f"{self.path}{self.dataset}")

    @property
    def retry_names(self) -> frozenset[str]:
        """The names under which retries of reading this file are counted."""
        return frozenset({self.path})

    @property
    def local_only(self) -> str | None:
        """Why only this process can read, or None where any can."""
        return self.changing

    def __reduce__(self) -> tuple[Any, ...]:
        if self.changing:
            raise StoreError(self.changing)
        return Hdf5Source, (self.identity, self.path, self.dataset, self.type, self.stored)


def _read(path: str, dataset: str, box: ZRange, type_: TensorType, out: Block | None) -> Any:
    """Read cells of a dataset whose file this process has not opened, or has closed.

    The file is closed again at once: who keeps it open keeps others from writing to it.
    """
    with lazy_import("h5py").File(path, "r") as file:
        return _cells(file[dataset], box, type_, out)


def _cells(data: h5py.Dataset, box: ZRange, type_: TensorType, out: Block | None) -> Any:
    """The cells `box` of a dataset, in `out` if it can be filled.

    Not where the dataset is another than it was: HDF5 would convert what it has, and clip the box.
    """
    usual = data.shape == type_.shape and data.dtype.newbyteorder("=") == type_.dtype
    if out is None or not usual or not out.flags.c_contiguous or not box.ndim or box.is_empty:
        return data[box.slices()]
    data.read_direct(out, box.slices())
    return out


def from_dataset(data: h5py.Dataset, dims: Dims) -> Tensor:
    """Return the tensor of an h5py dataset; its chunks are stored chunks.

    Raises
    ------
    StoreError
        If it is closed, or a write of it has not ended.
    DTypeError
        For structured cells with strings of varying length as fields.
    """
    refuse_closed(data)
    if JOURNAL in data.attrs:
        raise incomplete_error(title(data), pending_boxes(data), data.shape)
    return apply(source_of_dataset(data, dims))


def source_of_dataset(data: h5py.Dataset, dims: Dims) -> Hdf5Source:
    """The source that reads a dataset."""
    type_ = declared_type(tuple(int(n) for n in data.shape), data.dtype, dims)
    stored = None if data.chunks is None else tuple(int(n) for n in data.chunks)
    file = data.file
    changing = None
    if file.mode != "r" or file.driver in ("core", "fileobj"):
        changing = (
            f"{title(data)} is open for writing or in memory, so another process cannot read it: "
            "open the file with mode 'r', or use the threaded scheduler"
        )
    return Hdf5Source(uuid4().hex, file.filename, data.name, type_, stored, changing, data)


def pending_boxes(data: h5py.Dataset) -> frozenset[Box]:
    """Return the boxes of a dataset that are being written, or were when a write failed."""
    try:
        return boxes_from_json(parsed(data.attrs.get(JOURNAL, "[]")))
    except FormError as error:
        raise StoreError(f"the attribute {JOURNAL} of {title(data)} is damaged: {error}") from None


def refuse_closed(data: h5py.Dataset) -> None:
    """Raise `StoreError` if the file of a dataset is closed."""
    if not data:
        raise StoreError("the HDF5 dataset is closed: its file was closed before it was used")


def title(data: h5py.Dataset) -> str:
    """Return the words for a dataset in errors."""
    return f"the HDF5 dataset {data.file.filename}{data.name}"
