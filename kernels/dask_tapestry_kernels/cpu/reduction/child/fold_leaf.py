"""Leaves of the canonical tree, folded by compiled code: one function for a monoid and dtypes.

The functions serve the texts of `fold_sources`. One column stays in registers (`fold_one_column`),
several columns run through a buffer (`fold_many_columns`), and bricks side by side are folded in
runs (`fold_adjacent_bricks`). All have the bits of `monoids.ARITHMETIC[...].leaf`: the cells go in
turn to 32 lanes, and the lanes are folded by halves.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.reduction.child.fold_argextremes import place_folder
from dask_tapestry_kernels.cpu.reduction.child.fold_one_pass import pass_folder, run_length
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import call_at
from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import LeafPass, passes
from dask_tapestry_kernels.cpu.reduction.column_widths import columns_read_again
from dask_tapestry_kernels.cpu.reduction.supported_folds import PLACES
from dask_tapestry_kernels.elementary.compiled_functions import I64, called

columns = called(3, result=I64)(columns_read_again)


@cache
def folder(monoid: str, cell: str, state: Any) -> Any:
    """The function behind the kernel of `fold_sources.fold_source`, for compiled code to call.

    `cell` and `state` are dtypes as text, a structured state as its fields' ``descr``.
    """
    dtypes = np.dtype(cell), np.dtype(state if isinstance(state, str) else list(state))
    if monoid in PLACES:
        return place_folder(monoid, dtypes[0])
    first, *others = passes(monoid, *dtypes)
    return _two_passes(first, others[0]) if others else _one_pass(first)


def _one_pass(folded: LeafPass) -> Any:
    over, run = pass_folder(folded, folded), run_length(folded.cell.itemsize)

    @called(1)
    def fold(address: int) -> None:
        call, leaf = call_at(address), 0
        while leaf < call.leaves:
            count = run(leaf, call)
            over(leaf, count, 0, call.kept, 0, call)
            leaf += count

    return fold


def _two_passes(first: LeafPass, second: LeafPass) -> Any:
    """The first pass writes the mean, the second reads it; the cells come from a cache then."""
    over, run = pass_folder(first, first), run_length(first.cell.itemsize)
    again, mean, item = pass_folder(second, second), first.places[0], first.cell.itemsize

    @called(1)
    def fold(address: int) -> None:
        call, leaf = call_at(address), 0
        means = get(call.parts, mean)
        while leaf < call.leaves:
            count = run(leaf, call)
            some, k = columns(call.n, item, call.kept), 0
            while k < call.kept:
                own = min(some, call.kept - k)
                over(leaf, count, k, own, 0, call)
                again(leaf, count, k, own, means, call)
                k += own
            leaf += count

    return fold
