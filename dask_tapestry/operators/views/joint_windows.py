"""JointWindows: windows of several values, which one task computes from what it reads once.

Its index points are tiles of something that all these values are made of. Each tile takes a window
of every value, by a projection of its own: nodes of a fold, whole lanes that were sorted, the cells
of a formula. So operators that have nothing in common but what they read are a step together, whose
value is the windows side by side, and `Output` takes each. No bit depends on what shares the pass.

A window is as large for the tiles at the edges as for the others. What it has beyond its value is
nothing that anybody reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.views.output import Output
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.teg import BlockOperator, IndexDim, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types, by_signature, clipped
from dask_tapestry.teg.outputs import OutputWindow, output_layout, outputs_dtype
from dask_tapestry.zspace import IndexProjection, ZRange


class WindowAxis(NamedTuple):
    """An axis of a window: `width` cells for each step of the dimension `dim` of the tiles.

    The first tile's begin `lead` cells before the value. Without a dimension all tiles have all.
    """

    dim: int | None
    width: int
    lead: int = 0


Window = tuple[WindowAxis, ...]


@dataclass(frozen=True)
class JointWindows(BlockOperator):
    """For each tile the window of each input.

    Source: Tapestry whitepaper, "Block Operator Nodes" and "Signature Nodes".

    Attributes
    ----------
    tiles
        Number of tiles along each dimension.
    windows
        How the windows of each input lie: each follows all dimensions.
    names
        Those of the outputs.
    """

    name = "jointwindows"
    kernel = "jointwindows"
    transparent = True
    holds = True
    copies = False
    clips = True
    fills = False
    any_cells = True
    tiles: tuple[int, ...]
    windows: tuple[Window, ...]
    names: tuple[str, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        outputs = [
            OutputWindow(name, x.dtype, self._projection(window, lead=False))
            for name, x, window in zip(self.names, inputs, self.windows, strict=True)
        ]
        return TensorType(self.tiles, outputs_dtype(tuple(outputs)))

    def _projection(self, window: Window, lead: bool) -> IndexProjection:
        """From tiles to the cells of an input, or to those of an output, which begin with them."""
        matrix = [
            tuple([axis.width * (axis.dim == dim) for dim in range(len(self.tiles))])
            for axis in window
        ]
        offset = [-axis.lead * lead for axis in window]
        return IndexProjection(matrix, offset, [axis.width for axis in window])

    def signature(self, *inputs: TensorType) -> Signature:
        index = tuple([IndexDim(f"t{dim}", n) for dim, n in enumerate(self.tiles)])
        reads = tuple([self._projection(window, lead=True) for window in self.windows])
        return Signature(index, reads, (IndexProjection.identity(len(self.tiles)),))

    regularity = by_signature

    demanding = clipped

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return self.demanding(inputs)(box)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        windows = self.infer(*inputs).dtype.windows  # type: ignore[attr-defined]
        return {
            "points": box.shape,
            "outputs": tuple(map(output_layout, windows)),
            "made": tuple(
                [self._made(w, box, x) for w, x in zip(self.windows, boxes, strict=True)]
            ),
        }

    @staticmethod
    def _made(window: Window, box: ZRange, read: ZRange) -> tuple[slice, ...]:
        """Which cells of an output are those that the tiles in `box` read of an input."""
        first = [0 if a.dim is None else box.lo[a.dim] * a.width - a.lead for a in window]
        spans = zip(first, read.lo, read.hi, strict=True)
        return tuple([slice(lo - at, hi - at) for at, lo, hi in spans])

    def text(self) -> str:
        return ", ".join(self.names)


def window_taken(together: Tensor, number: int, shape: tuple[int, ...]) -> Tensor:
    """The whole value, of `shape`, that is an input of joint windows, taken from these."""
    operator = together.operator
    assert isinstance(operator, JointWindows)
    written = apply(Output(operator.names[number]), together)
    if written.type.shape == shape:
        return written
    axes = [ViewAxis(axis, own.lead, 1) for axis, own in enumerate(operator.windows[number])]
    return apply(View(shape, tuple(axes)), written)
