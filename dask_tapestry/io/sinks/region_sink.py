"""Sinks that write regions of targets."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dask_tapestry.errors import ShapeError, StoreError
from dask_tapestry.io.chunks.chunk_costs import write_scratch_bytes
from dask_tapestry.io.sinks.pending_parts import as_ranges, parts_of
from dask_tapestry.io.targets.target import Target
from dask_tapestry.io.targets.write_region import WriteRegion
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import PLAIN_CODEC, USUAL_CODEC, Sink, TensorType
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.regularity import Regular, Regularity
from dask_tapestry.teg.types import Dims
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class RegionSink(Sink):
    """Writes a tensor into a region of a target.

    Its output is the region's cover, from the first stored chunk to the last cell: its blocks are
    whole chunks of the target, and a block needs the cells of the tensor that go into them.
    """

    name = "storeinto"
    any_cells = True
    target: Target
    region: WriteRegion
    dims: Dims = None
    workers: tuple[str, ...] = ()
    run: str = ""
    pending: tuple[ZRange, ...] | None = None

    @property
    def resumes(self) -> bool:
        return self.target.resumes

    def for_run(self, run: str) -> RegionSink:
        found = self.target.progress(self.region)
        if found is None:
            return replace(self, run=run)
        return replace(self, run=found.run, pending=as_ranges(found.pending, self.region.origin))

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        if x.shape != self.region.shape:
            raise ShapeError(f"{x} does not fit {self.region} of {self.target}")
        return TensorType(self.region.cover, x.dtype, self.dims)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return (self.region.cells(box),)

    def regularity(self, inputs: Types) -> Regularity:
        """Along each axis another rule holds before, in and behind what is written."""
        spans = zip(self.region.along, self.region.origin, strict=True)
        return tuple(
            [Regular(p.step, (p.start - at, p.start + p.step * p.count - at)) for p, at in spans]
        )

    @property
    def chunks(self) -> tuple[int, ...]:
        return self.region.sides

    @property
    def codec(self) -> str:  # type: ignore[override]
        return USUAL_CODEC if self.target.array is None else PLAIN_CODEC

    @property
    def local_only(self) -> str | None:
        return self.target.local_only

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return write_scratch_bytes(box, self.chunks, inputs[0].dtype.itemsize)

    def slot(self, number: int, identity: str = "") -> RegionSink | None:
        target = self.target.slot(number, identity)
        return None if target is None else replace(self, target=target)

    def prepare(self, type_: TensorType, run: str) -> None:
        self.target.begin([self.region], self.run or run)

    def meets(self, other: Sink) -> bool:
        if not isinstance(other, RegionSink):
            return False
        return self.target.meets(self.region, other.target, other.region)

    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        cells = self.region.cells(box)
        try:
            for part in parts_of(box, self.pending):
                own = self.region.cells(part)
                if not own.is_empty:
                    self.target.write_of(self.region, self.run, own, block[own.index(cells)])
        except Exception as error:
            raise StoreError(f"cannot write {cells} to {self.target}: {error}") from error

    def finish(self) -> None:
        self.target.end(self.region, self.run)

    def text(self) -> str:
        return f"{self.target}{self.region}"


@dataclass(frozen=True)
class Announcement(Sink):
    """Enters all regions to be written in the journal of a target, before the first write."""

    name = "announce"
    target: Target
    regions: tuple[WriteRegion, ...]
    runs: tuple[str, ...] = ()

    def for_run(self, run: str) -> Announcement:
        found = [self.target.progress(region) for region in self.regions]
        return replace(self, runs=tuple([one.run if one else run for one in found]))

    @property
    def chunks(self) -> tuple[int, ...]:
        return (1,)

    @property
    def local_only(self) -> str | None:
        return self.target.local_only

    def slot(self, number: int, identity: str = "") -> Announcement | None:
        target = self.target.slot(number, identity)
        return None if target is None else replace(self, target=target)

    def prepare(self, type_: TensorType, run: str) -> None:
        runs = self.runs or (run,) * len(self.regions)
        for known in dict.fromkeys(runs):
            of_run = zip(self.regions, runs, strict=True)
            self.target.begin([region for region, own in of_run if own == known], known)

    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        """Write nothing: there are no cells."""

    def finish(self) -> None:
        """Do nothing: each write strikes out its own region."""

    def text(self) -> str:
        return str(self.target)
