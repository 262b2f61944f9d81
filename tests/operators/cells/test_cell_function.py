import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.cells.cell_function import cell_function, packed
from dask_tapestry.teg import Progression, Region
from tests.operators.blocks import by_blocks, on_region

X = np.arange(12.0).reshape(3, 4)
TWICE = np.frompyfunc(lambda a, b: 2 * a + b, 2, 1)


@pytest.mark.parametrize("step", [1, 2, 9])
def test_block_by_block(step):
    (node,) = cell_function(TWICE, [dt.asarray(X).node, dt.asarray(X[0]).node])
    assert (node.type.shape, node.type.dtype) == ((3, 4), np.dtype(object))
    found = by_blocks(node, (X, np.broadcast_to(X[0], X.shape)), step)
    assert found.dtype == object
    assert np.array_equal(found, 2 * X + X[0])


def test_a_region_is_that_of_its_inputs():
    (node,) = cell_function(TWICE, [dt.asarray(X).node, 3])
    region = Region([Progression(0, 2, 2), Progression(1, 2, 2)])
    made, yields = on_region(node, (X,), region)
    assert yields == region
    assert np.array_equal(made, (2 * X + 3)[::2, 1::2])


def test_scalars_stay_weak_and_results_may_be_several():
    both = np.frompyfunc(lambda a: (a, a > 3), 1, 2)
    whole, large = cell_function(both, [dt.asarray(X).node])
    assert (whole.type.dtype, large.type.dtype) == (np.dtype(object), np.dtype(object))
    assert np.array_equal(dt.Array(large).compute(), X > 3)


def test_what_a_python_function_returns_are_objects_as_numpys():
    x = dt.asarray(X).node
    for function in (
        lambda a: "text",
        lambda a: [a],
        lambda a: 1 if a < 5 else 0.5,
        lambda a: None,
    ):
        made = np.frompyfunc(function, 1, 1)
        found = dt.Array(cell_function(made, [x])[0]).compute()
        assert (found.dtype, found.tolist()) == (np.dtype(object), made(X).tolist())


def test_a_function_that_cannot_be_tried_is_refused():
    with pytest.raises(dt.SignatureError, match="no such"):
        cell_function(np.frompyfunc(lambda a: {}["no such"], 1, 1), [dt.asarray(X).node])


def test_one_cell_is_an_array_too():
    for function in (lambda a: [a], lambda a: a * 2):
        found = cell_function(np.frompyfunc(function, 1, 1), [dt.asarray(3.0).node])[0]
        assert dt.Array(found).compute() == function(3.0)


def test_python_functions_travel_and_are_known_by_their_value():
    first, again = (cell_function(TWICE, [dt.asarray(X).node, 1])[0] for _ in range(2))
    assert first.form == again.form
    far = pickle.loads(pickle.dumps(first.operator.function))
    assert np.array_equal(far(X), 2 * X + 1)


def test_no_cells():
    (node,) = cell_function(TWICE, [dt.ones((0, 3)).node, 1])
    assert dt.Array(node).compute().shape == (0, 3)


def test_packed_cells_are_fields():
    node = packed([dt.asarray(X).node, dt.asarray(np.int8(3)).node])
    made = dt.Array(node).compute()
    assert made.dtype == [("value0", "f8"), ("value1", "i1")]
    assert np.array_equal(made["value0"], X)
    assert (made["value1"] == 3).all()
