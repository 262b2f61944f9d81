"""Equations, inverses and determinants of square matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.matrices.matrix_operator import MatrixFactors, MatrixFunction, Result
from dask_tapestry.operators.matrices.panel_lu import (
    determinant_by_panels,
    inverse_by_panels,
    sign_and_logarithm_by_panels,
    solve_by_panels,
)
from dask_tapestry.operators.matrices.panel_triangle import solve_triangle_by_panels
from dask_tapestry.operators.views.output import outputs
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Solve(MatrixFunction):
    """The x with ``a @ x = b``."""

    name = kernel = "solve"
    reads = ("mm", "mk")
    work = ("mmm", 2 / 3)
    is_stack: bool

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("x", "mk", inputs[0].dtype),)

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        a, b = inputs
        return solve_by_panels(a, b, width)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.linalg.solve(*inputs)


@dataclass(frozen=True)
class SolveTriangle(MatrixFunction):
    """The x with ``a @ x = b`` for one of the triangles of a matrix, column by column."""

    name = kernel = "solvetriangle"
    reads = ("mm", "mk")
    work = ("mmk", 1.0)
    cut = "k"
    taken = 1.5
    is_stack: bool
    lower: bool

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("x", "mk", inputs[0].dtype),)

    def options(self) -> Mapping[str, Any]:
        return {"lower": self.lower}

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Copies of the block of the right side, which is what it changes."""
        return ceil(self.taken * box.size * inputs[0].dtype.itemsize)

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        a, b = inputs
        return solve_triangle_by_panels(a, b, width, self.lower)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


class SquareToSquare(MatrixFunction):
    """A function of square matrices that returns others."""

    work = ("mmm", 2.0)
    taken = 2.0

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("x", "mm", inputs[0].dtype),)


@dataclass(frozen=True)
class Inverse(SquareToSquare):
    """The inverses of matrices; a singular one is an error."""

    name = kernel = "inv"
    is_stack: bool

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        return inverse_by_panels(inputs[0], width)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.linalg.inv(inputs[0])


@dataclass(frozen=True)
class InverseOrNaN(SquareToSquare):
    """The inverses of matrices; of singular ones NaN."""

    name = kernel = "invornan"
    is_stack: bool

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


@dataclass(frozen=True)
class Determinant(MatrixFunction):
    """The determinants of matrices."""

    name = kernel = "det"
    work = ("mmm", 2 / 3)
    is_stack: bool

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("det", "", inputs[0].dtype),)

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        return determinant_by_panels(inputs[0], width)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.asarray(np.linalg.det(inputs[0]))


@dataclass(frozen=True)
class SignAndLogarithm(MatrixFactors):
    """The sign of determinants, and the logarithm of their modulus."""

    name = kernel = "slogdet"
    work = ("mmm", 2 / 3)
    is_stack: bool
    kept: tuple[str, ...]

    def results(self, inputs: Types) -> tuple[Result, ...]:
        dtype = inputs[0].dtype
        return Result("sign", "", dtype), Result("logarithm", "", np.dtype(dtype.char.lower()))

    def meaning(self, *inputs: np.ndarray[Any, Any]) -> Sequence[Any]:
        return [np.asarray(one) for one in np.linalg.slogdet(inputs[0])]


@dataclass(frozen=True)
class PackedSignAndLogarithm(MatrixFunction):
    """Sign and logarithm of the determinant in one vector, so that they have a form in panels."""

    name = kernel = "packedslogdet"
    work = ("mmm", 2 / 3)
    is_stack: bool

    def new_lengths(self, inputs: Types) -> Mapping[str, int]:
        return {"t": 2}

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("both", "t", inputs[0].dtype),)

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        return sign_and_logarithm_by_panels(inputs[0], width)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.stack(np.linalg.slogdet(inputs[0]))


def solve(a: Tensor, b: Tensor) -> Tensor:
    """The x with ``a @ x = b``, for all matrices that lie along other dimensions."""
    return apply(Solve(max(a.type.ndim, b.type.ndim) > 2), a, b)


def solve_triangular(a: Tensor, b: Tensor, lower: bool) -> Tensor:
    """The x with ``a @ x = b`` for a triangle of a matrix."""
    return apply(SolveTriangle(False, lower), a, b)


def inverse(x: Tensor) -> Tensor:
    """The inverses of matrices; a singular one is an error."""
    return apply(Inverse(x.type.ndim > 2), x)


def inverse_of_regular(x: Tensor) -> Tensor:
    """The inverses of matrices; of singular ones NaN."""
    return apply(InverseOrNaN(x.type.ndim > 2), x)


def determinant(x: Tensor) -> Tensor:
    """The determinants of matrices."""
    return apply(Determinant(x.type.ndim > 2), x)


def sign_and_logarithm(x: Tensor) -> tuple[Tensor, Tensor]:
    """The sign of determinants, and the logarithm of their modulus."""
    sign, logarithm = outputs(apply(SignAndLogarithm(x.type.ndim > 2, ("sign", "logarithm")), x))
    return sign, logarithm


def packed_sign_and_logarithm(x: Tensor) -> Tensor:
    """Sign and logarithm of a matrix's determinant, in one vector of its dtype."""
    return apply(PackedSignAndLogarithm(False), x)
