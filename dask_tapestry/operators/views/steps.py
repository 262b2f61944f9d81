"""Steps: cells along an axis of stored data that lie chunks apart, of which each is read alone.

A view of every n-th cell reads the range that its cells are in, as it copies nothing. Where chunks
are no longer than a step, most of that range are chunks with none of its cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.tuning import MOST_READ_APART
from dask_tapestry.operators.views.view import View, ViewAxis, identity_axes
from dask_tapestry.teg import Region, Selector, TensorType
from dask_tapestry.teg.operator import Restriction, Types, uniform
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Steps(Selector):
    """Cell o is the input's cell ``start + step * o`` along `axis`; there are `count` of them.

    A block reads each cell along the axis alone, if these are not many.

    Source: Tapestry whitepaper, "Selector Nodes".
    """

    name = "steps"
    kernel = "steps"
    transparent = True
    copies = True
    axis: int
    start: int
    step: int
    count: int

    def view(self, x: TensorType) -> View:
        """The view that shows the same cells."""
        axes = list(identity_axes(x.shape))
        axes[self.axis] = ViewAxis(self.axis, self.start, self.step)
        shape = (*x.shape[: self.axis], self.count, *x.shape[self.axis + 1 :])
        return View(shape, tuple(axes))

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.view(inputs[0]).infer(*inputs)

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return self.view(inputs[0]).demand(inputs, box)

    def pieces(self, inputs: Types, box: ZRange) -> tuple[tuple[int, ZRange], ...]:
        (hull,) = self.demand(inputs, box)
        if box.is_empty or not 1 < box.shape[self.axis] <= MOST_READ_APART:
            return ((0, hull),)
        cells = range(hull.lo[self.axis], hull.hi[self.axis], self.step)
        return tuple([(0, hull.replace(self.axis, cell, cell + 1)) for cell in cells])

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (True,)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"axis": self.axis, "step": self.step}

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return self.view(inputs[0]).restrict(inputs, region)

    def text(self) -> str:
        return f"axis={self.axis}, {self.start}{self.step:+d}*o"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        last = self.start + self.step * self.count
        return inputs[0][(slice(None),) * self.axis + (slice(self.start, last, self.step),)]
