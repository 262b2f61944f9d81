import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices.row_blocks import (
    triangles_of_blocks,
    turned_columns_of_blocks,
)

X = np.random.default_rng(0).normal(size=(30, 2))


@pytest.mark.parametrize("block_bytes", [100, 10**6])
def test_each_block_of_rows_is_factored_by_itself(block_bytes):
    x = dt.asarray(X).rechunk((7, 1)).node
    with dt.config(block_bytes=block_bytes):
        triangles = dt.Array(triangles_of_blocks(x, 6)).compute()
        turns = dt.asarray(np.tile(2 * np.eye(2), (5, 1))).node
        columns = dt.Array(turned_columns_of_blocks(x, 6, turns)).compute()
    q, r = np.linalg.qr(X.reshape(5, 6, 2))
    np.testing.assert_array_equal(triangles, r.reshape(10, 2))
    np.testing.assert_array_equal(columns, 2 * q.reshape(30, 2))


def test_fewer_rows_need_fewer_blocks():
    x = dt.ones((6000, 2))
    made = dt.Array(triangles_of_blocks(x.node, 6))
    plan = made[10:14].plan()
    plan.verify()
    assert "full((12, 2), 1.0)" in str(plan.teg)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_a_block_takes_the_memory_of_one_matrix_besides(dtype):
    x = dt.asarray(np.ones((30, 2), dtype)).node
    turns = dt.asarray(np.ones((10, 2), dtype)).node
    for made in (triangles_of_blocks(x, 6), turned_columns_of_blocks(x, 6, turns)):
        worked_in = max(8, np.dtype(dtype).itemsize)
        scratch = made.operator.scratch_bytes(made.input_types, made.type.box)
        assert scratch == 6 * 2 * worked_in
