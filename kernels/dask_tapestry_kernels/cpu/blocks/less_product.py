"""A matrix less a product, in place: by BLAS, or by NumPy, a few rows of the product at a time.

All of the product would be fresh memory, as much as the matrix, of which a system may take longer
to give the pages than the product takes.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import lapack

Matrix = np.ndarray[Any, Any]
SLAB: Final = 2**22  # bytes of a product at a time: it stays in a cache


def subtract_product(x: Matrix, a: Matrix, b: Matrix) -> None:
    """Subtract ``a @ b`` from `x`.

    Parameters
    ----------
    x
        Shape (m, n), of the dtype of the product or a wider one.
    a, b
        Shapes (m, k) and (k, n).

    Examples
    --------
    >>> x = np.zeros((2, 2))
    >>> subtract_product(x, np.array([[1.0], [2.0]]), np.array([[3.0, 4.0]]))
    >>> x
    array([[-3., -4.],
           [-6., -8.]])
    """
    if lapack.subtract_product(x, a, b):
        return
    rows, columns = x.shape
    dtype = np.result_type(a, b)
    count = min(rows, max(1, SLAB // max(1, columns * dtype.itemsize)))
    made = np.empty((count, columns), dtype)
    for start in range(0, rows, max(1, count)):
        part = slice(start, start + count)
        x[part] -= np.matmul(a[part], b, out=made[: len(x[part])])


def subtract_square(x: Matrix, a: Matrix) -> None:
    """Subtract ``a @ a.conj().T`` from the lower half of `x`; the other half is left undefined.

    Examples
    --------
    >>> x = np.zeros((2, 2))
    >>> subtract_square(x, np.array([[1.0], [2.0]]))
    >>> np.tril(x)
    array([[-1.,  0.],
           [-2., -4.]])
    """
    if not lapack.subtract_square(x, a):
        subtract_product(x, a, a.conj().T)
