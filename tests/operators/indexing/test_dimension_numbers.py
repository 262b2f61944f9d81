import numpy as np
from hypothesis import given

from dask_tapestry.operators.indexing.dimension_numbers import (
    BlockCoordinateSource,
    DimensionNumbers,
)
from dask_tapestry.zspace import ZRange
from tests.operators.dimension_numbers import problems, start_and_rest

RFC = DimensionNumbers((3, 4), (1,), (0,), (1,), (2, 1), 3)


def test_ways_of_the_example():
    assert RFC.batch_axes(5) == (0, 1, 2)
    assert [tuple(way) for way in RFC.ways(4, 5)] == [(1, None), (None, 1), (3, 0), (4, None)]
    assert RFC.cells_shape((2, 2, 3, 2), (2, 2)) == (2, 2, 3, 2, 2)


def test_steps_of_blocks():
    cells, operand = ZRange((0, 1, 0, 0, 1), (2, 2, 3, 2, 2)), ZRange((1, 0, 0, 1), (2, 3, 4, 2))
    steps = RFC.steps((2, 3, 4, 2), (1, 1, 2, 2), cells, operand)
    assert steps[0] == BlockCoordinateSource(
        axis=1, component=None, most=1, extent=2, first=1, origin=1
    )
    assert steps[2] == BlockCoordinateSource(
        axis=3, component=0, most=2, extent=4, first=0, origin=0
    )
    assert steps[3] == BlockCoordinateSource(
        axis=4, component=None, most=0, extent=2, first=1, origin=1
    )


@given(problems())
def test_ways_add_up_to_what_the_specification_says(problem):
    fields, operand, indices, _, shape = problem
    numbers = DimensionNumbers(**fields)
    vectors = np.arange(np.prod(indices, dtype=int)).reshape(indices)
    ways = numbers.ways(len(operand), len(shape))
    for place in np.ndindex(shape):
        start, rest = start_and_rest(place, vectors, numbers, len(operand))
        for dim, way in enumerate(ways):
            assert rest[dim] == (0 if way.axis is None else place[way.axis])
            assert (way.component is None) == (dim not in numbers.index_map)
            assert way.component is not None or start[dim] == 0
