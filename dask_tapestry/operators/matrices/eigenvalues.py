"""Eigenvalues and eigenvectors of matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.matrices.matrix_operator import MatrixFactors, MatrixFunction, Result
from dask_tapestry.operators.matrices.panel_band import hermitian_values_by_panels
from dask_tapestry.operators.views.output import outputs
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types

Half = Literal["L", "U"]


@dataclass(frozen=True)
class Eigen(MatrixFactors):
    """Eigenvalues and vectors of general matrices, complex whatever the cells."""

    name = kernel = "eig"
    work = ("mmm", 25.0)
    taken = 4.5
    is_stack: bool
    kept: tuple[str, ...]

    def results(self, inputs: Types) -> tuple[Result, ...]:
        dtype = np.result_type(inputs[0].dtype, np.complex64)
        return Result("values", "m", dtype), Result("vectors", "mm", dtype)

    def meaning(self, *inputs: np.ndarray[Any, Any]) -> Sequence[Any]:
        dtype = np.result_type(inputs[0].dtype, np.complex64)
        return [one.astype(dtype) for one in np.linalg.eig(inputs[0])]


@dataclass(frozen=True)
class Eigenvalues(MatrixFunction):
    """Eigenvalues of general matrices, complex whatever the cells."""

    name = kernel = "eigvals"
    work = ("mmm", 10.0)
    is_stack: bool

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("values", "m", np.result_type(inputs[0].dtype, np.complex64)),)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        dtype = np.result_type(inputs[0].dtype, np.complex64)
        return np.linalg.eigvals(inputs[0]).astype(dtype)


@dataclass(frozen=True)
class HermitianEigen(MatrixFactors):
    """Ascending eigenvalues and orthonormal vectors, of which one triangle is looked at."""

    name = kernel = "eigh"
    work = ("mmm", 9.0)
    taken = 3.0
    is_stack: bool
    kept: tuple[str, ...]
    triangle: Half

    def results(self, inputs: Types) -> tuple[Result, ...]:
        dtype = inputs[0].dtype
        real = np.dtype(dtype.char.lower())
        return Result("values", "m", real), Result("vectors", "mm", dtype)

    def options(self) -> Mapping[str, Any]:
        return {"triangle": self.triangle}

    def alone(self, output: str) -> MatrixFunction | None:
        if output != "values":
            return None
        return HermitianEigenvalues(self.is_stack, self.triangle)

    def meaning(self, *inputs: np.ndarray[Any, Any]) -> Sequence[Any]:
        return tuple(np.linalg.eigh(inputs[0], self.triangle))


@dataclass(frozen=True)
class HermitianEigenvalues(MatrixFunction):
    """Ascending eigenvalues of Hermitian matrices, of which one triangle is looked at."""

    name = kernel = "eigvalsh"
    work = ("mmm", 4 / 3)
    is_stack: bool
    triangle: Half

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("values", "m", np.dtype(inputs[0].dtype.char.lower())),)

    def options(self) -> Mapping[str, Any]:
        return {"triangle": self.triangle}

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        return hermitian_values_by_panels(inputs[0], width, self.triangle)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.linalg.eigvalsh(inputs[0], self.triangle)


def eigen(x: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues and vectors of general matrices."""
    values, vectors = outputs(apply(Eigen(x.type.ndim > 2, ("values", "vectors")), x))
    return values, vectors


def eigenvalues(x: Tensor) -> Tensor:
    """Eigenvalues of general matrices."""
    return apply(Eigenvalues(x.type.ndim > 2), x)


def hermitian_eigen(x: Tensor, triangle: Half) -> tuple[Tensor, Tensor]:
    """Ascending eigenvalues and orthonormal vectors."""
    operator = HermitianEigen(x.type.ndim > 2, ("values", "vectors"), triangle)
    values, vectors = outputs(apply(operator, x))
    return values, vectors


def hermitian_eigenvalues(x: Tensor, triangle: Half) -> Tensor:
    """Ascending eigenvalues."""
    return apply(HermitianEigenvalues(x.type.ndim > 2, triangle), x)
