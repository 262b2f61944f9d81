"""Sinks that write regions of targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dask_tapestry.errors import ShapeError, StoreError
from dask_tapestry.io.chunks import passing_bytes
from dask_tapestry.io.target import Target
from dask_tapestry.io.window import Window
from dask_tapestry.teg import Sink, TensorType
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class RegionSink(Sink):
    """Writes a tensor into a window of a target.

    Its output is the window's cover, from the first stored piece to the last cell: its blocks are
    whole pieces of the target, and a block demands of the tensor the cells that go into them.
    """

    name = "storeinto"
    target: Target
    window: Window
    dims: Dims = None
    workers: tuple[str, ...] = ()

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        if x.shape != self.window.shape:
            raise ShapeError(f"{x} does not fit {self.window} of {self.target}")
        return TensorType(self.window.cover, x.dtype, self.dims)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return (self.window.cells(box),)

    @property
    def chunks(self) -> tuple[int, ...]:
        return self.window.sides

    @property
    def local_only(self) -> str | None:
        return self.target.local_only

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return passing_bytes(box, self.chunks, inputs[0].dtype.itemsize, written=True)

    def prepare(self, type_: TensorType, run: str) -> None:
        self.target.begin([self.window], run)

    def meets(self, other: Sink) -> bool:
        if not isinstance(other, RegionSink):
            return False
        return self.target.meets(self.window, other.target, other.window)

    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        cells = self.window.cells(box)
        if cells.is_empty:
            return
        selection = self.window.selection(cells)
        try:
            self.target.write(selection, block)
        except StoreError:
            raise
        except Exception as error:
            raise StoreError(f"cannot write {cells} to {self.target}: {error}") from error

    def finish(self) -> None:
        self.target.end(self.window)

    def text(self) -> str:
        return f"{self.target}{self.window}"


@dataclass(frozen=True)
class Announcement(Sink):
    """Says that windows of a target are going to be written, before the first of them is."""

    name = "announce"
    target: Target
    windows: tuple[Window, ...]

    @property
    def chunks(self) -> tuple[int, ...]:
        return (1,)

    @property
    def local_only(self) -> str | None:
        return self.target.local_only

    def prepare(self, type_: TensorType, run: str) -> None:
        self.target.begin(self.windows, run)

    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        """Write nothing: there are no cells."""

    def finish(self) -> None:
        """Leave it to the writes to say that they have ended."""

    def text(self) -> str:
        return str(self.target)
