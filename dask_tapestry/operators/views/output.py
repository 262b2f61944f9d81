"""Output: one of the tensors that an operator with several outputs yields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.first import first_of
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Progression,
    Region,
    Signature,
    Tensor,
    TensorType,
    apply,
)
from dask_tapestry.teg.operator import Restriction, Types, signature_of
from dask_tapestry.teg.outputs import OutputWindow, windows_of
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class Output(BlockOperator):
    """The output `output` of its input's value; it takes no time and copies nothing.

    Its signature is that of the output: the index points, each of which writes its window.

    Source: Tapestry whitepaper, "Block Operator Nodes".
    """

    name = "output"
    kernel = "output"
    category = "selector"
    transparent = True
    copies = False
    fills = False
    is_selector = True
    output: str

    def window(self, inputs: Types) -> OutputWindow:
        """What an index point writes of it."""
        return first_of(
            (w for w in windows_of(inputs[0]) if w.name == self.output), f"output {self.output!r}"
        )

    def infer(self, *inputs: TensorType) -> TensorType:
        (points,) = inputs
        signature, window = self.signature(*inputs), self.window(inputs)
        shape = signature.written(signature.space).shape
        owners = [signature.owner(0, axis) for axis in range(len(shape))]
        names = [None if d is None or not points.dims else points.dims[d] for d in owners]
        return TensorType(shape, window.dtype, tuple(names) if any(names) else None)

    def signature(self, *inputs: TensorType) -> Signature:
        (points,) = inputs
        index = tuple(IndexDim(f"i{dim}", n) for dim, n in enumerate(points.shape))
        reads = (IndexProjection.identity(points.ndim),)
        return Signature(index, reads, (self.window(inputs).projection,))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        made = signature_of(self, inputs).written(boxes[0])
        return {"name": self.output, "keep": box.slices(made)}

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """The index points that write `region`: whole windows, so maybe a little more."""
        signature, shape = signature_of(self, inputs), self.window(inputs).projection.shape
        points = list(Region.whole(inputs[0].shape))
        yields = list(region)
        for axis, (cells, width) in enumerate(zip(region, shape, strict=True)):
            dim = signature.owner(0, axis)
            if dim is None:
                yields[axis] = Progression(0, 1, width)
            elif width == 1:
                points[dim] = cells
            else:
                first, end = cells.start // width, -(-cells.stop // width)
                points[dim] = Progression.of(first, 1, end - first)
                yields[axis] = Progression.of(first * width, 1, (end - first) * width)
        return Restriction(self, (Region(points),), Region(yields))

    def text(self) -> str:
        return self.output

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(inputs[0][self.output])


def output(x: Tensor, name: str) -> Tensor:
    """One output of a value with several outputs."""
    return apply(Output(name), x)


def outputs(x: Tensor) -> tuple[Tensor, ...]:
    """All outputs of a value that has several, in order."""
    return tuple(output(x, window.name) for window in windows_of(x.type))
