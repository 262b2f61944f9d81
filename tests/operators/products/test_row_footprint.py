import numpy as np
import pytest

from dask_tapestry.operators.products.row_footprint import RowFootprint
from dask_tapestry.operators.products.sparse_rows import rows_of_cells
from dask_tapestry.operators.tuning import MOST_FOOTPRINT_TILES
from dask_tapestry.zspace import ZRange

RANDOM = np.random.default_rng(1)


def random_rows(rows, columns, count=None):
    count = rows if count is None else count
    places = RANDOM.integers(0, rows, count), RANDOM.integers(0, columns, count)
    return rows_of_cells(np.ones(count), *places, (rows, columns))


def touched(weights, shape, grid, box):
    """Coordinates that a box of rows touches, and the range of its cells."""
    numbers = np.arange(np.prod(shape)).reshape(shape)[box.index()].ravel()
    parts = [np.arange(weights.starts[n], weights.starts[n + 1]) for n in numbers]
    cells = np.concatenate([np.empty(0, int), *parts])
    return np.unravel_index(weights.columns[cells], grid), numbers


@pytest.mark.parametrize(
    ("shape", "grid"),
    [((40,), (90,)), ((5000,), (7, 9)), ((50, 70), (30, 20)), ((3, 40, 50), (8, 9, 10))],
)
def test_the_hull_of_a_box_holds_what_its_rows_touch(shape, grid):
    weights = random_rows(int(np.prod(shape)), int(np.prod(grid)))
    footprint = RowFootprint.of(weights, shape, grid)
    assert footprint.low[0].size <= MOST_FOOTPRINT_TILES
    for _ in range(50):
        ends = [sorted(RANDOM.integers(0, n + 1, 2)) for n in shape]
        box = ZRange([int(a) for a, _ in ends], [int(b) for _, b in ends])
        seen = footprint.hull(box)
        coordinates, numbers = touched(weights, shape, grid, box)
        for axis, along in enumerate(coordinates):
            assert not along.size or seen.lo[axis] <= along.min() <= along.max() < seen.hi[axis]
        if numbers.size:
            low, high = footprint.cells(int(numbers[0]), int(numbers[-1]) + 1)
            assert low <= weights.starts[numbers[0]]
            assert weights.starts[numbers[-1] + 1] <= high


def test_the_hull_of_few_rows_is_exact_and_that_of_a_part_lies_in_that_of_all():
    weights = rows_of_cells(np.ones(3), np.array([0, 0, 3]), np.array([5, 7, 2]), (4, 12))
    footprint = RowFootprint.of(weights, (4,), (3, 4))
    assert footprint.hull(ZRange((0,), (1,))) == ZRange((1, 1), (2, 4))
    assert footprint.hull(ZRange((0,), (4,))) == ZRange((0, 1), (2, 4))
    assert footprint.hull(ZRange((1,), (3,))).is_empty
    assert footprint.hull(ZRange((2,), (2,))).is_empty
    assert footprint.cells(0, 1) == (0, 2)
    assert footprint.cells(2, 2) == (0, 0)


@pytest.mark.parametrize(
    ("shape", "grid"), [((0,), (5,)), ((2, 0), (5,)), ((3,), (0,)), ((), (4,))]
)
def test_nothing_is_touched_where_there_is_nothing(shape, grid):
    none = np.empty(0, int)
    size = (int(np.prod(shape)), int(np.prod(grid)))
    footprint = RowFootprint.of(rows_of_cells(none, none, none, size), shape, grid)
    assert footprint.hull(ZRange((0,) * len(shape), shape)).is_empty


def test_equal_footprints_are_one_and_small():
    weights = random_rows(200 * 300, 500)
    first, second = (RowFootprint.of(weights, (200, 300), (20, 25)) for _ in range(2))
    assert first == second
    assert first != RowFootprint.of(weights, (300, 200), (20, 25))
    assert sum(t.nbytes for t in (first.low, first.high, first.marks)) < 10_000
