"""Ufuncs and other functions that a cell expression may call, and the dtypes of each."""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry.cells.fixed_dtype import dtype_name
from dask_tapestry.cells.tuning import ELEMENTARY_FLOPS, INTEGER_DIVISION_FLOPS
from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry_kernels.formulas.function_table import facts_of

Operand = np.dtype[np.generic] | type  # a dtype, or int, float, complex: a weak scalar
DTypes = tuple[np.dtype[Any] | type[np.dtype[Any]] | None, ...]
Signature = str | DTypes  # of a loop: operands, then outputs

UFUNCS: Final = MappingProxyType(
    {
        ufunc.__name__: ufunc
        for ufunc in vars(np).values()
        if isinstance(ufunc, np.ufunc) and ufunc.signature is None
    }
)


def flops(function: str, dtype: np.dtype[np.generic] | None = None) -> int:
    """Operations that one call of `function` counts for in the cost model.

    Parameters
    ----------
    function
        Name of a ufunc; ``name.k`` is output k of one that has several.
    dtype
        Of the result, if it is known.

    Examples
    --------
    >>> flops("add"), flops("remainder"), flops("remainder", np.dtype("int64"))
    (1, 320, 16)
    """
    cost = facts_of(function).cost or ELEMENTARY_FLOPS
    integers = dtype is not None and dtype.kind in "iu"
    return min(cost, INTEGER_DIVISION_FLOPS) if integers else cost


def safe_operand(function: str) -> int:
    """A number for all operands of a function, of which it tells nothing wrong.

    Examples
    --------
    >>> safe_operand("log"), safe_operand("arctanh")
    (1, 0)
    """
    return facts_of(function).harmless


@lru_cache(maxsize=4096)
def loop_dtypes(
    function: str, operands: tuple[Operand, ...], signature: Signature | None = None
) -> tuple[np.dtype[np.generic], ...]:
    """Dtypes of the inputs and outputs of the NumPy loop that serves `operands`.

    The promotion is NumPy's own (NEP 50): Python's int, float and complex are weak.

    Parameters
    ----------
    function
        The ufunc's name, a key of `UFUNCS`.
    operands
        One dtype for each input, or a Python scalar's type.
    signature
        Of the loop, where it is not NumPy's choice: its characters, as ``"dd->d"``, or a dtype for
        each operand and output, None for those that NumPy chooses.

    Raises
    ------
    ArgumentError
        If `signature` is none of this ufunc.
    DTypeError
        If the ufunc has no loop for these operands and this signature.

    Examples
    --------
    >>> [d.name for d in loop_dtypes("add", (np.dtype("int8"), np.dtype("float32")))]
    ['float32', 'float32', 'float32']
    >>> [d.name for d in loop_dtypes("add", (np.dtype("int8"), int))]
    ['int8', 'int8', 'int8']
    >>> [d.name for d in loop_dtypes("add", (np.dtype("int8"), int), "dd->d")]
    ['float64', 'float64', 'float64']
    """
    ufunc = UFUNCS[function]
    if len(operands) != ufunc.nin:
        raise DTypeError(f"{function} takes {ufunc.nin} operands, not {len(operands)}")
    try:
        types = (*operands, *[None] * ufunc.nout)
        if signature is None:
            return ufunc.resolve_dtypes(types)
        return ufunc.resolve_dtypes(types, signature=signature)  # type: ignore[arg-type]
    except ValueError as error:
        raise ArgumentError(f"{function}: {error}") from None
    except TypeError as error:
        kinds = [dtype_name(o) if isinstance(o, np.dtype) else o.__name__ for o in operands]
        names = ", ".join(kinds)
        raise DTypeError(f"{function} has no loop for ({names}): {error}") from None
