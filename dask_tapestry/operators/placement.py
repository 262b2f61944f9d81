"""Placement: which workers the user wants to compute and hold a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Node, Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Restriction, Types, uniform
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Placement(Selector):
    """The input, computed and held on the named `workers`.

    Source: Tapestry whitepaper, "Source and Sink Operators": an operation constrained to be
    scheduled where its data is.
    """

    name = "placement"
    kernel = "identity"
    transparent = False
    holds = True
    any_format = True
    workers: tuple[str, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return (box,)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return Restriction(self, (region,), region)

    def text(self) -> str:
        return ", ".join(self.workers)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return inputs[0]


def hold(x: Tensor, after: Sequence[Node] = (), line: str | None = None) -> Tensor:
    """`x`, held on any worker before it is used, and computed `after` sequence points."""
    if isinstance(x.operator, Placement) and not after:
        return x
    return apply(Placement(()), x, after=after, line=line)


def place(x: Tensor, workers: tuple[str, ...]) -> Tensor:
    """Ask that `x` be computed on `workers`, given by name or address."""
    return apply(Placement(workers), x) if workers else x
