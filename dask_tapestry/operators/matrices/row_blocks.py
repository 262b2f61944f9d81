"""Functions of the blocks of equal rows that a tall matrix is cut into, whatever a plan cuts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.tuning import LAPACK_SPEED
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Progression,
    Region,
    Signature,
    Tensor,
    TensorType,
    Turns,
    apply,
)
from dask_tapestry.teg.operator import Restriction, Types, signature_of
from dask_tapestry.teg.turns import CELL_BY_CELL
from dask_tapestry.zspace import IndexProjection, ZRange


class RowBlocks(BlockOperator):
    """A function of each block of rows of some matrices of as many columns.

    Class attributes
    ----------------
    rows
        Of a block of the first matrix.
    factor
        Operations for each of these rows and two columns.
    """

    fills = False
    rows: int
    factor: float

    @abstractmethod
    def heights(self, columns: int) -> tuple[int, ...]:
        """Rows of a block of the output, and of each input."""

    def signature(self, *inputs: TensorType) -> Signature:
        rows, columns = inputs[0].shape
        written, *read = [
            IndexProjection(((height,), (0,)), (0, 0), (height, columns))
            for height in self.heights(columns)
        ]
        return Signature((IndexDim("block", rows // self.rows),), tuple(read), (written,))

    def infer(self, *inputs: TensorType) -> TensorType:
        rows, columns = inputs[0].shape
        return TensorType((rows // self.rows * self.heights(columns)[0], columns), inputs[0].dtype)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        signature = signature_of(self, inputs)
        made = signature.written(signature.index_range(box))
        return {
            "keep": box.slices(made),
            "dtype": inputs[0].dtype,
            "is_stack": True,
            "rows": self.rows,
        }

    def turns(self, inputs: Types) -> Turns | None:
        return CELL_BY_CELL

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """The blocks that have rows in it, as they are in all of the matrix."""
        columns = inputs[0].shape[1]
        height_written, *heights_read = self.heights(columns)
        first, end = region[0].start // height_written, -(-region[0].stop // height_written)

        def rows_of(height: int) -> Region:
            own = Progression.of(first * height, 1, (end - first) * height)
            return Region([own, Progression(0, 1, columns)])

        return Restriction(self, tuple(map(rows_of, heights_read)), rows_of(height_written))

    def flops(self, inputs: Types, box: ZRange) -> int:
        (count,) = signature_of(self, inputs).index_range(box).shape
        columns = inputs[0].shape[1]
        return round(count * self.factor * self.rows * columns * columns * LAPACK_SPEED)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """What LAPACK makes of one of the blocks, which are factored one after the other."""
        cells = self.rows * inputs[0].shape[1]
        return cells * np.result_type(inputs[0].dtype, np.float64).itemsize

    def text(self) -> str:
        return f"rows={self.rows}"


@dataclass(frozen=True)
class RowTriangles(RowBlocks):
    """The triangle of each block of so many rows, one below the other."""

    name = kernel = "rowtriangles"
    factor = 2.0
    rows: int

    def heights(self, columns: int) -> tuple[int, ...]:
        return columns, self.rows

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


@dataclass(frozen=True)
class TurnedColumns(RowBlocks):
    """The orthonormal columns of each block of so many rows, times a square matrix of its own."""

    name = kernel = "turnedcolumns"
    factor = 6.0
    rows: int

    def heights(self, columns: int) -> tuple[int, ...]:
        return self.rows, self.rows, columns

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


def triangles_of_blocks(x: Tensor, rows: int) -> Tensor:
    """The triangles of the blocks of so many rows of a matrix, one below the other."""
    return apply(RowTriangles(rows), x)


def turned_columns_of_blocks(x: Tensor, rows: int, turns: Tensor) -> Tensor:
    """The orthonormal columns of the blocks of so many rows, each times its square of `turns`."""
    return apply(TurnedColumns(rows), x, turns)
