"""The texts that define compiled folds.

The text is all that a process needs that only calls what is compiled: the child that compiles it
imports numba, this module does not.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.reduction.supported_folds import supported

DType = np.dtype[Any]

FOLD: Final = """\
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.fold_leaf import folder

fold = folder({monoid!r}, {cell!r}, {state!r})


@njit("void(int64)", nogil=True, error_model="numpy")
def kernel(call):
    fold(call)
"""

LEAVES: Final = """\
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.leaf_driver import fold_leaves


@njit("void(int64)", nogil=True, error_model="numpy")
def kernel(block):
    fold_leaves(block)
"""

FORMULAS: Final = """\
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.fold_formula_columns import fold_formulas


@njit("void(int64)", nogil=True, error_model="numpy")
def kernel(block):
    fold_formulas(block)
"""
FOLD_ARITY: Final = 1  #: the address of a record `leaf_tables.CALL`
LEAVES_ARITY: Final = 1  #: the address of a record `leaf_tables.BLOCK`
FORMULAS_ARITY: Final = 1  #: the address of a record `leaf_tables.FORMULA_COLUMNS`


def fold_source(monoid: str, cell: DType, state: DType) -> str | None:
    """Text of a module whose ``kernel(call)`` folds leaves; None where that is not supported.

    `call` is the address of a record `leaf_tables.CALL`.

    Parameters
    ----------
    monoid
        A key of `monoids.ARITHMETIC`.
    cell, state
        Dtypes of the cells and of the states of leaves.

    Examples
    --------
    >>> "folder('sum', '<f2', '<f4')" in fold_source("sum", np.dtype("f2"), np.dtype("f4"))
    True
    >>> fold_source("sum", np.dtype("O"), np.dtype("O"))
    """
    if not supported(monoid, cell, state):
        return None
    described = tuple(state.descr) if state.names else state.str
    return FOLD.format(monoid=monoid, cell=cell.str, state=described)
