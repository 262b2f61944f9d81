"""Several folds of pieces of blocks in turn, each piece while it is in cache."""

from __future__ import annotations

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_fold
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import turns_at
from dask_tapestry_kernels.elementary.compiled_functions import called, keep_apart


@called(1)
def fold_in_turn(address: int) -> None:
    """Fold piece by piece, each by all folds; at `address` lies a record `leaf_tables.TURNS`."""
    keep_apart()
    call = turns_at(address)
    for piece in range(call.pieces):
        for word in range(call.words):
            put(get(call.places, word), 0, get(call.values, piece * call.words + word))
        for fold in range(call.folds):
            call_fold(call.driver, (get(call.blocks, fold),))
