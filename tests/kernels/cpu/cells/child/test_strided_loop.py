"""Rows over blocks of any strides; over more formulas they are tested in test_compiled_formulas."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.cells.compiled_formulas import run_row
from dask_tapestry_kernels.cpu.cells.rows import ARITY, call_source
from dask_tapestry_kernels.cpu.jit import compile_service

F8 = np.dtype("f8")


@pytest.mark.parametrize("shape", [(5, 7), (40, 600), (3, 20, 30), (2, 3, 4, 5)])
def test_operands_and_result_may_lie_anyhow(shape):
    random = np.random.default_rng(2)
    with compile_service.mode("wait"):
        row = compile_service.compiled(call_source("add", 2, F8, F8), ARITY, "add")
        whole = random.normal(size=[2 * n for n in shape])
        x = whole[tuple(slice(None, None, 2) for _ in shape)]
        y = random.normal(size=shape[::-1]).T
        out = np.zeros([2 * n for n in shape])[tuple(slice(n, None) for n in shape)]
        assert run_row(row, out, [x, y])
    np.testing.assert_array_equal(out, x + y)
