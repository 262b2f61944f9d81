"""Field: one field of structured cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Progression, Region, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Operator, Restriction, Types, uniform
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Field(Operator):
    """``x[field]`` of structured cells; the axes of a field that is an array come last."""

    name = "field"
    kernel = "member"
    any_cells = True
    transparent = True
    is_selector = True
    category = "selector"
    field: str

    def _kind(self, x: TensorType) -> np.dtype[Any]:
        kind: Any = x.dtype
        return kind[self.field]  # type: ignore[no-any-return]

    def _inner(self, x: TensorType) -> tuple[int, ...]:
        return self._kind(x).shape

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        inner = self._inner(x)
        dims = (*x.dims, *(None,) * len(inner)) if x.dims else None
        return TensorType((*x.shape, *inner), self._kind(x).base, dims)

    regularity = uniform

    def without_constants(self, inputs: Types) -> Field:
        """The first field of the same type: which of them it is decides on no box and no cost."""
        kinds: Any = inputs[0].dtype
        alike = (name for name in kinds.names if kinds[name] == kinds[self.field])
        return Field(next(alike, self.field))

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        rank = inputs[0].ndim
        return (ZRange(box.lo[:rank], box.hi[:rank]),)

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (True,)

    def granularity(self, inputs: Types) -> tuple[int, ...]:
        inner = [0 if n > 1 else 1 for n in self._inner(inputs[0])]
        return (*(1,) * inputs[0].ndim, *inner) if inner else ()

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        rank = inputs[0].ndim
        keep = zip(box.lo[rank:], box.hi[rank:], strict=True)
        return {"name": self.field, "keep": tuple(slice(a, b) for a, b in keep)}

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        rank = inputs[0].ndim
        outer = Region(region[:rank])
        inner = [Progression(0, 1, n) for n in self._inner(inputs[0])]
        return Restriction(self, (outer,), Region((*outer, *inner)))

    def text(self) -> str:
        return self.field

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return inputs[0][self.field]


def field(x: Tensor, name: str) -> Tensor:
    """The field `name` of the structured cells of `x`."""
    return apply(Field(name), x)
