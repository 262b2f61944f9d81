"""Pieces of a file read into memory that is used again, and folded there."""

from __future__ import annotations

from typing import Any, Final

from numba import types

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import call_fold
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import set_int64 as put
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import FILE, Record, file_at
from dask_tapestry_kernels.elementary.compiled_functions import I64, called, keep_apart

READ: Final[Any] = types.int64(types.int32, types.int64, types.int64, types.int64)
pread: Any = types.ExternalFunction("pread", READ)  # (file, address, bytes, from which byte on)


@called(FILE, result=I64)
def _is_read(call: Record) -> int:
    """Read a piece; return whether all of it is there."""
    got = 0
    while got < call.size:
        some = pread(call.file, call.buffer + got, call.size - got, call.at + got)
        if some <= 0:
            return 0
        got += some
    return 1


@called(1)
def fold_pieces(address: int) -> None:
    """Read and fold piece by piece; at `address` lies a record `leaf_tables.FILE`."""
    keep_apart()
    call = file_at(address)
    for _ in range(call.pieces):
        if not _is_read(call):
            call.failed = 1
            return
        call_fold(call.driver, (call.block,))
        call.at += call.size
        for part in range(call.part_count):
            put(call.parts, part, get(call.parts, part) + get(call.steps, part))
