"""Which folds can be compiled, and the texts that define them.

The text is all that a process needs that only calls what is compiled: numba is imported by it, not
by this module.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

DType = np.dtype[Any]

NEAR_CELLS: Final = 4096  # of a leaf; narrow accumulators of integers do not overflow
FOLD_SIGNATURE: Final = f"void({', '.join(['int64'] * 9)})"
LEAVES_SIGNATURE: Final = f"void({', '.join(['int64'] * 14)})"
FORMULAS_SIGNATURE: Final = f"void({', '.join(['int64'] * 7)})"
PLACES: Final = frozenset({"argmin", "argmax", "nanargmin", "nanargmax"})
OF_TIMES: Final = frozenset({"min", "fmax", "any", "all", "xor", "argmin"})  # NaT: the least int64
VALUES: Final = frozenset(
    "sum add mean prod min max fmin fmax any all xor bitwise_and bitwise_or bitwise_xor".split()
)
SPREADS: Final = frozenset({"var", "std", "nanvar", "nanstd"})

FOLD: Final = """\
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.fold_leaf import folder

fold = folder({monoid!r}, {cell!r}, {state!r})


@njit({signature!r}, nogil=True, error_model="numpy")
def kernel(cells, leaves, leaf_stride, n, round_stride, n_stride, kept, parts, source):
    fold(cells, leaves, leaf_stride, n, round_stride, n_stride, kept, parts, source)
"""

LEAVES: Final = f"""\
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.leaf_driver import fold_leaves


@njit({LEAVES_SIGNATURE!r}, nogil=True, error_model="numpy")
def kernel(
    fold, row, operands, count, shape, ndim, reduced, sides, item, parts, part_items, part_count,
    scratch, size,
):
    fold_leaves(
        fold, row, operands, count, shape, ndim, reduced, sides, item, parts, part_items,
        part_count, scratch, size,
    )
"""

FORMULAS: Final = f"""\
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.fold_formula_columns import fold_formulas


@njit({FORMULAS_SIGNATURE!r}, nogil=True, error_model="numpy")
def kernel(fold, source, part_items, part_count, extent, side, kept):
    fold_formulas(fold, source, part_items, part_count, extent, side, kept)
"""


def fold_source(monoid: str, cell: DType, state: DType) -> str | None:
    """Text of a module whose `kernel` folds leaves; None where that is not supported.

    ``kernel(cells, leaves, leaf_stride, n, round_stride, n_stride, kept, parts, source)``, all of
    int64: cell i (of `NEAR_CELLS` at most, in C order) of leaf l and column k lies at ``cells +
    l * leaf_stride + (i // 32) * round_stride + (i % 32) * n_stride + k * itemsize``; of one column
    `n_stride` is the size of a cell. `parts` is a table of addresses, one for each field of the
    state, each of a contiguous array (leaves, kept). `source`, if not 0, makes the cells of one
    leaf as they are needed; see `fold_formula_columns.evaluate`.

    Examples
    --------
    >>> "folder('sum', '<f2', '<f4')" in fold_source("sum", np.dtype("f2"), np.dtype("f4"))
    True
    >>> fold_source("sum", np.dtype("O"), np.dtype("O"))
    """
    if not supported(monoid, cell, state):
        return None
    described = tuple(state.descr) if state.names else state.str
    return FOLD.format(signature=FOLD_SIGNATURE, monoid=monoid, cell=cell.str, state=described)


def leaves_source() -> str:
    """Text of a module whose `kernel` folds all leaves of a block.

    All its arguments are int64; tables are addresses of int64.

    - ``fold``: address of a kernel of `fold_source`;
    - ``row``: address of ``row(n, table, out)``, which evaluates a formula of n cells of the
      contiguous operands whose addresses are in the table; 0 if the one operand is folded itself;
    - ``operands``: for each operand address, size of a cell, and its strides in bytes;
    - ``count``: of operands;
    - ``shape``, ``ndim``: of the block, reduced axes first;
    - ``reduced``: number of these; ``sides``: of a leaf along them;
    - ``item``: size of a cell that is folded;
    - ``parts``, ``part_items``, ``part_count``: addresses of the parts of the states, each a
      contiguous array (leaves along each reduced axis, kept axes), and the sizes of their cells;
    - ``scratch``, ``size``: memory for one leaf of each operand and of the formula, or more.
    """
    return LEAVES


def formulas_source() -> str:
    """Text of a module whose `kernel` folds columns of formulas: see `fold_formula_columns`."""
    return FORMULAS


def supported(monoid: str, cell: DType, state: DType) -> bool:
    """Whether a fold of cells of this dtype to this state is compiled."""
    if cell.kind in "mM":
        return monoid in OF_TIMES and cell.isnative
    kinds = [cell, *([state[name] for name in state.names] if state.names else [state])]
    if not all(_is_common(dtype) for dtype in kinds):
        return False
    if "nan" in monoid and cell.kind not in "fc":
        return False
    if monoid in VALUES:
        bits = not monoid.startswith("bitwise") or state.kind in "biu"
        return bits and convertible(cell, state)
    if monoid in SPREADS or monoid == "nanmean":
        return convertible(cell, state["sum" if monoid == "nanmean" else "mean"])
    return monoid in PLACES or monoid == "ptp"


def _is_common(dtype: DType) -> bool:
    largest = 16 if dtype.kind == "c" else 8
    return dtype.kind in "biufc" and dtype.itemsize <= largest and dtype.isnative


def convertible(source: DType, target: DType) -> bool:
    """Whether cells become numbers of `target` in one way only, and in one intrinsic."""
    if source == target or target.kind == "b":
        return True
    if target == np.float16 or (target.kind in "iu" and source.kind in "fc"):
        return False
    return source.kind != "c" or target.kind == "c"
