import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.gather import gather
from tests.operators.dimension_numbers import gathered, problems
from tests.operators.indexed import check


def indices_of(data, shape):
    """Starts, some of them out of bounds."""
    generator = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    return generator.integers(-3, 6, shape)


@given(problems(), st.data())
def test_blocks_and_regions_hold_what_the_specification_says(problem, data):
    fields, operand, vectors, sizes, shape = problem
    numbers = DimensionNumbers(**fields)
    x = np.arange(1, 1 + np.prod(operand, dtype=int)).reshape(operand)
    indices = indices_of(data, vectors)
    node = gather(dt.asarray(x).node, dt.asarray(indices).node, numbers, sizes)
    assert node.type.shape == shape
    meaning = gathered(x, indices, numbers, sizes)
    moved = (*numbers.index_map, *numbers.batching_dims)
    part = x[tuple(slice(None if d in moved else n) for d, n in enumerate(sizes))]
    np.testing.assert_array_equal(node.operator.reference(part, indices), meaning)
    check(node, [part, indices], data)


def test_batching_and_free_axes_are_read_alone():
    numbers = DimensionNumbers((2,), (1,), (0,), (0,), (1,), 2)
    x, indices = dt.ones((50, 60, 70)).node, dt.zeros((50, 9), "i8").node
    node = gather(x, indices, numbers, (1, 1, 70))
    box = node.type.box.replace(0, 3, 5).replace(2, 10, 11)
    reads = node.operator.demand(node.input_types, box)
    assert [str(b) for b in reads] == ["[3:5, 0:60, 10:11]", "[3:5, 0:9]"]


def test_names_go_along():
    numbers = DimensionNumbers((1,), (0,), (), (), (0,), 1)
    x = dt.ones((5, 3)).rename("word", "feature").node
    indices = dt.zeros((4,), "i8").rename("position").node
    assert gather(x, indices, numbers, (1, 3)).type.dims == ("position", "feature")


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "c16", "M8[s]", "S5", "U2"])
def test_cells_of_any_dtype(dtype):
    x = np.arange(12).astype("i8").astype(dtype).reshape(4, 3)
    numbers = DimensionNumbers((1,), (0,), (), (), (0,), 1)
    indices = np.array([3, 0, -1])
    found = dt.Array(gather(dt.asarray(x).node, dt.asarray(indices).node, numbers, (1, 3)))
    np.testing.assert_array_equal(found.compute(), x[[3, 0, 0]])
