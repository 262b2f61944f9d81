"""Functions of the blocks of equal rows that a tall matrix is cut into, whatever a plan cuts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dask_tapestry.arrays.linalg.matrix_functions import OneThread
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.matrices.whole_matrix import FASTER
from dask_tapestry.operators.user.block_function import call_blocks
from dask_tapestry.operators.user.user_signature import SignatureSpec
from dask_tapestry.teg import Kind, Tensor
from dask_tapestry.zspace import IndexProjection


@dataclass(frozen=True)
class Triangles:
    """The triangle of each block of so many rows, one below the other."""

    rows: int

    def __call__(self, block: Any) -> Any:
        columns = block.shape[1]
        made: Any = np.linalg.qr(block.reshape(-1, self.rows, columns), mode="r")
        return made.reshape(-1, columns)


@dataclass(frozen=True)
class TurnedColumns:
    """The orthonormal columns of each block of so many rows, times a square matrix of its own."""

    rows: int

    def __call__(self, block: Any, turns: Any) -> Any:
        columns = block.shape[1]
        own = np.linalg.qr(block.reshape(-1, self.rows, columns)).Q
        return (own @ turns.reshape(-1, columns, columns)).reshape(block.shape)


def over_row_blocks(
    function: Callable[..., Any],
    parts: Sequence[tuple[Tensor, int]],
    count: int,
    rows: int,
    factor: float,
) -> Tensor:
    """`function` of `count` blocks of each of some matrices of as many columns.

    Parameters
    ----------
    parts
        The matrices, each with the rows of one of its blocks, which follow each other.
    rows
        Of a block of what is made, which has as many columns.
    factor
        Operations for each row of the first matrix and two columns.
    """
    columns = parts[0][0].type.shape[1]

    def window(height: int) -> IndexProjection:
        return IndexProjection(((height,), (0,)), (0, 0), (height, columns))

    owner = type(function).__name__.lower()
    written = SignatureSpec(
        owner,
        (("block", Kind.PARALLEL, count),),
        tuple([(str(n), window(height)) for n, (_, height) in enumerate(parts)]),
        (("made", window(rows)),),
    )
    each = factor * parts[0][1] * columns * columns * FASTER
    (result,) = call_blocks(
        UserFunction.of(OneThread(function)),
        written,
        [x for x, _ in parts],
        {"made": parts[0][0].type.dtype},
        (("flops", ((("block",), each),)),),
        multithreaded=False,
    )
    return result
