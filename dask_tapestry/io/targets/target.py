"""Targets: arrays that exist and are written into."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.io.resuming.resumption import WriteProgress
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.teg import Source
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange


class Target(ABC):
    """An array that exists and is written into; subclasses are frozen dataclasses.

    Attributes
    ----------
    array
        The NumPy array that it is; None where it lies elsewhere.
    """

    array: np.ndarray[Any, Any] | None = None

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """Type of its cells."""

    @property
    def sides(self) -> tuple[int, ...]:
        """Shape of the stored chunks, each of which one task must write; 1 where there are none."""
        return (1,) * len(self.shape)

    @property
    def local_only(self) -> str | None:
        """Why only this process can write, or None where any can."""
        return None

    @property
    def resumes(self) -> bool:
        """Whether writes to it go on where the same ones were stopped."""
        return False

    def slot(self, number: int, identity: str) -> Target | None:
        """Slot `number`, which stands for it in a plan for any target of its kind, or None."""
        return None

    @abstractmethod
    def write(self, selection: tuple[slice, ...], block: np.ndarray[Any, Any]) -> None:
        """Store cells."""

    def progress(self, region: WriteRegion) -> WriteProgress | None:
        """What there is of the write to a region; None for one that is not resumed."""
        return None

    def begin(self, regions: Sequence[WriteRegion], run: str) -> None:  # noqa: B027  (most need not)
        """Get ready for writes to `regions` in the compute `run`: say that they begin."""

    def write_of(
        self, region: WriteRegion, run: str, cells: ZRange, block: np.ndarray[Any, Any]
    ) -> None:
        """Store cells of what the compute `run` writes to a region."""
        del run
        self.write(region.selection(cells), block)

    def end(self, region: WriteRegion, run: str) -> None:  # noqa: B027
        """Say that the write to a region in the compute `run` has ended."""

    @abstractmethod
    def source(self, dims: Dims) -> Source:
        """Return the source that reads the array once it is written."""

    def is_read_by(self, source: Source) -> bool:
        """Whether a source reads cells of the array."""
        return False

    def has_cells_of(self, source: Source) -> bool:
        """Whether a source reads the whole array, every cell from its own place."""
        return self.is_read_by(source) and source.infer().shape == self.shape

    def meets(self, region: WriteRegion, other: Target, others: WriteRegion) -> bool:
        """Whether two writes touch one stored chunk of one array."""
        return self == other and region.meets(others)
