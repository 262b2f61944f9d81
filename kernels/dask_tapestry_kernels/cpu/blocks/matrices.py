"""Functions of whole matrices, or of each of a stack of them: LAPACK computes them.

It is called by NumPy, and where NumPy copies a large matrix there and back, in place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, Literal, cast

import numpy as np

from dask_tapestry_kernels.blas_threads import threads_each
from dask_tapestry_kernels.cpu.blocks import block_reflectors, lapack
from dask_tapestry_kernels.cpu.blocks.lu import factor_lu
from dask_tapestry_kernels.cpu.blocks.triangles import clear_beside, solve_triangle
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputBlocks, OutputShape
from dask_tapestry_kernels.parameters.row_orders import ROWS_A_DIGIT

Block = np.ndarray[Any, Any]
LEAST_INVERTED_SIDE: Final = (
    128  # of matrices that are inverted in place: smaller ones gain nothing
)


def of_dtype(made: Any, dtype: np.dtype[Any]) -> Block:
    """An array of a dtype: the same one if it has an equal one.

    Of an equal dtype that came over a network, and so is another object, `numpy.asarray` would make
    a view, which were copied as one of cells that others have.
    """
    return np.asarray(made).astype(dtype, copy=False)


def one_result(function: Callable[..., Any]) -> Callable[..., Block]:
    """The kernel of a function with one result, of which the cells `keep` are wanted."""

    @wraps(function)
    def kernel(
        out: Block | None,  # noqa: ARG001
        /,
        *blocks: Block,
        keep: tuple[slice, ...],
        dtype: np.dtype[Any],
        is_stack: bool,
        **options: Any,
    ) -> Block:
        sides = tuple([one.stop - one.start for one in keep])
        if 0 in sides:
            return np.empty(sides, dtype)
        with threads_each(1 if is_stack else None):
            made = of_dtype(function(*blocks, **options), dtype)
        return made if made.shape == sides else made[keep]

    return kernel


def filled_result(function: Callable[..., Any]) -> Callable[..., Block]:
    """The same of a function that takes memory, `out`, which it may fill."""
    made = one_result(function)

    @wraps(function)
    def kernel(out: Block | None, *blocks: Block, **options: Any) -> Block:
        return made(None, *blocks, out=out, **options)

    return kernel


def several_results(function: Callable[..., Any]) -> Callable[..., OutputBlocks]:
    """The kernel of a function whose results have `names`, and of which some are `outputs`."""

    @wraps(function)
    def kernel(
        out: None,  # noqa: ARG001
        *blocks: Block,
        points: tuple[int, ...],
        outputs: tuple[OutputShape, ...],
        names: Sequence[str],
        is_stack: bool,
        **options: Any,
    ) -> OutputBlocks:
        if 0 in points:
            return OutputBlocks.empty(points, outputs)
        with threads_each(1 if is_stack else None):
            results = dict(zip(names, function(*blocks, **options), strict=True))
        arrays = [of_dtype(results[one.name], one.dtype) for one in outputs]
        return OutputBlocks(points, outputs, arrays)

    return kernel


def cholesky(x: Block, *, upper: bool) -> Block:
    """The triangle of which the product with its adjoint is `x`."""
    if x.ndim == 2:
        return put_cholesky(np.array(x, order="C"), upper)
    return np.linalg.cholesky(x, upper=True) if upper else np.linalg.cholesky(x)


def put_cholesky(x: Block, upper: bool) -> Block:
    """The triangle of one matrix, in its place where LAPACK can."""
    if not lapack.cholesky(x, upper):
        return np.linalg.cholesky(x, upper=True) if upper else np.linalg.cholesky(x)
    clear_beside(x, lower=not upper)
    return x


def qr(x: Block, *, mode: Literal["reduced", "complete", "raw"]) -> tuple[Block, Block]:
    """Orthonormal columns and a triangle, or what LAPACK has of them."""
    if mode == "reduced" and x.ndim == 2 and x.shape[0] >= x.shape[1]:
        made = _qr_in_place(np.array(x, np.result_type(x, np.float64), order="F"))
        if made is not None:
            return made
    q, r = np.linalg.qr(x, mode)
    return q, r


def _qr_in_place(packed: Block) -> tuple[Block, Block] | None:
    """Orthonormal columns in the place of a matrix, and a triangle; None where NumPy must."""
    blocks = block_reflectors.are_worth(*packed.shape)
    factor = block_reflectors.factor_blocks if blocks else lapack.factor_qr
    put = block_reflectors.put_columns if blocks else lapack.orthonormal_columns
    factors = factor(packed)
    if factors is None:
        return None
    r = np.triu(packed[: packed.shape[1]])
    put(packed, factors)
    return packed, r


def put_turned_columns(x: Block, turn: Block, made: Block) -> None:
    """Write the columns of `qr` times a square."""
    if block_reflectors.are_one_block(*x.shape):
        packed = np.array(x, np.result_type(x, np.float64), order="F")
        t = block_reflectors.factor_blocks(packed)
        if t is not None:
            block_reflectors.put_turned_columns(packed, t, turn, made)
            return
    np.matmul(qr(x, mode="reduced")[0], turn, out=made, casting="same_kind")


def packed_qr(x: Block) -> Block:
    """Orthonormal columns and a triangle, below them, or beside them where rows are fewer."""
    rows, columns = x.shape
    return np.concatenate(qr(x, mode="reduced"), axis=0 if rows >= columns else 1)


def qr_columns(x: Block) -> Block:
    """The orthonormal columns of `qr` alone."""
    return qr(x, mode="reduced")[0]


def triangle(x: Block) -> Block:
    """The triangle of `qr` alone."""
    if x.ndim == 2 and x.shape[0] >= x.shape[1]:
        packed = np.array(x, np.result_type(x, np.float64), order="F")  # as NumPy's works in
        blocks = block_reflectors.are_worth(*packed.shape)
        factor = block_reflectors.factor_blocks if blocks else lapack.factor_qr
        if factor(packed) is not None:
            return np.triu(packed[: x.shape[1]])
    r: Any = np.linalg.qr(x, mode="r")
    return cast(Block, r)


def complete_columns(u: Block) -> Block:
    """Orthonormal columns and, after them, others that make a square matrix of them."""
    rotation: Any = np.linalg.qr(u, mode="complete")[0]
    rotation[..., : u.shape[-1]] = u  # whose signs are those of the other factor
    return cast(Block, rotation)


def svd(x: Block, *, full_matrices: bool, hermitian: bool) -> tuple[Block, ...]:
    """Rotations and singular values."""
    return tuple(np.linalg.svd(x, full_matrices=full_matrices, hermitian=hermitian))


def singular_values(x: Block, *, hermitian: bool) -> Block:
    """Singular values alone."""
    return np.linalg.svd(x, compute_uv=False, hermitian=hermitian)


def least_squares(a: Block, b: Block, *, share: float) -> tuple[Block, Any, Block]:
    """The x of least length for which ``a @ x`` is nearest to `b`; rank and singular values of a.

    Those up to a share of the largest count as zero.
    """
    x, _, rank, values = np.linalg.lstsq(a, b, rcond=share)
    return x, rank, values


def solve(a: Block, b: Block) -> Block:
    """The x with ``a @ x = b``."""
    return np.linalg.solve(a, b)


def inverse(x: Block) -> Block:
    """The inverses of matrices."""
    if x.ndim == 2 and len(x) >= LEAST_INVERTED_SIDE:
        made = np.array(x, np.result_type(x, np.float64), order="C")  # as NumPy's works in
        if lapack.invert(made):
            return made
    return np.linalg.inv(x)


def inverse_or_nan(x: Block) -> Block:
    """The inverses of matrices; of singular ones NaN."""
    try:
        return inverse(x)
    except np.linalg.LinAlgError:
        if x.ndim > 2:
            return np.stack([inverse_or_nan(one) for one in x])
        return np.full_like(x, np.nan)


def determinant(x: Block) -> Any:
    """The determinants of matrices."""
    return np.linalg.det(x)


def sign_and_logarithm(x: Block) -> tuple[Any, Any]:
    """The sign of determinants, and the logarithm of their modulus."""
    sign, logarithm = np.linalg.slogdet(x)
    return sign, logarithm


def packed_sign_and_logarithm(x: Block) -> Block:
    """Sign and logarithm of the determinant of a matrix, in one vector."""
    return np.stack(np.linalg.slogdet(x))


def packed_lu(x: Block) -> Block:
    """Both triangles in one matrix, and two columns of digits of the order of rows."""
    packed, order = factor_lu(x)
    digits = np.stack(np.divmod(order, ROWS_A_DIGIT), axis=1).astype(x.dtype)
    return np.concatenate([packed, digits], axis=1)


def eigen(x: Block) -> tuple[Block, Block]:
    """Eigenvalues and vectors of general matrices."""
    values, vectors = np.linalg.eig(x)
    return values, vectors


def eigenvalues(x: Block) -> Block:
    """Eigenvalues of general matrices."""
    return np.linalg.eigvals(x)


def hermitian_eigen(x: Block, *, triangle: Literal["L", "U"]) -> tuple[Block, Block]:
    """Eigenvalues and vectors of Hermitian matrices, of which one triangle is looked at."""
    values, vectors = np.linalg.eigh(x, triangle)
    return values, vectors


def hermitian_eigenvalues(x: Block, *, triangle: Literal["L", "U"]) -> Block:
    """Eigenvalues of Hermitian matrices, of which one triangle is looked at."""
    return np.linalg.eigvalsh(x, triangle)


KERNELS: Final[Mapping[str, Kernel]] = {
    "cholesky": one_result(cholesky),
    "packedqr": one_result(packed_qr),
    "qrcolumns": one_result(qr_columns),
    "triangle": one_result(triangle),
    "completecolumns": one_result(complete_columns),
    "svdvals": one_result(singular_values),
    "solve": one_result(solve),
    "solvetriangle": one_result(solve_triangle),
    "inv": one_result(inverse),
    "invornan": one_result(inverse_or_nan),
    "det": one_result(determinant),
    "packedslogdet": one_result(packed_sign_and_logarithm),
    "packedlu": one_result(packed_lu),
    "eigvals": one_result(eigenvalues),
    "eigvalsh": one_result(hermitian_eigenvalues),
    "qr": several_results(qr),  # type: ignore[dict-item]
    "svd": several_results(svd),  # type: ignore[dict-item]
    "lstsq": several_results(least_squares),  # type: ignore[dict-item]
    "slogdet": several_results(sign_and_logarithm),  # type: ignore[dict-item]
    "eig": several_results(eigen),  # type: ignore[dict-item]
    "eigh": several_results(hermitian_eigen),  # type: ignore[dict-item]
}
