"""Memory-mapped files as sources."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.io.files.memmap_file import MappedFile, mapped_path
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Source, TensorType
from dask_tapestry.teg.origin import file_stamp
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class MemmapSource(Source):
    """An array in a file that is mapped into memory where it is read."""

    name = "memmap"
    is_plain = True
    file: MappedFile
    dims: Dims = None

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(self.file.shape, self.file.dtype.newbyteorder("="), self.dims)

    def stored_bytes(self, box: ZRange) -> int:
        return self.file.touched_bytes(box.shape)

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        return np.asarray(self.file.read(box.index()), self.file.dtype.newbyteorder("="))

    def origin(self) -> str:
        """The file with its stamp, and which cells of it."""
        return f"{self.file.cells} {file_stamp(self.file.path)}"

    def text(self) -> str:
        return repr(self.file.path)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.read(self.infer().box)


def path_read(source: Source) -> str | None:
    """Return the path of the mapped file that a source reads; None if it reads none."""
    if isinstance(source, MemmapSource):
        return source.file.path
    return mapped_path(source.data)
