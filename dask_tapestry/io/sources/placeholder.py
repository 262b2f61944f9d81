"""Placeholders: stored tensors that need not exist yet."""

from __future__ import annotations

from math import prod
from uuid import uuid4

from dask_tapestry.errors import PlanError, ShapeError
from dask_tapestry.io.chunks.chunk_costs import ReadBuffers
from dask_tapestry.io.sources.chunked_source import ChunkedSource
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Tensor, TensorType, apply
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Placeholder(ChunkedSource):
    """A tensor stored in chunks of `stored`, to plan, verify and simulate with."""

    name = "placeholder"
    identity: str
    type: TensorType
    stored: tuple[int, ...] | None

    @property
    def helper_bytes(self) -> int | None:
        """As of what it most likely is: a Zarr array on this machine."""
        if self.stored is None:
            return None
        return ReadBuffers.by_zarr(self.stored, self.type.dtype.itemsize).helper_bytes

    def slot(self, number: int, identity: str = "") -> Placeholder:
        return Placeholder(f"slot {number} {identity}", self.type, self.stored)

    def text(self) -> str:
        return f"chunks {self.stored}" if self.stored else ""

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        raise PlanError(
            f"a placeholder {self.type} has no cells to compute with: it can be planned only"
        )


def placeholder(type_: TensorType, stored: tuple[int, ...] | None) -> Tensor:
    """Return a tensor that can be planned with but not computed."""
    if stored is not None and (len(stored) != type_.ndim or prod(stored) < 1):
        raise ShapeError(
            f"stored_chunks {stored} does not fit {type_}: one length >= 1 a dimension"
        )
    return apply(Placeholder(uuid4().hex, type_, stored))
