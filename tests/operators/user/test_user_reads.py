import dask_tapestry as dt
from dask_tapestry.operators.user.user_reads import moves_by_cells, restricted, with_longer_steps
from dask_tapestry.teg import Progression
from dask_tapestry.zspace import ZRange


def cells(projection, *points):
    return projection.of_range(ZRange(points, [p + 1 for p in points]))


def test_longer_steps_read_what_the_short_ones_did():
    read = dt.IndexProjection([[2, 0], [0, 1]], [1, 0], [3, 1])
    long = with_longer_steps(read, 0, 4)
    both = read.of_range(ZRange((8, 5), (12, 6)))
    assert cells(long, 2, 5) == both
    assert cells(long, 2, 6) == read.of_range(ZRange((8, 6), (12, 7)))


def test_kept_points_read_the_same_cells_counted_from_their_own():
    read = dt.IndexProjection([[2]], [3], [2])
    moved, region = restricted(read, [Progression(1, 2, 3)])  # the points 1, 3 and 5
    (part,) = region
    for number, point in enumerate((1, 3, 5)):
        own, whole = cells(moved, number), cells(read, point)
        assert [part.start + part.step * c for c in range(own.lo[0], own.hi[0])] == list(
            range(whole.lo[0], whole.hi[0])
        )


def test_what_moves_by_cells():
    read = dt.IndexProjection([[1, 0], [0, 2]], [0, 0], [1, 2])
    assert moves_by_cells(read, 0)
    assert not moves_by_cells(read, 1)
