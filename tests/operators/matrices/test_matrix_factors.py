"""Factors of stacks and of single matrices: NumPy's values, and no more than is asked for."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices import matrix_factors
from dask_tapestry.operators.matrices.matrix_factors import (
    QR,
    SVD,
    Cholesky,
    Columns,
    PackedQR,
    SingularValues,
)
from dask_tapestry.teg import TensorType, apply
from dask_tapestry.zspace import ZRange
from tests.operators.large import cells, definite

STACK = np.stack([definite(4, "f8", seed) for seed in range(6)])


def test_stacks_are_cut_and_each_matrix_is_whole():
    node = apply(Cholesky(True, False), dt.asarray(STACK).node)
    assert node.operator.granularity(node.input_types) == (1, 0, 0)
    (demand,) = node.operator.demand(node.input_types, ZRange((2, 0, 0), (3, 1, 1)))
    assert demand == ZRange((2, 0, 0), (3, 4, 4))
    assert not node.operator.multithreaded
    assert Cholesky(False, False).multithreaded


def test_a_part_is_computed_of_the_matrices_that_have_cells_in_it():
    x = dt.placeholder((1000, 4, 4), "f8")
    plan = dt.linalg.cholesky(x)[10:20, 1].plan()
    assert "[10, 4, 4]" in str(plan.teg)
    assert "[1000, 4, 4]" not in str(plan.teg).split("cholesky")[1]


def test_of_several_results_those_are_computed_that_are_read():
    x = dt.asarray(cells((5, 7, 3), "f8"))
    _, r = dt.linalg.qr(x)
    assert "triangle(%0) : float64[5, 3, 3]" in str(r.plan().teg)
    np.testing.assert_allclose(r.compute(), np.linalg.qr(x.compute())[1])


@pytest.mark.parametrize("dtype", ["f4", "c8"])
@pytest.mark.parametrize("full", [False, True])
def test_the_types_of_factors(dtype, full):
    x = TensorType((2, 5, 3), np.dtype(dtype))
    operator = SVD(True, ("u", "s", "vh"), full, False)
    shapes = {one.name: one.letters for one in operator.results((x,))}
    assert shapes == {"u": "mm" if full else "mk", "s": "k", "vh": "nn" if full else "kn"}
    assert [one.dtype for one in operator.results((x,))] == [dtype, "f4", dtype]


@pytest.mark.parametrize("mode", ["reduced", "complete", "raw"])
def test_what_a_plan_computes_is_the_operators_meaning(mode):
    x = cells((2, 5, 3), "f8")
    q, r = matrix_factors.qr(dt.asarray(x).node, mode)
    both = q.inputs[0].operator.reference(x)
    for found, name in ((q, "q"), (r, "r")):
        np.testing.assert_array_equal(dt.Array(found).compute(), both[name])


def test_the_meaning_of_operators_with_one_result():
    square, tall, wide = STACK[0], cells((5, 3), "f8"), cells((3, 5), "f8")
    made = [
        (matrix_factors.cholesky(dt.asarray(square).node, True), square),
        (matrix_factors.packed_qr_of(dt.asarray(tall).node), tall),
        (matrix_factors.packed_qr_of(dt.asarray(wide).node), wide),
        (matrix_factors.triangle(dt.asarray(wide).node), wide),
        (matrix_factors.completed_columns(dt.asarray(np.linalg.qr(tall).Q).node), None),
        (matrix_factors.singular_values(dt.asarray(tall).node, False), tall),
        (matrix_factors.packed_lu_of(dt.asarray(tall).node), tall),
    ]
    for node, a in made:
        given = np.linalg.qr(tall).Q if a is None else a
        found = dt.Array(node).compute()
        np.testing.assert_array_equal(found, node.operator.reference(given))
        assert (found.shape, found.dtype) == (node.type.shape, node.type.dtype)


def test_names_of_dimensions_stay_before_the_matrix():
    x = dt.asarray(STACK).node
    named = TensorType(x.type.shape, x.type.dtype, ("time", "row", "column"))
    assert Cholesky(True, False).infer(named).dims == ("time", None, None)
    assert SingularValues(True, False).infer(named).dims == ("time", None)
    assert QR(True, ("q", "r"), "reduced").infer(named).dims == ("time",)


def test_operations_and_memory_are_those_of_the_matrices_of_a_block():
    types = (TensorType((10, 6, 4), np.dtype("f8")),)
    one, ten = (QR(True, ("q", "r"), "reduced").flops(types, ZRange((0,), (n,))) for n in (1, 10))
    assert ten == round(10 * 4.0 * 6 * 4 * 4 / 20)
    assert one == round(ten / 10)
    assert QR(True, ("q", "r"), "reduced").scratch_bytes(types, ZRange((0,), (1,))) == 0
    alone = (TensorType((6, 4), np.dtype("f8")),)
    assert PackedQR(False).scratch_bytes(alone, ZRange((0, 0), (10, 4))) == 2 * 6 * 4 * 8


def test_what_is_single_is_computed_in_double():
    box = ZRange((0, 0), (6, 6))
    double, single = ((TensorType((6, 6), np.dtype(d)),) for d in ("f8", "f4"))
    assert Columns(False).scratch_bytes(double, box) == 2 * 6 * 6 * 8
    converted_and_made = 6 * 6 * 8 + 6 * 6 * 8 - 6 * 6 * 4  # of the result half is returned
    assert Columns(False).scratch_bytes(single, box) == 2 * 6 * 6 * 8 + converted_and_made
    assert Cholesky(False, False).scratch_bytes(single, box) == 6 * 6 * 4  # in its own precision


def test_single_matrices_of_a_stack_are_converted_together():
    types = (TensorType((10, 6, 4), np.dtype("f4")),)
    one, ten = (
        SingularValues(True, False).scratch_bytes(types, ZRange((0, 0), (n, 4))) for n in (1, 10)
    )
    assert one == 6 * 4 * 8 + 4 * 4
    assert ten == 10 * one
