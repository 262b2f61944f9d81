"""Pin: an operator computed as one block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.layouts.rechunk import Rechunk
from dask_tapestry.teg import Operator, Region, Sink, Source, Tensor, TensorType, apply
from dask_tapestry.teg.chunking import Chunks, Known
from dask_tapestry.teg.node import written_as
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.teg.regularity import Regularity
from dask_tapestry.zspace import Cuts, ZRange


@dataclass(frozen=True)
class Pin(Operator):
    """The value of `operator`, computed as one block: neither cut, nor restricted, nor rewritten.

    Source: Tapestry whitepaper, "Signature Nodes": stripping the signature fixes a block operator.
    """

    name = "pin"
    holds = True
    category = "block"
    fills = True
    operator: Operator
    shape: tuple[int, ...]

    @property
    def kernel(self) -> str:  # type: ignore[override]  # it is that of the operator it holds
        return self.operator.kernel

    @property
    def layout(self) -> tuple[Cuts, ...]:
        return whole_cuts(self.shape)

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.operator.infer(*inputs)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return self.operator.demand(inputs, box)

    def regularity(self, inputs: Types) -> Regularity | None:
        return self.operator.regularity(inputs)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return self.operator.arguments(inputs, box, boxes)

    @property
    def tells_chunks(self) -> bool:
        return self.operator.tells_chunks

    def nominal(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        return self.operator.nominal(inputs, chunks)

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        return self.operator.follow(inputs, chunks)

    def granularity(self, inputs: Types) -> tuple[int, ...]:
        return (0,) * len(self.shape)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return None

    def flops(self, inputs: Types, box: ZRange) -> int:
        return self.operator.flops(inputs, box)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return self.operator.scratch_bytes(inputs, box)

    def own_costs(self, inputs: Types, box: ZRange) -> Mapping[str, float]:
        return self.operator.own_costs(inputs, box)

    def text(self) -> str:
        inner = self.operator.text()
        return f"{self.operator.name}, {inner}" if inner else self.operator.name

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.operator.reference(*inputs)


def whole_cuts(shape: tuple[int, ...]) -> tuple[Cuts, ...]:
    """Cuts that cut nothing."""
    return tuple(Cuts.regular(n, max(n, 1)) for n in shape)


def pin(x: Tensor) -> Tensor:
    """Compute `x` as one block; what it reads is planned as usual."""
    operator = x.operator
    if isinstance(operator, Pin):
        return x
    if isinstance(operator, Source | Sink):  # sources and sinks have no kernel of blocks
        return apply(Rechunk(whole_cuts(x.type.shape)), x)
    pinned = Pin(operator, x.type.shape)
    with written_as(x):
        return apply(pinned, *x.inputs, after=x.after)
