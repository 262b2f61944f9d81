"""Pieces of a file, read and folded; more of them are tested in test_file_folds."""

import os

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.file_folds import ARITY, SOURCE
from dask_tapestry_kernels.cpu.reduction.leaf_states import driver_arguments, loops_of
from dask_tapestry_kernels.cpu.reduction.leaf_tables import FILE, record

F8 = np.dtype("f8")


@pytest.mark.skipif(not hasattr(os, "pread"), reason="the system has no pread")
@pytest.mark.parametrize(("pieces", "failed"), [(3, 0), (4, 1)])
def test_states_of_each_piece_follow_those_before(tmp_path, pieces, failed):
    x, piece, states = np.arange(96.0), np.empty(32), np.zeros(4)
    (tmp_path / "x").write_bytes(x.tobytes())
    steps = np.array([8], np.int64)
    with compile_service.mode("wait"):
        native = compile_service.compiled(SOURCE, ARITY, "pieces", 1)
        fold, driver = loops_of("sum", F8, F8, 1)
        block = driver_arguments(fold, [piece], F8, (32,), [states.ctypes.data], [8])
        with open(tmp_path / "x", "rb") as file:
            call = record(
                FILE, file=file.fileno(), at=0, size=256, pieces=pieces, buffer=piece.ctypes.data,
                driver=driver.address, block=block.address, parts=block.parts.ctypes.data,
                steps=steps.ctypes.data, part_count=1, failed=0,
            )  # fmt: skip
            native(call.ctypes.data)
    assert call["failed"] == failed
    assert states.tolist() == [*x.reshape(3, 32).sum(axis=1), 0]
