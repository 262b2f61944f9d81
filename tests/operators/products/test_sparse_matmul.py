import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.products.sparse_matmul import (
    SparseMatmul,
    product_dtype,
    sparse_matmul,
)
from dask_tapestry.operators.products.sparse_rows import rows_of_cells
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(2)
GRID, TARGET = (12, 10), (7, 9)


def near(count=4):
    """Weights of cells of the grid that lie near each cell of the target, for most of these."""
    rows = np.repeat(np.arange(63), count)
    rows = rows[rows % 11 != 5]
    i, j = np.divmod(rows, 9)
    i = np.minimum(i * 12 // 7 + RANDOM.integers(0, 3, rows.size), 11)
    j = np.minimum(j * 10 // 9 + RANDOM.integers(0, 3, rows.size), 9)
    values = RANDOM.normal(size=rows.size) * 10.0 ** RANDOM.integers(-6, 6, rows.size)
    return rows_of_cells(values, rows, i * 10 + j, (63, 120))


WEIGHTS = near()
X = RANDOM.normal(size=(23, *GRID))
X[RANDOM.random(X.shape) < 0.1] = np.nan


def applied(x, axes, threshold=None, weights=WEIGHTS, shape=TARGET):
    x = dt.asarray(x)
    dtype = product_dtype(weights.values.dtype, x.dtype, threshold is not None)
    known = (weights.values.astype(dtype), weights.columns, weights.starts)
    tables = [dt.asarray(one).node for one in known]
    return dt.Array(sparse_matmul(x.node, weights, tables, axes, shape, threshold))


@pytest.mark.parametrize("threshold", [None, 0.5])
@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "f2", "f4", "f8", "c8"])
def test_the_value_is_the_sum_of_each_row(dtype, threshold):
    x = np.nan_to_num(X) if dtype[0] not in "fc" else X
    made = applied(x.astype(dtype), (1, 2), threshold)
    operator, inputs = made.node.operator, made.node.inputs
    expected = operator.reference(*[dt.Array(one).compute() for one in inputs])
    assert made.dtype == expected.dtype
    np.testing.assert_allclose(made.compute(), expected, rtol=1e-5 if dtype == "f2" else 1e-9)


@pytest.mark.parametrize("threshold", [None, 0.3])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (1, 2, 0), (2, 0, 1)])
def test_every_cut_has_one_value(order, threshold, shardings):
    x = X.transpose(order)
    axes = (order.index(1), order.index(2))
    whole = applied(x, axes, threshold).compute()
    at = min(axes)
    expected = np.moveaxis(applied(X, (1, 2), threshold).compute(), 0, -1 if at == 0 else 0)
    assert same_bits(np.ascontiguousarray(whole), np.ascontiguousarray(expected))
    for chunks in ((23, 12, 10), (5, 12, 10), (23, 5, 3), (4, 7, 10)):
        cut = dt.asarray(x).rechunk(tuple(chunks[axis] for axis in order))
        with shardings.tiny(20_000):
            assert same_bits(applied(cut, axes, threshold).compute(), whole)
    for chunks in ((23, 3, 9), (23, 7, 4), (6, 2, 5)):
        sides = chunks if at else (*chunks[1:], chunks[0])
        assert same_bits(applied(x, axes, threshold).rechunk(sides).compute(), whole)


KEYS = (
    np.s_[3:9, 2:4],
    np.s_[:, 5:1:-2, 1:8:3],
    np.s_[7, 4],
    np.s_[:, :, 6],
    np.s_[2:2],
    np.s_[:, 3:3],
    np.s_[1:, 1:, 1:],
)


@pytest.mark.parametrize("key", KEYS)
def test_a_part_is_computed_of_the_cells_that_it_touches(key):
    made = applied(X, (1, 2))
    assert same_bits(made[key].compute(), made.compute()[key])


def test_a_part_of_a_part_is_one_operator():
    made = applied(X, (1, 2))[:, 1:, 2:][:, ::2, 1:5]
    plan = dt.plan(made)
    assert [n.operator.name for n in plan.core.graph.nodes].count("sparsematmul") == 1
    assert same_bits(made.compute(), applied(X, (1, 2)).compute()[:, 1:, 2:][:, ::2, 1:5])


def test_rows_read_no_more_than_the_box_that_they_touch():
    made = applied(X, (1, 2)).node
    types = made.input_types
    box = dt.ZRange((0, 0, 0), (23, 2, 9))
    read = made.operator.demand(types, box)
    assert read[0].shape[0] == 23
    assert read[0].shape[1] <= 6  # of 12 rows of the grid
    assert read[1].size < WEIGHTS.values.size / 2
    assert read[3].shape == (19,)


def test_columns_that_no_row_touches_are_not_read():
    weights = rows_of_cells(np.ones(2), np.array([0, 1]), np.array([25, 37]), (2, 120))
    made = applied(X, (1, 2), weights=weights, shape=(2,))
    assert made.node.input_types[0].shape == (23, 2, 3)
    expected = [X[:, 2, 5], X[:, 3, 7]]
    assert same_bits(made.compute(), np.stack(expected, -1))


def test_names_of_kept_axes_stay():
    x = dt.asarray(X).rename("time", "lat", "lon")
    assert applied(x, (1, 2)).node.type.dims == ("time", None, None)


def test_chunks_along_kept_axes_are_the_operands():
    x = dt.from_array(X, chunks=(5, 6, 10))
    assert applied(x, (1, 2)).chunks[0] == (5, 5, 5, 5, 3)


@pytest.mark.parametrize("shape", [(0, 12, 10), (1, 12, 10), (3, 12, 10)])
def test_few_or_no_cells(shape):
    assert same_bits(
        applied(X[: shape[0]], (1, 2)).compute(), applied(X, (1, 2)).compute()[: shape[0]]
    )


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(ShapeError, match=r"120 columns.*130 cells along the axes"):
        applied(np.ones((2, 13, 10)), (1, 2))
    with pytest.raises(ShapeError, match=r"63 rows, and an output of shape \(8, 9\) has 72"):
        applied(X, (1, 2), shape=(8, 9))


def test_dtypes_are_scipys():
    kinds = ["?", "i1", "u4", "f4", "f8", "c8", "c16"]
    for weights in kinds:
        for cells in kinds:
            found = product_dtype(np.dtype(weights), np.dtype(cells))
            assert found == np.result_type(weights, cells)
    assert product_dtype(np.dtype("i4"), np.dtype("?"), skipna=True) == np.float64
    for pair in (("M8[s]", "f8"), ("f8", "U3"), ("f8", "O")):
        with pytest.raises(DTypeError, match="are not multiplied"):
            product_dtype(*map(np.dtype, pair))
    with pytest.raises(DTypeError, match="real weights"):
        product_dtype(np.dtype("c8"), np.dtype("f4"), skipna=True)


def test_it_prints_what_it_is():
    node = applied(X, (1, 2)).node
    assert isinstance(node.operator, SparseMatmul)
    assert node.operator.text() == "63 x 120, axes=(1, 2), to [7, 9]"
