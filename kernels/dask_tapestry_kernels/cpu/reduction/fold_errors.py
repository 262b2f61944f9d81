"""Floating-point errors of a fold that may be those of NaNs alone, which are none.

Compiled code raises a flag where it compares a NaN, NumPy tells nothing. So where that flag is all
that was raised, a fold is suspected only if its value shows it, or if its formula may be invalid;
then cells with NaNs are told apart from the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.cells import formula_errors
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


def leaves_apart_from_nans(
    blocks: Sequence[Any], parts: Sequence[FoldPart], leaves: Leaves
) -> list[Block]:
    """States of the leaves as if there were other cells where operands hold NaNs.

    The errors of a formula at those cells are told.
    """
    formula = parts[0].expression

    def apart(piece: Sequence[Block], own: Sequence[FoldPart]) -> list[Block]:
        return leaves(formula_errors.tell_apart_from_nans(formula, piece), own)

    return states_by_pieces(blocks, parts, apart)
