"""Cell updates: what a cell becomes of itself and of an update, as cell expressions."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.cells.ufuncs import UFUNCS, loop_dtypes
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.teg import Tensor, apply

DType = np.dtype[Any]
Maker = Callable[[CellBuilder, DType], int]


def _ufunc(name: str) -> Maker:
    def made(builder: CellBuilder, dtype: DType) -> int:
        left, right, out = loop_dtypes(name, (dtype, dtype), None)
        values = builder.cast(0, left), builder.cast(1, right)
        return builder.cast(builder.call(name, values, out), dtype)

    return made


def _if(comparison: str) -> Maker:
    """The update where it compares so with the cell, else the cell."""

    def made(builder: CellBuilder, dtype: DType) -> int:
        left, _, out = loop_dtypes(comparison, (dtype, dtype), None)
        values = builder.cast(1, left), builder.cast(0, left)
        return builder.call("where", (builder.call(comparison, values, out), 1, 0), dtype)

    return made


def _update(builder: CellBuilder, dtype: DType) -> int:  # noqa: ARG001
    return 1


MAKERS: Final = MappingProxyType(
    {
        "update": _update,
        "add": _ufunc("add"),
        "mul": _ufunc("multiply"),
        "min": _ufunc("minimum"),
        "max": _ufunc("maximum"),
        "less": _if("less"),
        "greater": _if("greater"),
    }
)


def cell_update(name: str, dtype: DType) -> CellExpression:
    """The update of a cell of `dtype` by another, by its name.

    ``"min"`` and ``"max"`` are NumPy's `minimum` and `maximum`, which a NaN passes. ``"less"`` and
    ``"greater"`` take an update that is so, and are false of a NaN.

    Raises
    ------
    DTypeError
        If cells of the dtype cannot be updated so.

    Examples
    --------
    >>> print(cell_update("less", np.dtype("f8")))
    where(less($1, $0), $1, $0)
    """
    if dtype.kind == "c" and name in ("less", "greater"):
        raise DTypeError(f"cells of dtype {dtype_name(dtype)} have no order")
    builder = CellBuilder((dtype, dtype))
    try:
        result = MAKERS[name](builder, dtype)
    except TypeError as error:
        raise DTypeError(
            f"cells of dtype {dtype_name(dtype)} cannot be updated by {name}: {error}"
        ) from None
    return builder.finish(result)


def ufunc_update(name: str, dtype: DType, update: DType) -> CellExpression:
    """The update of a cell of `dtype` by a ufunc, as ``numpy.ufunc.at`` has it.

    What the loop returns is converted back, whatever that loses. A ufunc of one operand takes the
    cell alone. The second parameter, the update, has the dtype of
    the ufunc's loop.

    Raises
    ------
    DTypeError
        If there is no loop.

    Examples
    --------
    >>> print(ufunc_update("add", np.dtype("f4"), np.dtype("f8")))
    float32(add(float64($0), $1))
    """
    alone = UFUNCS[name].nin == 1
    loop = loop_dtypes(name, (dtype,) if alone else (dtype, update), None)
    builder = CellBuilder((dtype, update if alone else loop[1]))
    values = [builder.cast(number, kind) for number, kind in enumerate(loop[:-1])]
    return builder.finish(builder.cast(builder.call(name, values, loop[-1]), dtype))


def updated(x: Tensor, values: Tensor, update: CellExpression) -> Tensor:
    """`x` with each cell updated by the value at its place; the shapes are the same."""
    return apply(Elementwise(update), x, values)
