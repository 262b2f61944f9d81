"""Parameters of a cached plan: places that sources, data of one kind, take by turns."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from dask_tapestry.errors import PlanError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Source, TensorType
from dask_tapestry.zspace import Cuts, ZRange
from dask_tapestry_kernels.block_format import BlockFormat


@dataclass(frozen=True)
class SourceParameter(Source):
    """Stands for source number `number` in a plan that serves any data of such types.

    `cuts` says how it comes in blocks, if it does, `order` how it lies in memory, `identity` whose
    plan it is in, `stored_cuts` how the data that it is made of is stored, `format` what blocks are
    held in, `is_table` that what reads it reads most of it, and `in_runs` that a worker has blocks
    that follow each other.
    """

    name = "open"
    external = True
    number: int
    type: TensorType
    cuts: tuple[Cuts, ...] | None = None
    order: Literal["C", "F"] = "C"
    identity: str = ""
    stored_cuts: tuple[Cuts | None, ...] | None = None
    format: BlockFormat | None = None
    is_table: bool = False
    in_runs: bool = True

    @property
    def layout(self) -> tuple[Cuts, ...] | None:
        return self.cuts

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.type

    def slot(self, number: int, identity: str = "") -> SourceParameter:
        return replace(self, number=number, identity=identity)

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        raise PlanError(f"slot {self.number} has no cells: cannot read {box}")
