"""Least squares: solutions, ranks and singular values of a matrix of equations, by LAPACK.

Rotations are never made: right sides are turned by reflections as the matrix is, which takes half
of the operations of singular values with their vectors, or fewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.matrices.matrix_operator import MatrixFactors, Result
from dask_tapestry.operators.views.output import outputs
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types


@dataclass(frozen=True)
class LeastSquares(MatrixFactors):
    """The x of least length for which ``a @ x`` is nearest to `b`, and what is told of `a`.

    Attributes
    ----------
    share
        Singular values up to this times the largest count as zero.
    """

    name = kernel = "lstsq"
    reads = ("mn", "mk")
    work = ("mnn", 4.0)
    taken = 2.0  # the matrix, and for LAPACK its triangle or what is below it
    is_stack: bool
    kept: tuple[str, ...]
    share: float

    def new_lengths(self, inputs: Types) -> Mapping[str, int]:
        return {"l": min(inputs[0].shape)}

    def results(self, inputs: Types) -> tuple[Result, ...]:
        dtype = inputs[0].dtype
        real = np.dtype(dtype.char.lower())
        return (
            Result("x", "nk", dtype),
            Result("rank", "", np.dtype(np.intc)),  # as LAPACK's
            Result("s", "l", real),
        )

    def options(self) -> Mapping[str, Any]:
        return {"share": self.share}

    def meaning(self, *inputs: np.ndarray[Any, Any]) -> Sequence[Any]:
        a, b = inputs
        x, _, rank, s = np.linalg.lstsq(a, b, rcond=self.share)
        return x, np.intc(rank), s


def least_squares(a: Tensor, b: Tensor, share: float) -> tuple[Tensor, Tensor, Tensor]:
    """Solution, rank and singular values; see `LeastSquares`."""
    x, rank, s = outputs(apply(LeastSquares(False, ("x", "rank", "s"), share), a, b))
    return x, rank, s
