import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.products.matmul import MatMul, product_dtype
from dask_tapestry.teg import TensorType, apply
from tests.operators.blocks import by_blocks

X = np.arange(40.0).reshape(2, 4, 5)
W = np.arange(30.0).reshape(2, 5, 3)


@pytest.mark.parametrize("part", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("step", [1, 2, 9])
def test_products_in_parts_add_up(part, step):
    node = apply(MatMul(X.dtype, part), dt.asarray(X).node, dt.asarray(W).node)
    partial = by_blocks(node, (X, W), step)
    assert np.array_equal(partial, node.operator.reference(X, W))
    assert np.array_equal(partial.sum(axis=0), X @ W)


@pytest.mark.parametrize(
    "shapes", [((), (3,)), ((3,), ()), ((2, 3), (4, 5)), ((3,), (2, 4)), ((2, 2, 3), (3, 3, 4))]
)
def test_shapes_that_do_not_fit_are_refused(shapes):
    with pytest.raises(ShapeError, match="matmul"):
        dt.matmul(*[dt.ones(s) for s in shapes])


def test_dtypes_without_a_product_are_refused():
    for pair in (("M8[s]", "M8[s]"), ("m8[s]", "f8"), ("U1", "U1")):
        with pytest.raises(DTypeError, match="matmul has no loop"):
            product_dtype(*map(np.dtype, pair))


def test_half_precision_is_multiplied_in_single():
    product = dt.matmul(dt.ones((2, 3), "f2"), dt.ones((3, 2), "f2"))
    assert product.dtype == "f2"
    assert "matmul(%" in str(product.teg)
    assert "float32[2, 2]" in str(product.teg)


def test_names_follow_rows_and_columns():
    x = TensorType((2, 3), X.dtype, ("row", "k"))
    w = TensorType((3, 4), X.dtype, ("k", "column"))
    assert MatMul(X.dtype).infer(x, w).dims == ("row", "column")
    assert MatMul(X.dtype, 2).infer(x, w).dims == (None, "row", "column")
    assert MatMul(X.dtype).infer(x, w._replace(dims=("k", "row"))).dims == ("row", None)


def test_a_product_is_transposed_by_exchanging_its_factors():
    x, w = dt.asarray(np.ones((3, 4))), dt.asarray(np.ones((4, 3)))
    product = (x @ w).node
    assert product.operator.transposed_inputs(product.input_types) == (1, 0)
    assert product.operator.in_parts(2).transposed_inputs(product.input_types) == (1, 0)
    total = (x + x).node
    assert total.operator.transposed_inputs(total.input_types) == tuple(range(len(total.inputs)))
