"""Variates: random values that take a varying number of random words, cell by cell or by rows.

Source of the words: the kernels of each device have a substream of Philox for each cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any, Final

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import Operand
from dask_tapestry.operators.lanes import LaneOperator
from dask_tapestry.operators.random.random_bits import (
    MOST_CELLS,
    Stream,
    coordinates_of_part,
    places_of,
)
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Region,
    Signature,
    Tensor,
    TensorType,
    apply,
)
from dask_tapestry.teg.operator import Restriction, Types, uniform
from dask_tapestry.teg.turns import CELL_BY_CELL, Turns
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.parameters.variates import DRAWS, ROW_DRAWS

FLOPS: Final = 160  # of a cell: about 30 ns


@dataclass(frozen=True)
class Variates(BlockOperator):
    """Cells of the distribution `draw`: cell o is a function of its number and the inputs' cells o.

    Attributes
    ----------
    draw
        Name of the distribution, a key of the kernels' `DRAWS`.
    given
        For each parameter its value, or None where an input has it.
    stream, frame, places
        As of `RandomBits`: the cells `places` of a tensor of shape `frame`.
    """

    name = "variates"
    kernel = "variates"
    draw: str
    given: tuple[float | None, ...]
    stream: Stream
    frame: tuple[int, ...]
    places: Region

    regularity = uniform

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(self.places.shape, DRAWS[self.draw].dtype)

    def signature(self, *inputs: TensorType) -> Signature:
        shape = self.places.shape
        here = IndexProjection.identity(len(shape))
        index = tuple(IndexDim(f"i{dim}", n) for dim, n in enumerate(shape))
        return Signature(index, (here,) * len(inputs), (here,))

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return (box,) * len(inputs)

    def granularity(self, inputs: Types) -> tuple[int, ...]:
        return ()

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (True,) * len(inputs)

    def turns(self, inputs: Types) -> Turns:
        return CELL_BY_CELL

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "draw_of": self.draw,
            "given": self.given,
            **_cell_numbers(self.stream, self.frame, self.places, box),
        }

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        places = Region(map(coordinates_of_part, self.places, region))
        return Restriction(replace(self, places=places), (region,) * len(inputs), region)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Parameters are read side by side, so those that are broadcast are copied."""
        return sum(box.size * x.dtype.itemsize for x in inputs)

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * FLOPS

    def text(self) -> str:
        known = ", ".join("..." if one is None else f"{one:g}" for one in self.given)
        return f"{self.draw}({known}), {_where(self.stream, self.frame, self.places)}"


@dataclass(frozen=True)
class VariateRows(LaneOperator):
    """Rows of the distribution `draw`: counts of `total`, or of the first input's, by weights.

    Row r, along the last axis, is a function of its number, its total and row r of the last input.
    Other attributes are those of `Variates`; `frame` and `places` leave out the last axis.
    """

    name = "variaterows"
    kernel = "variaterows"
    fills = True
    axis: int
    draw: str
    total: int | None
    stream: Stream
    frame: tuple[int, ...]
    places: Region

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(inputs[-1].shape, ROW_DRAWS[self.draw].dtype)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        rows = ZRange(box.lo[:-1], box.hi[:-1])
        return {
            "draw_of": self.draw,
            "total": self.total,
            **_cell_numbers(self.stream, self.frame, self.places, rows),
            "part": self.part(box),
        }

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Fewer rows, each whole."""
        found = super().restrict(inputs, region)
        assert found is not None
        places = Region(map(coordinates_of_part, self.places, region[:-1]))
        return found._replace(operator=replace(self, places=places))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Totals and weights are read side by side."""
        boxes = self.demand(inputs, box)
        return sum(b.size * x.dtype.itemsize for b, x in zip(boxes, inputs, strict=True))

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * FLOPS

    def text(self) -> str:
        total = "..." if self.total is None else self.total
        return f"{self.draw}({total}), {_where(self.stream, self.frame, self.places)}"


def _cell_numbers(
    stream: Stream, frame: tuple[int, ...], places: Region, box: ZRange
) -> Mapping[str, Any]:
    return {
        "key": stream.key,
        "draw": (stream.call, stream.part),
        "frame": frame,
        "places": tuple(map(places_of, places, box.lo, box.hi)),
    }


def _where(stream: Stream, frame: tuple[int, ...], places: Region) -> str:
    where = "" if places.is_whole(frame) else f", {places} of {frame}"
    return f"{places.shape}, draw={stream.call}.{stream.part}{where}"


def variates(
    draw: str, shape: tuple[int, ...], stream: Stream, parameters: Sequence[Operand]
) -> Tensor:
    """Random values of a distribution.

    Parameters
    ----------
    draw
        Its name, a key of the kernels' `DRAWS`.
    parameters
        Numbers, and tensors that broadcast to `shape`, in the dtypes that `DRAWS` tells. None may
        be out of its range.

    Raises
    ------
    ShapeError
        For more than 2**128 cells, as they would repeat.
    """
    _check(shape)
    given: Any = tuple([None if isinstance(p, Tensor) else p for p in parameters])
    inputs = [broadcast(p, shape) for p in parameters if isinstance(p, Tensor)]
    return apply(Variates(draw, given, stream, shape, Region.whole(shape)), *inputs)


def variate_rows(
    draw: str, shape: tuple[int, ...], stream: Stream, total: int | Tensor, weights: Tensor
) -> Tensor:
    """Random rows of counts, along a last axis as long as that of `weights`.

    Parameters
    ----------
    draw
        The distribution's name, a key of the kernels' `ROW_DRAWS`.
    shape
        Of the rows, without the last axis.
    total, weights
        Of each row; tensors broadcast to `shape`, and to that with the last axis.

    Raises
    ------
    ShapeError
        For more than 2**128 rows, as they would repeat.
    """
    _check(shape)
    inputs = [broadcast(weights, (*shape, weights.type.shape[-1]))]
    if isinstance(total, Tensor):
        inputs.insert(0, unsqueeze(broadcast(total, shape), len(shape)))
    known = None if isinstance(total, Tensor) else total
    operator = VariateRows(len(shape), draw, known, stream, shape, Region.whole(shape))
    return apply(operator, *inputs)


def _check(shape: tuple[int, ...]) -> None:
    if prod(shape) > MOST_CELLS:
        raise ShapeError(f"random numbers of shape {shape} repeat after 2**128 cells")
