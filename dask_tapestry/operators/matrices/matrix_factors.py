"""Factors of matrices: `cholesky`, `qr`, `svd`, singular values, and the triangles of `lu`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.matrices.matrix_operator import MatrixFactors, MatrixFunction, Result
from dask_tapestry.operators.matrices.panel_cholesky import cholesky_by_panels
from dask_tapestry.operators.matrices.panel_lu import lu_by_panels
from dask_tapestry.operators.matrices.panel_qr import (
    columns_by_panels,
    qr_by_panels,
    triangle_by_panels,
)
from dask_tapestry.operators.matrices.panel_upper_band import singular_values_by_panels
from dask_tapestry.operators.views.output import outputs
from dask_tapestry.teg import Progression, Region, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Cholesky(MatrixFunction):
    """The triangle of which the product with its adjoint is the input."""

    name = kernel = "cholesky"
    work = ("mmm", 1 / 3)
    is_stack: bool
    upper: bool

    @property
    def in_double(self) -> bool:  # type: ignore[override]  # of one matrix it has its own kernel
        return self.is_stack

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("triangle", "mm", inputs[0].dtype),)

    def options(self) -> Mapping[str, Any]:
        return {"upper": self.upper}

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        return cholesky_by_panels(inputs[0], width, self.upper)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.linalg.cholesky(inputs[0], upper=self.upper)


@dataclass(frozen=True)
class QR(MatrixFactors):
    """Orthonormal columns and an upper triangle, in one of NumPy's modes that have two results."""

    name = kernel = "qr"
    reads = ("mn",)
    work = ("mnn", 4.0)
    taken = 2.0  # a matrix that is wide, or of which both factors are complete
    is_stack: bool
    kept: tuple[str, ...]
    mode: str

    def new_lengths(self, inputs: Types) -> Mapping[str, int]:
        return {"k": min(inputs[0].shape[-2:])}

    def results(self, inputs: Types) -> tuple[Result, ...]:
        dtype = inputs[0].dtype
        shapes = {"reduced": ("mk", "kn"), "complete": ("mm", "mn"), "raw": ("nm", "k")}
        q, r = shapes[self.mode]
        return (Result("q", q, dtype), Result("r", r, dtype))

    def options(self) -> Mapping[str, Any]:
        return {"mode": self.mode}

    def alone(self, output: str) -> MatrixFunction | None:
        return Triangle(self.is_stack) if (output, self.mode) == ("r", "reduced") else None

    def meaning(self, *inputs: np.ndarray[Any, Any]) -> Sequence[Any]:
        mode: Any = self.mode
        return tuple(np.linalg.qr(inputs[0], mode))


@dataclass(frozen=True)
class PackedQR(MatrixFunction):
    """Both factors of `QR` in one array, so that they have a form in panels.

    The triangle lies below the columns, or beside them where rows are fewer.
    """

    name = kernel = "packedqr"
    reads = ("mn",)
    work = ("mnn", 4.0)
    taken = 2.0
    is_stack: bool

    def new_lengths(self, inputs: Types) -> Mapping[str, int]:
        rows, columns = inputs[0].shape
        more = (columns, 0) if rows >= columns else (0, rows)
        return {"p": rows + more[0], "q": columns + more[1]}

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("factors", "pq", inputs[0].dtype),)

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        return qr_by_panels(inputs[0], width)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """One factor, of which alone cells are read."""
        (x,) = inputs
        rows, columns = x.shape
        axis = 0 if rows >= columns else 1
        if region[axis].stop <= rows:
            return self._factor(x, Columns(self.is_stack), axis, 0)
        if region[axis].start >= rows:
            return self._factor(x, Triangle(self.is_stack), axis, rows)
        return super().restrict(inputs, region)

    def _factor(self, x: TensorType, alone: MatrixFunction, axis: int, start: int) -> Restriction:
        """A factor that lies from a row or column of both on."""
        shape = alone.infer(x).shape
        made = [Progression.of(start * (d == axis), 1, n) for d, n in enumerate(shape)]
        return Restriction(alone, (Region.whole(x.shape),), Region(made))

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


@dataclass(frozen=True)
class Columns(MatrixFunction):
    """The orthonormal columns of `QR` alone."""

    name = kernel = "qrcolumns"
    reads = ("mn",)
    work = ("mnn", 4.0)
    taken = 2.0
    is_stack: bool

    def new_lengths(self, inputs: Types) -> Mapping[str, int]:
        return {"k": min(inputs[0].shape[-2:])}

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("q", "mk", inputs[0].dtype),)

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        return columns_by_panels(inputs[0], width)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


@dataclass(frozen=True)
class Triangle(MatrixFunction):
    """The upper triangle of `QR` alone."""

    name = kernel = "triangle"
    reads = ("mn",)
    work = ("mnn", 2.0)
    is_stack: bool

    def new_lengths(self, inputs: Types) -> Mapping[str, int]:
        return {"k": min(inputs[0].shape[-2:])}

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("r", "kn", inputs[0].dtype),)

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        return triangle_by_panels(inputs[0], width)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


@dataclass(frozen=True)
class CompleteColumns(MatrixFunction):
    """Orthonormal columns and, after them, others that make a square matrix of them."""

    name = kernel = "completecolumns"
    reads = ("mk",)
    work = ("mmk", 4.0)
    taken = 2.0
    is_stack: bool

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("rotation", "mm", inputs[0].dtype),)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Also a copy of the rotation, in double precision."""
        _, made = self._block_bytes(inputs, box)
        return (
            super().scratch_bytes(inputs, box) + (2 if inputs[0].dtype.char in "fF" else 1) * made
        )

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


@dataclass(frozen=True)
class SVD(MatrixFactors):
    """Rotations and singular values."""

    name = kernel = "svd"
    reads = ("mn",)
    work = ("mnn", 10.0)
    taken = 6.0  # NumPy calls gesdd, which has 3 n**2 cells of its own
    is_stack: bool
    kept: tuple[str, ...]
    full_matrices: bool
    hermitian: bool

    def new_lengths(self, inputs: Types) -> Mapping[str, int]:
        return {"k": min(inputs[0].shape[-2:])}

    def results(self, inputs: Types) -> tuple[Result, ...]:
        dtype = inputs[0].dtype
        u, vh = ("mm", "nn") if self.full_matrices else ("mk", "kn")
        real = np.dtype(dtype.char.lower())
        return (Result("u", u, dtype), Result("s", "k", real), Result("vh", vh, dtype))

    def options(self) -> Mapping[str, Any]:
        return {"full_matrices": self.full_matrices, "hermitian": self.hermitian}

    def alone(self, output: str) -> MatrixFunction | None:
        return SingularValues(self.is_stack, self.hermitian) if output == "s" else None

    def meaning(self, *inputs: np.ndarray[Any, Any]) -> Sequence[Any]:
        return tuple(np.linalg.svd(inputs[0], self.full_matrices, hermitian=self.hermitian))


@dataclass(frozen=True)
class SingularValues(MatrixFunction):
    """The singular values alone, in descending order."""

    name = kernel = "svdvals"
    reads = ("mn",)
    work = ("mnn", 10.0)
    is_stack: bool
    hermitian: bool

    def new_lengths(self, inputs: Types) -> Mapping[str, int]:
        return {"k": min(inputs[0].shape[-2:])}

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("s", "k", np.dtype(inputs[0].dtype.char.lower())),)

    def options(self) -> Mapping[str, Any]:
        return {"hermitian": self.hermitian}

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        return singular_values_by_panels(inputs[0], width, self.hermitian)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.linalg.svd(inputs[0], compute_uv=False, hermitian=self.hermitian)


@dataclass(frozen=True)
class PackedLU(MatrixFunction):
    """What `lu` is made of: both triangles, and two columns of digits of the order of rows."""

    name = kernel = "packedlu"
    reads = ("mn",)
    work = ("mmn", 1.0)
    taken = 2.0
    in_double = False
    is_stack: bool

    def new_lengths(self, inputs: Types) -> Mapping[str, int]:
        return {"p": inputs[0].shape[-1] + 2}

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("factors", "mp", inputs[0].dtype),)

    def in_panels(self, inputs: Sequence[Tensor], width: int) -> Tensor:
        return lu_by_panels(inputs[0], width)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


def cholesky(x: Tensor, upper: bool) -> Tensor:
    """The triangle of which the product with its adjoint is `x`."""
    return apply(Cholesky(x.type.ndim > 2, upper), x)


def qr(x: Tensor, mode: str) -> tuple[Tensor, Tensor]:
    """Orthonormal columns and a triangle, in one of NumPy's modes that have two results."""
    q, r = outputs(apply(QR(x.type.ndim > 2, ("q", "r"), mode), x))
    return q, r


def packed_qr_of(x: Tensor) -> Tensor:
    """Both factors of a matrix in one array; see `PackedQR`."""
    return apply(PackedQR(x.type.ndim > 2), x)


def triangle(x: Tensor) -> Tensor:
    """The triangle of `qr` alone."""
    return apply(Triangle(x.type.ndim > 2), x)


def completed_columns(u: Tensor) -> Tensor:
    """Orthonormal columns and others that make a square matrix of them."""
    return apply(CompleteColumns(u.type.ndim > 2), u)


def svd(x: Tensor, full_matrices: bool, hermitian: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Rotations and singular values."""
    operator = SVD(x.type.ndim > 2, ("u", "s", "vh"), full_matrices, hermitian)
    u, s, vh = outputs(apply(operator, x))
    return u, s, vh


def singular_values(x: Tensor, hermitian: bool) -> Tensor:
    """The singular values alone."""
    return apply(SingularValues(x.type.ndim > 2, hermitian), x)


def packed_lu_of(x: Tensor) -> Tensor:
    """Both triangles of a matrix and digits of the order of rows in one array."""
    return apply(PackedLU(x.type.ndim > 2), x)
