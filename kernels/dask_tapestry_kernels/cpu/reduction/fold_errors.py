"""Floating-point errors of a fold that may be those of NaNs alone, which are none.

Compiled code raises a flag where it compares a NaN, NumPy tells nothing. So where that flag is all
that was raised, a fold is suspected only if its value shows it, or if its formula may be invalid.
Then the cells of the formula are computed first, which tells their errors, and folded for its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.cells import formula_errors
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.cpu.reduction.axis_orders import memory_order
from dask_tapestry_kernels.cpu.reduction.lattice_nodes import Leaves
from dask_tapestry_kernels.cpu.reduction.monoids import FOLD_ERRORS
from dask_tapestry_kernels.cpu.reduction.unread_folds import states_by_pieces
from dask_tapestry_kernels.fold_part import FoldPart

Block = np.ndarray[Any, Any]


def is_quiet(part: FoldPart) -> bool:
    """Whether nothing goes wrong: comparing NaNs raises flags, and is no error."""
    formula = part.expression
    return part.monoid not in FOLD_ERRORS and (formula is None or formula_errors.is_quiet(formula))


def is_valid(part: FoldPart, blocks: Sequence[Any], value: Block) -> bool:
    """Whether nothing invalid has made `value`, or nodes, where no other error is suspected."""
    formula = part.expression
    if formula is not None and not formula_errors.is_valid(formula, blocks):
        return False
    if part.monoid not in FOLD_ERRORS or not _holds_nan(value):
        return True
    return formula_errors.are_finite_or_nan(blocks)


def _holds_nan(value: Block) -> bool:
    if value.dtype.names is not None:
        return any(_holds_nan(value[name]) for name in value.dtype.names)
    return value.dtype.kind in "fc" and bool(np.isnan(value).any())


def leaves_of_formula_cells(
    blocks: Sequence[Any], parts: Sequence[FoldPart], leaves: Leaves
) -> list[Block]:
    """States of the leaves of a formula's cells, which are computed first and tell their errors."""
    formula = parts[0].expression
    if formula is None or formula.chosen is not None:
        return leaves(blocks, parts)

    def in_two_steps(piece: Sequence[Block], own: Sequence[FoldPart]) -> list[Block]:
        return leaves([cells_of(formula, piece)], [p._replace(expression=None) for p in own])

    return states_by_pieces(blocks, parts, in_two_steps)


def cells_of(formula: Any, blocks: Sequence[Block]) -> Block:
    """The cells of a formula, computed in the order in which its operands lie."""
    order = memory_order(blocks)
    in_order = [block.transpose(order) for block in blocks]
    return evaluate(None, *in_order, expression=formula).transpose(np.argsort(order))
