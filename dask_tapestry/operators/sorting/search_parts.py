"""Search parts: what the parts of a sorted table tell of cells, where no block reads it whole.

As many cells of a table are less than one that is looked up as of all its parts together, and it is
in the table if it is in one of its parts. Of points and their values it lies between those of one.

Source: Tapestry whitepaper, "Reduction Operations".
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from math import ceil, log2
from typing import Any, Literal, TypeAlias

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.tuning import MOST_TABLE_PARTS, SEARCH_STEP_FLOPS, SHORTEST_TABLE_PART
from dask_tapestry.teg import BlockOperator, IndexDim, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange

Answer: TypeAlias = Literal["left", "right", "within"]


class TableParts(BlockOperator):
    """What each part of tables, of `length` cells, tells of each cell of the first input.

    An array (parts, *cells). Parts have the next one's first cells, too, if they `overlap` it; the
    last one may be shorter.
    """

    any_cells = True
    repeats = True
    overlap = 0
    length: int

    @abstractmethod
    def told(self, *inputs: TensorType) -> np.dtype[Any]:
        """Dtype of what is told."""

    def infer(self, *inputs: TensorType) -> TensorType:
        x, table, *_ = inputs
        return TensorType((-(-table.size // self.length), *x.shape), self.told(*inputs))

    def signature(self, *inputs: TensorType) -> Signature:
        (x, *tables), made = inputs, self.infer(*inputs)
        index = tuple([IndexDim(f"i{dim}", n) for dim, n in enumerate(made.shape)])
        cells = [[int(dim == axis + 1) for dim in range(made.ndim)] for axis in range(x.ndim)]
        here = IndexProjection(cells, (0,) * x.ndim, (1,) * x.ndim, in_ndim=made.ndim)
        reach = self.length + self.overlap
        part = IndexProjection(((self.length, *[0] * x.ndim),), (0,), (reach,))
        reads = (here, *[part] * len(tables))
        return Signature(index, reads, (IndexProjection.identity(made.ndim),))

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        wanted = signature_of(self, inputs).demand(box)
        return tuple([x.clip(part) for x, part in zip(inputs, wanted, strict=True)])

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * SEARCH_STEP_FLOPS * ceil(log2(self.length + 2))


@dataclass(frozen=True)
class SearchedParts(TableParts):
    """What each part of a sorted vector, of `length` cells, tells of each cell of the first input.

    The place before which a cell goes, left or right of equal ones, or whether it is there: an
    array (parts, *cells) of intp or bool.
    """

    name = "searchedparts"
    kernel = "searchparts"
    answer: Answer
    length: int

    def told(self, *inputs: TensorType) -> np.dtype[Any]:
        return np.dtype(bool if self.answer == "within" else np.intp)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"answer": self.answer, "length": self.length}

    def text(self) -> str:
        return f"{self.answer}, parts of {self.length}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, table = inputs
        parts = [table[first : first + self.length] for first in range(0, len(table), self.length)]
        if self.answer == "within":
            return np.stack([np.isin(x, part) for part in parts])
        return np.stack([np.searchsorted(part, x, self.answer) for part in parts])


@dataclass(frozen=True)
class InterpolatedParts(TableParts):
    """Linear interpolation at cells that lie in a part of points, of `length`, and their values.

    An array (parts, *cells) of float64, less than any number where a cell lies in another part.
    Cells below and above all points, and NaN, are in the first and the last part.
    """

    name = "interpolatedparts"
    kernel = "interpparts"
    overlap = 1
    length: int
    left: float | None = None
    right: float | None = None

    def told(self, *inputs: TensorType) -> np.dtype[Any]:
        return inputs[2].dtype

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "length": self.length,
            "left": self.left,
            "right": self.right,
            "is_first": not box.lo[0],
            "is_last": box.hi[0] == self.infer(*inputs).shape[0],
        }

    def text(self) -> str:
        return f"parts of {self.length}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


def part_counts(cells: int) -> tuple[int, ...]:
    """Numbers of parts in which to try to search a table.

    Examples
    --------
    >>> part_counts(10), part_counts(1000)
    ((), (4, 16))
    """
    most = min(MOST_TABLE_PARTS, cells // SHORTEST_TABLE_PART)
    return tuple([1 << i for i in range(2, most.bit_length(), 2)])


def places_by_parts(x: Tensor, table: Tensor, side: Answer, parts: int) -> Tensor:
    """The places of cells in a sorted vector, as so many parts of it tell."""
    length = -(-table.type.size // parts)
    return reduce(apply(SearchedParts(side, length), x, table), "sum", 0)


def within_any_part(x: Tensor, table: Tensor, parts: int) -> Tensor:
    """Whether cells are in a sorted vector, as so many parts of it tell."""
    length = -(-table.type.size // parts)
    return reduce(apply(SearchedParts("within", length), x, table), "any", 0)


def interpolated_by_parts(
    x: Tensor,
    points: Tensor,
    values: Tensor,
    ends: tuple[float | None, float | None],
    parts: int,
) -> Tensor:
    """Values at cells on the lines between points, as so many parts of these tell.

    Parameters
    ----------
    ends
        Values below and above all points; None for those of the first and the last one.
    """
    length = -(-points.type.size // parts)
    told = apply(InterpolatedParts(length, *ends), x, points, values)
    return reduce(told, "max", 0)
