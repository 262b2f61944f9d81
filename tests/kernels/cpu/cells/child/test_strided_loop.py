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


@pytest.mark.parametrize("offset", [0, 2, 3, 7])
@pytest.mark.parametrize(
    ("dtype", "shape"),
    [
        ("u1", (550, 1472)),
        ("f4", (170, 640)),
        ("f8", (41, 1032)),
        ("f8", (1100, 16)),
        ("f8", (81, 1032)),
    ],
)
def test_rows_of_boxes_begin_where_lines_of_a_turned_operand_do(dtype, shape, offset):
    """Columns are whole lines of memory apart, which begin `offset` cells before the first row."""
    dtype = np.dtype(dtype)
    random = np.random.default_rng(3)
    line = 64 // dtype.itemsize
    wide = -(-(shape[0] + offset) // line) * line
    memory = np.empty((shape[1] * wide + line) * dtype.itemsize, np.uint8)
    begin = -memory.ctypes.data % 64
    cells = memory[begin : begin + shape[1] * wide * dtype.itemsize].view(dtype)
    cells[...] = random.integers(0, 100, cells.size)
    turned = cells.reshape(shape[1], wide)[:, offset : offset + shape[0]].T
    y = random.integers(0, 100, shape).astype(dtype)
    with compile_service.mode("wait"):
        row = compile_service.compiled(call_source("add", 2, dtype, dtype), ARITY, "add")
        for operands in ([turned, y], [y, turned]):
            out = np.zeros(shape, dtype)
            assert run_row(row, out, operands)
            np.testing.assert_array_equal(out, turned + y)


@pytest.mark.parametrize("shape", [(41, 1300), (300, 90), (7, 30, 130), (2, 513), (90, 3)])
def test_boxes_along_rows_cover_operands_that_lie_apart_or_are_packed_for_all_rows(shape):
    random = np.random.default_rng(4)
    x, z = random.normal(size=(2, *shape[:-1], 2 * shape[-1]))
    apart = [x[..., : shape[-1]], x[..., ::2], x[..., ::-1][..., : shape[-1]], z[..., 1::2]]
    apart += [np.broadcast_to(y[(0,) * (y.ndim - 1)], shape) for y in apart[1:]]
    with compile_service.mode("wait"):
        row = compile_service.compiled(call_source("add", 2, F8, F8), ARITY, "add")
        for first in apart:
            for second in apart:
                for out in (np.zeros(shape), np.zeros((*shape, 3))[..., 1]):
                    assert run_row(row, out, [first, second])
                    np.testing.assert_array_equal(out, first + second)
