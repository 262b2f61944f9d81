"""Memory-mapped files as targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.io.files.memmap_file import MappedFile, mapped_path, share_cells
from dask_tapestry.io.sources.memmap_source import MemmapSource, path_read
from dask_tapestry.io.targets.target import Target
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Source
from dask_tapestry.teg.types import Dims


@dataclass(frozen=True)
class MemmapTarget(Target):
    """An array in a file that is mapped into memory where it is written."""

    file: MappedFile

    @property
    def shape(self) -> tuple[int, ...]:
        return self.file.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.file.dtype

    def write(self, selection: tuple[slice, ...], block: np.ndarray[Any, Any]) -> None:
        self.file.write(selection, block)

    def source(self, dims: Dims) -> Source:
        return MemmapSource(self.file, dims)

    def meets(self, region: WriteRegion, other: Target, others: WriteRegion) -> bool:
        """Two arrays may lie in the same part of one file, which may be mapped twice."""
        if not isinstance(other, MemmapTarget):
            return mapped_path(other.array) == self.file.path
        if other.file.path != self.file.path:
            return False
        mine, theirs = region.view(self.file.array), others.view(other.file.array)
        if self.file.begins == other.file.begins:
            return share_cells(mine, theirs)
        (lo, hi), (low, high) = self.file.span(mine), other.file.span(theirs)
        return lo < high and low < hi

    def is_read_by(self, source: Source) -> bool:
        return path_read(source) == self.file.path

    def has_cells_of(self, source: Source) -> bool:
        return isinstance(source, MemmapSource) and source.file.cells == self.file.cells

    def __str__(self) -> str:
        return f"the file {self.file.path}"
