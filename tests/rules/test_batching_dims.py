import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.cells.cell_updates import cell_update
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.gather import gather
from dask_tapestry.operators.indexing.scatter import scatter
from dask_tapestry.rewrite.driver import rewrite
from dask_tapestry.rules.batching_dims import counted_along, decompose_batching, recover_batching
from dask_tapestry.rules.views import VIEW_RULES
from tests.operators.dimension_numbers import problems

from .graphs import after, graph_of, meaning


def drawn(problem, data):
    """A gather and a scatter of a problem, and their inputs."""
    fields, operand, vectors, sizes, shape = problem
    numbers = DimensionNumbers(**fields)
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x, updates = generator.normal(size=operand), generator.normal(size=shape)
    indices = generator.integers(-3, 6, vectors).astype(data.draw(st.sampled_from(["i1", "i8"])))
    tensors = [dt.asarray(one).node for one in (x, indices, updates)]
    add = [cell_update("add", x.dtype)]
    both = (
        gather(*tensors[:2], numbers, sizes),
        *scatter(tensors[:1], tensors[1], tensors[2:], numbers, add),
    )
    return [dt.Array(node) for node in both]


@given(problems(), st.data())
def test_decomposed_ones_have_the_same_value(problem, data):
    graph = graph_of(*drawn(problem, data))
    plain = rewrite(graph, [decompose_batching])
    for node in plain:
        if node.operator.name in ("gather", "scatter"):
            assert node.operator.numbers.batching_dims == ()
    for one, other in zip(meaning(graph), meaning(plain), strict=True):
        np.testing.assert_array_equal(one, other)


@given(problems(), st.data())
def test_and_are_found_again(problem, data):
    graph = graph_of(*drawn(problem, data))
    plain = rewrite(graph, [decompose_batching])
    back = rewrite(plain, [*VIEW_RULES, recover_batching])
    for one, other in zip(meaning(graph), meaning(back), strict=True):
        np.testing.assert_array_equal(one, other)
    count = len(problem[0]["batching_dims"])
    for node in back:
        if node.operator.name in ("gather", "scatter"):
            assert len(node.operator.numbers.batching_dims) == count


def names(**more):
    rows = {"offset_dims": [], "collapsed_slice_dims": [0, 1], "start_index_map": [0, 1]}
    return rows | {"index_vector_dim": 1, "slice_sizes": [1, 1]} | more


def test_coordinates_of_users_are_batching_dims():
    x, places = dt.asarray(np.arange(12.0).reshape(4, 3)), dt.asarray([2, 0, 1, 1])
    indices = dt.stack([dt.arange(4), places], axis=1)
    found = dt.stablehlo.gather(x, indices, **names())
    text = str(found.plan().teg)
    assert "concat" not in text
    assert "arange" not in text
    assert found.compute().tolist() == [2, 3, 7, 10]


def test_a_column_that_is_all_there_is():
    indices = dt.stack([dt.arange(4), dt.arange(4)], axis=1)
    square = dt.asarray(np.arange(16.0).reshape(4, 4))
    found = dt.stablehlo.gather(square, indices, **names())
    assert found.compute().tolist() == [0, 5, 10, 15]
    line = {"offset_dims": [], "collapsed_slice_dims": [0], "start_index_map": [0]}
    found = dt.stablehlo.gather(
        dt.asarray([3, 1, 2]), dt.arange(3), index_vector_dim=1, slice_sizes=[1], **line
    )
    assert "arange" not in str(found.plan().teg)
    assert found.compute().tolist() == [3, 1, 2]


@pytest.mark.parametrize("line", [dt.arange(1, 5), dt.arange(0, 8, 2), dt.asarray([0, 1, 2, 3])])
def test_other_columns_stay(line):
    x = dt.zeros((4, 3))
    indices = dt.stack([line, dt.asarray([2, 0, 1, 1])], axis=1)
    found = dt.stablehlo.gather(x, indices, **names())
    assert "concat" in after(found, *VIEW_RULES, recover_batching)


def test_extents_must_be_equal():
    indices = dt.stack([dt.arange(4), dt.asarray([2, 0, 1, 1])], axis=1)
    found = dt.stablehlo.gather(dt.ones((5, 3)), indices, **names())
    assert "concat" in after(found, *VIEW_RULES, recover_batching)


def test_what_counts():
    assert counted_along(dt.arange(5).node) == 0
    assert counted_along(dt.arange(5, dtype="f8").node) is None
    assert counted_along(dt.arange(5)[::-1].node) is None
    assert counted_along(dt.arange(5)[1:].node) is None
    assert counted_along(dt.arange(5)[:3].node) == 0
    assert counted_along(dt.arange(300).astype("i1").node) is None
    assert counted_along(dt.arange(100).astype("i1")[None, :].node) == 1
    assert counted_along(dt.ones(3).node) is None
