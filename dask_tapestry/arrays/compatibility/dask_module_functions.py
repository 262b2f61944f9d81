"""Functions that dask.array has in its modules alone: ``core.elemwise``, ``utils.assert_eq``..."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.indexing.take import take
from dask_tapestry.arrays.user_functions.block_scan import scan_blocks
from dask_tapestry.arrays.user_functions.map_blocks import map_blocks
from dask_tapestry.errors import ArgumentError
from dask_tapestry.imports import lazy_import

__all__ = ["assert_eq", "cumreduction", "elemwise", "shuffle_slice"]

Function = Callable[..., Any]


def elemwise(op: Function, *args: Any, dtype: DTypeLike | None = None, **kwargs: Any) -> Array:
    """Apply a function cell by cell to arrays that broadcast, as `dask.array.core.elemwise`.

    {Parameters}
        op: A ufunc, or a function of blocks.
        *args: Arrays and values.
        dtype: The dtype of the result; by default what `op` makes of the dtypes.
        **kwargs: Further arguments of `op`.
    {Returns} Array: The result.
    {Examples}
    >>> dt.core.elemwise(np.add, dt.arange(3), 1).compute()
    array([1, 2, 3])
    """
    kwargs.pop("name", None)  # of Dask's layer
    if isinstance(op, np.ufunc) and any(isinstance(one, Array) for one in args):
        result: Array = op(*args, **kwargs)
        return result if dtype is None else result.astype(dtype)
    return map_blocks(op, *args, dtype=dtype, **kwargs)


def cumreduction(
    func: Function,
    binop: Function,
    ident: Any,
    x: ArrayLike,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    out: Array | None = None,
    method: str = "sequential",
    preop: Function | None = None,
) -> Array:
    """Run a function of blocks along an axis, as `dask.array.reductions.cumreduction`.

    {Parameters}
        func: Called as ``func(block, axis=axis, dtype=dtype)``: the running result of a block.
        binop: Joins what is carried with a block after it: ``binop(carried, block)``.
        ident: What is carried into the first block.
        x: The array; blocks are its nominal chunks.
        axis: Along which it runs; None runs along the flattened array.
        dtype: The dtype of the result; by default what `func` makes of one cell.
        out: None, as of all functions of blocks.
        method: ``"sequential"`` or ``"blelloch"``, which give the same.
        preop: What a block carries on: ``preop(block, axis=axis, keepdims=True)``; by default the
            last cell of its running result.
    {Returns} Array: Of the shape of `x`.
    {Examples}
    >>> x = dt.arange(4, chunks=2)
    >>> dt.reductions.cumreduction(np.cumsum, np.add, 0, x, axis=0).compute()
    array([0, 1, 3, 6])
    """
    if out is not None or not is_one_of(method, ("sequential", "blelloch")):
        raise ArgumentError(f"cumreduction takes out=None and two methods, not {out!r}, {method!r}")
    return scan_blocks(asarray(x), func, binop, ident, axis, dtype, preop)


def shuffle_slice(x: ArrayLike, index: Sequence[int]) -> Array:
    """Take rows in another order, as `dask.array.slicing.shuffle_slice`.

    {Parameters}
        {x}
        index: Places along the first axis.
    {Returns} Array: The rows.
    {Examples}
    >>> dt.slicing.shuffle_slice(dt.arange(3), [2, 0, 1]).compute()
    array([2, 0, 1])
    """
    return take(asarray(x), np.asarray(index), axis=0)


def assert_eq(a: Any, b: Any, *args: Any, **kwargs: Any) -> bool:
    """Assert that two arrays are equal, as `dask.array.utils.assert_eq`, of arrays of any kind.

    {Parameters}
        a, b: Arrays, or what may be compared with one.
        *args, **kwargs: As Dask's; what it checks of graphs, chunks and metas is not looked at of
            arrays of this library.
    {Returns} bool: True.
    {Raises} AssertionError: If dtypes, shapes or cells differ.
    {Examples}
    >>> dt.utils.assert_eq(dt.arange(3), [0, 1, 2])
    True
    """
    computed = partial(_computed, scheduler=kwargs.get("scheduler", "sync"))
    equal: bool = lazy_import("dask.array.utils").assert_eq(
        computed(a), computed(b), *args, **kwargs
    )
    return equal


def _computed(one: Any, scheduler: Any) -> Any:
    return one.compute(scheduler=scheduler) if isinstance(one, Array) else one


write_out(__name__)
