"""Products with sparse matrices that are known: `sparse_matmul`, of which regridding is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integers, is_several, real, whole_number
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.errors import ArgumentError, ArgumentTypeError, ShapeError
from dask_tapestry.io.sources.numpy_source import table
from dask_tapestry.operators.axes import each_axis, normalize_axis
from dask_tapestry.operators.products.sparse_matmul import product_dtype
from dask_tapestry.operators.products.sparse_matmul import sparse_matmul as product
from dask_tapestry.operators.products.sparse_rows import SparseRows, rows_of_cells, rows_of_csr

__all__ = ["sparse_matmul"]


@names_axes
def sparse_matmul(
    weights: Any,
    x: ArrayLike,
    axis: int | Sequence[int] = -1,
    output_shape: int | Sequence[int] | None = None,
    skipna: bool = False,
    na_thres: float = 1.0,
) -> Array:
    """Multiply a sparse matrix with one or several axes of an array, as regridding does.

    Each cell of the result is a sum over one row of the matrix, in the order of its columns, so it
    has the same bits for every sharding. A block of the result reads no more than the box of `x`
    that its rows touch. The matrix is sent to each worker once.

    {Parameters}
        weights: A matrix or array of SciPy's, or what has `tocsr`, as arrays of pydata's sparse; or
            ``(values, rows, columns, shape)`` as arrays and two numbers. Cells that are written
            twice are added up. A row for each cell of the result, a column for each cell along
            `axis`.
        {x}
        axis: The axis of `x` that the columns number, or several: in C order, those of the last
            axis that is named first.
        output_shape: Extents of the axes that the rows become, in C order, in place of `axis`; of
            several they begin where the first of them in `x` stood. By default one axis.
        skipna: Leave NaN out, as `xesmf` does: each sum is divided by the weights of what is not
            NaN, and is NaN where these add up to less than ``1 - na_thres``. Rows are to add up to
            1, as those of interpolations do; of a row without weights the result is NaN.
        na_thres: From 0, NaN where any weight is missing, to 1, NaN where all of it is.
    {Returns} Array: Of the dtype that NumPy promotes those of weights and cells to; with `skipna`
        of a float. Of half precision it is single.
    {Raises}
        ArgumentError: If `na_thres` is not from 0 to 1, or places of weights lie outside of their
            shape.
        ArgumentTypeError: If weights are lazy, or no sparse matrix.
        DTypeError: If weights or cells are no numbers, or NaN is left out by complex weights.
        ShapeError: If weights have another number of columns than there are cells along `axis`, or
            another number of rows than `output_shape` has.
    {See Also} matmul, tensordot

    Examples
    --------
    A mean of the two neighbours on either side:

    >>> import dask_tapestry as dt, scipy.sparse
    >>> weights = scipy.sparse.diags_array([0.5, 0.5], offsets=[0, 1], shape=(3, 4))
    >>> dt.sparse_matmul(weights, dt.arange(8).reshape(2, 4)).compute()
    array([[0.5, 1.5, 2.5],
           [4.5, 5.5, 6.5]])
    """
    rows, array = _rows_of(weights), asarray(x)
    axes = _axes(axis, array.ndim)
    shape = _shape(output_shape, rows.shape[0])
    threshold = real("na_thres", na_thres)
    if not 0 <= threshold <= 1:
        raise ArgumentError(f"na_thres must be a number from 0 to 1, not {na_thres!r}")
    dtype = product_dtype(rows.values.dtype, array.dtype, bool(skipna))
    values = rows.values.astype(dtype, copy=False)
    tables = [table(one) for one in (values, rows.columns, rows.starts)]
    return Array(product(array.node, rows, tables, axes, shape, threshold if skipna else None))


def _axes(axis: int | Sequence[int], ndim: int) -> tuple[int, ...]:
    """The axes as they are given, each from 0 on."""
    axes = tuple([normalize_axis(one, ndim) for one in each_axis(axis)])
    if not axes or len(set(axes)) < len(axes):
        raise ShapeError(f"axis must name axes of x, each once, not {axis!r}")
    return axes


def _shape(given: int | Sequence[int] | None, rows: int) -> tuple[int, ...]:
    if given is None:
        return (rows,)
    extents = integers(given, "output_shape") if is_several(given) else (given,)
    return tuple([whole_number("output_shape", n, 0) for n in extents])


def _rows_of(weights: Any) -> SparseRows:
    """The matrix by rows."""
    if isinstance(weights, tuple) and len(weights) == 4:
        return _of_places(*weights)
    if not hasattr(weights, "tocsr") and not isinstance(weights, np.ndarray):
        weights = getattr(weights, "data", weights)  # xesmf keeps a `DataArray` of them
    if hasattr(weights, "__dask_graph__") or isinstance(weights, Array):
        raise ArgumentTypeError("weights must be known now: compute() them first")
    if not hasattr(weights, "tocsr"):
        raise ArgumentTypeError(
            "weights must be a sparse matrix, or (values, rows, columns, shape), not "
            f"{type(weights).__name__}; `matmul` multiplies dense ones"
        )
    csr = weights.tocsr()
    rows, columns = csr.shape
    values, places, starts = map(np.asarray, (csr.data, csr.indices, csr.indptr))
    return rows_of_csr(values, places, starts, (int(rows), int(columns)))


def _of_places(values: Any, rows: Any, columns: Any, shape: Any) -> SparseRows:
    if any(hasattr(one, "__dask_graph__") for one in (values, rows, columns)):
        raise ArgumentTypeError("weights must be known now: compute() them first")
    extents = integers(shape, "the shape of weights")
    if len(extents) != 2:
        raise ShapeError(f"the shape of weights has two extents, not {extents}")
    cells, first, second = map(np.asarray, (values, rows, columns))
    if {first.dtype.kind, second.dtype.kind} - {"i", "u"}:
        raise ArgumentTypeError("rows and columns of weights must be integers")
    return rows_of_cells(cells, first, second, (extents[0], extents[1]))
