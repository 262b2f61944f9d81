"""Full: one value everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dask_tapestry.cells import Span
from dask_tapestry.cells.references import Cell, packed, unpacked
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import GeneratorOperator, Region, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Full(GeneratorOperator):
    """A tensor of `type` whose cells are all `value`, given as bytes."""

    name = "full"
    kernel = "full"
    type: TensorType
    value: bytes

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.type

    @property
    def scalar(self) -> Cell:
        """The value."""
        return unpacked(self.value, self.type.dtype)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"value": self.scalar, "shape": box.shape}

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        if self.type.dtype.kind not in "biu":
            return None
        return Span(int(self.scalar), int(self.scalar))

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return Restriction(Full(self.type._replace(shape=region.shape), self.value), (), region)

    def text(self) -> str:
        return f"{self.type.shape}, {self.scalar}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.full(self.type.shape, self.scalar, self.type.dtype)


def full(
    shape: tuple[int, ...],
    value: Cell,
    dims: tuple[str | None, ...] | None = None,
    dtype: np.dtype[Any] | None = None,
) -> Tensor:
    """Return a tensor of `shape` whose cells all hold `value`.

    `dtype` is the value's, but for strings that may be longer.
    """
    kind = value.dtype if dtype is None else dtype
    return apply(Full(TensorType(shape, kind, dims), packed(np.asarray(value, kind))))
