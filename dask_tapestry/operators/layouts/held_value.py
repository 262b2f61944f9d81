"""HeldValue: what operators share whose value is their input, held in some way."""

from __future__ import annotations

from dask_tapestry.teg import Region, Selector, TensorType
from dask_tapestry.teg.operator import Restriction, Types, uniform
from dask_tapestry.teg.source import Block
from dask_tapestry.zspace import ZRange


class HeldValue(Selector):
    """The input itself; derived classes say how it is held: where, in which blocks or arrays."""

    kernel = "identity"
    transparent = False
    holds = True
    any_format = True

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return (box,)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return Restriction(self, (region,), region)

    def reference(self, *inputs: Block) -> Block:
        return inputs[0]
