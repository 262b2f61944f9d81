import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices.row_blocks import (
    triangles_of_blocks,
    turned_columns_of_blocks,
)
from dask_tapestry.planner.cost.footprint import needs_of
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.streaming import block_schedule_of
from tests.comparisons import same_bits
from tests.pieces import pieces_of
from tests.planner.graphs import stored

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


@pytest.mark.parametrize("size", [2**9, 2**12])
def test_blocks_of_a_formula_are_factored_in_turns_to_the_same_bits(size):
    cells = np.random.default_rng(1).normal(size=(2000, 4))
    x = dt.asarray(cells)
    centred = (x - dt.asarray(cells.mean(0))).node
    triangles = triangles_of_blocks(centred, 20)
    turns = dt.asarray(np.tile(2 * np.eye(4), (100, 1))).node
    made = triangles, turned_columns_of_blocks(centred, 20, turns)
    with pieces_of(10**12):
        whole = [dt.Array(one).compute() for one in made]
    with pieces_of(size, always=False):
        for one, known in zip(made, whole, strict=True):
            program = group_of(one, set()).program
            (loop,) = block_schedule_of(program, program.type.box).loops.values()
            assert loop.count > 4
            assert same_bits(dt.Array(one).compute(), known)


def test_a_block_of_a_centred_matrix_takes_little_more_than_its_chunk():
    x = stored((10**6, 100), "f4", (10**5, 100))
    triangles = triangles_of_blocks((x - x.mean(0)).node, 1600)
    (mean,) = [n for n in dt.Array(triangles).teg.nodes if n.operator.called == "mean"]
    program = group_of(triangles, {mean}).program
    box = program.type.box.replace(0, 0, 62 * 100)
    chunk = 10**5 * 100 * 4
    assert chunk < needs_of(program, box, (), local=False).work < 1.6 * chunk
