"""Folds that take turns on pieces; more of them are tested in test_folds_in_turn."""

import numpy as np

from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.folds_in_turn import ARITY, SOURCE
from dask_tapestry_kernels.cpu.reduction.leaf_states import driver_arguments, loops_of
from dask_tapestry_kernels.cpu.reduction.leaf_tables import TURNS, record

F8 = np.dtype("f8")


def test_words_are_set_before_each_piece_is_folded():
    x, sums, most = np.arange(96.0), np.zeros(4), np.zeros(4)
    with compile_service.mode("wait"):
        native = compile_service.compiled(SOURCE, ARITY, "folds in turn", 1)
        loops = [loops_of(name, F8, F8, 1) for name in ("sum", "max")]
    blocks = [
        driver_arguments(fold, [x[:32]], F8, (32,), [states.ctypes.data], [8])
        for (fold, _), states in zip(loops, (sums, most), strict=True)
    ]
    words = np.array([int(blocks[0].record["operands"]), int(blocks[1].record["operands"]),
                      blocks[0].parts.ctypes.data, blocks[1].parts.ctypes.data])  # fmt: skip
    values = np.array([
        [x[at:].ctypes.data, x[at:].ctypes.data, sums[to:].ctypes.data, most[to:].ctypes.data]
        for at, to in ((32, 0), (64, 2))
    ])  # fmt: skip
    addresses = np.array([block.address for block in blocks])
    call = record(
        TURNS, pieces=2, words=4, places=words.ctypes.data, values=values.ctypes.data, folds=2,
        driver=loops[0][1].address, blocks=addresses.ctypes.data,
    )  # fmt: skip
    native(call.ctypes.data)
    assert sums.tolist() == [x[32:64].sum(), 0, x[64:].sum(), 0]
    assert most.tolist() == [63, 0, 95, 0]
