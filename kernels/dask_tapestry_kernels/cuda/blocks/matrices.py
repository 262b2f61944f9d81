"""Functions of whole matrices, or of each of a stack of them, on a GPU: by cuSOLVER, through CuPy.

Values are within rounding of LAPACK's; what is not unique, as signs of columns, is the library's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.jit.runtime import Block, runtime
from dask_tapestry_kernels.kernel_table import Kernel
from dask_tapestry_kernels.output_blocks import OutputBlocks, OutputShape


def one_result(function: Callable[..., Any]) -> Callable[..., Block]:
    """The kernel of a function with one result, of which the cells `keep` are wanted."""

    @wraps(function)
    def kernel(
        out: Block | None,  # noqa: ARG001
        *blocks: Block,
        keep: tuple[slice, ...],
        dtype: np.dtype[Any],
        is_stack: bool,  # noqa: ARG001
        **options: Any,
    ) -> Block:
        gpu = runtime()
        sides = tuple([one.stop - one.start for one in keep])
        if 0 in sides:
            return gpu.empty(sides, dtype)
        with gpu.errors_of_matrices():
            result = function(gpu.library, *blocks, **options).astype(dtype, copy=False)
        return result if result.shape == sides else result[keep]

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
        is_stack: bool,  # noqa: ARG001
        **options: Any,
    ) -> OutputBlocks:
        gpu = runtime()
        if 0 in points:
            none = [gpu.empty(one.of(points), one.dtype) for one in outputs]
            return OutputBlocks(points, outputs, none)
        with gpu.errors_of_matrices():
            made = function(gpu.library, *blocks, **options)
        results = dict(zip(names, made, strict=True))
        arrays = [results[one.name].astype(one.dtype, copy=False) for one in outputs]
        return OutputBlocks(points, outputs, arrays)

    return kernel


def qr(library: Any, x: Block, *, mode: str) -> Sequence[Block]:
    """Orthonormal columns and a triangle, or what LAPACK has of them."""
    q, r = library.linalg.qr(x, mode)
    return q, r


def svd(library: Any, x: Block, *, full_matrices: bool, hermitian: bool) -> Sequence[Block]:
    """Rotations and singular values; of Hermitian matrices by their eigenvalues."""
    if not hermitian:
        return tuple(library.linalg.svd(x, full_matrices))
    values, u = library.linalg.eigh(x)
    order = library.argsort(abs(values), axis=-1)[..., ::-1]
    values = library.take_along_axis(values, order, -1)
    u = library.take_along_axis(u, order[..., None, :], -1)
    return u, abs(values), _adjoint(u * library.sign(values)[..., None, :])


def least_squares(library: Any, a: Block, b: Block, *, share: float) -> Sequence[Block]:
    """The x of least length for which ``a @ x`` is nearest to `b`; rank and singular values of a.

    Those up to a share of the largest count as zero.
    """
    u, s, vh = library.linalg.svd(a, False)
    large = s > share * s.max() if s.size else s > 0
    inverse = large / (s + ~large)  # of small ones 0
    return _adjoint(vh) @ (inverse[:, None] * (_adjoint(u) @ b)), large.sum(), s


def sign_and_logarithm(library: Any, x: Block) -> Sequence[Block]:
    """The sign of determinants, and the logarithm of their modulus."""
    sign, logarithm = library.linalg.slogdet(x)
    return sign, logarithm


def hermitian_eigen(library: Any, x: Block, *, triangle: str) -> Sequence[Block]:
    """Eigenvalues and vectors of Hermitian matrices, of which one triangle is looked at."""
    values, vectors = library.linalg.eigh(x, triangle)
    return values, vectors


def cholesky(library: Any, x: Block, *, upper: bool) -> Block:
    """The triangle of which the product with its adjoint is `x`; CuPy has the lower one."""
    return _adjoint(library.linalg.cholesky(_adjoint(x))) if upper else library.linalg.cholesky(x)


def _adjoint(x: Block) -> Block:
    return x.swapaxes(-1, -2).conj()


def packed_qr(library: Any, x: Block) -> Block:
    """Orthonormal columns and a triangle, below them, or beside them where rows are fewer."""
    rows, columns = x.shape
    return library.concatenate(library.linalg.qr(x), axis=0 if rows >= columns else 1)


def qr_columns(library: Any, x: Block) -> Block:
    """The orthonormal columns of `qr` alone."""
    return library.linalg.qr(x)[0]


def triangle(library: Any, x: Block) -> Block:
    """The triangle of `qr` alone."""
    return library.linalg.qr(x, mode="r")


def complete_columns(library: Any, u: Block) -> Block:
    """Orthonormal columns and, after them, others that make a square matrix of them."""
    rotation = library.linalg.qr(u, mode="complete")[0]
    rotation[..., : u.shape[-1]] = u  # whose signs are those of the other factor
    return rotation


def singular_values(library: Any, x: Block, *, hermitian: bool) -> Block:
    """Singular values alone, from the greatest on."""
    if not hermitian:
        return library.linalg.svd(x, compute_uv=False)
    moduli = abs(library.linalg.eigvalsh(x))
    return library.sort(moduli, axis=-1)[..., ::-1]


def solve(library: Any, a: Block, b: Block) -> Block:
    """The x with ``a @ x = b``; CuPy wants a matrix of each stack for each of the other."""
    if b.ndim == 1:
        return _regular(lambda: library.linalg.solve(a, b))
    stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    left = library.broadcast_to(a, (*stack, *a.shape[-2:]))
    right = library.broadcast_to(b, (*stack, *b.shape[-2:]))
    return _regular(lambda: library.linalg.solve(left, right))


def inverse(library: Any, x: Block) -> Block:
    """The inverses of matrices."""
    return _regular(lambda: library.linalg.inv(x))


def inverse_or_nan(library: Any, x: Block) -> Block:
    """The inverses of matrices; of singular ones NaN."""
    try:
        return inverse(library, x)
    except np.linalg.LinAlgError:
        if x.ndim > 2:
            return library.stack([inverse_or_nan(library, one) for one in x])
        return library.full_like(x, np.nan)


def _regular(function: Callable[[], Block]) -> Block:
    """What a function yields, whose error says what NumPy's does."""
    try:
        return function()
    except np.linalg.LinAlgError as error:
        raise np.linalg.LinAlgError("Singular matrix") from error


def determinant(library: Any, x: Block) -> Block:
    """The determinants of matrices."""
    return library.linalg.det(x)


def packed_sign_and_logarithm(library: Any, x: Block) -> Block:
    """The sign of a determinant and the logarithm of its modulus, in one vector."""
    sign, logarithm = library.linalg.slogdet(x)
    return library.stack([sign, logarithm.astype(sign.dtype, copy=False)])


def hermitian_eigenvalues(library: Any, x: Block, *, triangle: str) -> Block:
    """Eigenvalues of Hermitian matrices, of which one triangle is looked at."""
    return library.linalg.eigvalsh(x, triangle)


KERNELS: Final[Mapping[str, Kernel]] = {
    "cholesky": one_result(cholesky),
    "packedqr": one_result(packed_qr),
    "qrcolumns": one_result(qr_columns),
    "triangle": one_result(triangle),
    "completecolumns": one_result(complete_columns),
    "svdvals": one_result(singular_values),
    "solve": one_result(solve),
    "inv": one_result(inverse),
    "invornan": one_result(inverse_or_nan),
    "det": one_result(determinant),
    "packedslogdet": one_result(packed_sign_and_logarithm),
    "eigvalsh": one_result(hermitian_eigenvalues),
    "qr": several_results(qr),  # type: ignore[dict-item]
    "svd": several_results(svd),  # type: ignore[dict-item]
    "lstsq": several_results(least_squares),  # type: ignore[dict-item]
    "slogdet": several_results(sign_and_logarithm),  # type: ignore[dict-item]
    "eigh": several_results(hermitian_eigen),  # type: ignore[dict-item]
}
