import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ArgumentError

X = np.arange(63.0).reshape(7, 9) ** 2


def laplacian(block):
    return (
        4 * block
        - np.roll(block, 1, 0) - np.roll(block, -1, 0)
        - np.roll(block, 1, 1) - np.roll(block, -1, 1)
    )  # fmt: skip


@pytest.mark.parametrize("boundary", ["reflect", "periodic", "nearest", 2.0, {0: "none", 1: 1.0}])
@pytest.mark.parametrize("depth", [1, (1, 2), {0: 1, 1: 1}])
def test_a_stencil_is_that_of_dask(depth, boundary):
    theirs = da.from_array(X, chunks=(4, 3)).map_overlap(laplacian, depth, boundary)
    ours = dt.from_array(X, chunks=(4, 3)).map_overlap(laplacian, depth, boundary)
    assert ours.chunks == theirs.chunks
    assert np.array_equal(ours.compute(), theirs.compute())
    older = dt.map_overlap(
        dt.from_array(X, chunks=(4, 3)), laplacian, depth=depth, boundary=boundary
    )
    assert np.array_equal(older.compute(), theirs.compute())


def test_of_several_arrays():
    def both(a, b, times, plus=0):
        return a * times + b[None, :] + plus

    x, y = dt.from_array(X, chunks=(4, 3)), dt.arange(9)
    found = dt.map_overlap(
        both, x, y, 2, depth=[1, {0: 1}], boundary=["reflect", "reflect"], plus=1, dtype=float
    )
    assert np.array_equal(found.compute(), X * 2 + np.arange(9) + 1)
    with pytest.raises(ArgumentError, match="2 arrays"):
        dt.map_overlap(both, x, y, depth=[1], dtype=float)
    with pytest.raises(ArgumentError, match="takes an array"):
        dt.map_overlap(both, 1, 2)


def test_axes_that_are_dropped_or_new():
    x = dt.from_array(X, chunks=(4, 9))
    summed = x.map_overlap(lambda b: b.sum(1), {0: 1}, "nearest", drop_axis=1, dtype=float)
    assert np.array_equal(summed.compute(), X.sum(1))
    wide = x.map_overlap(
        lambda b: np.stack([b, b]), 1, "nearest", new_axis=0, chunks=(2, (6, 5), 11), dtype=float
    )
    assert np.array_equal(wide.compute(), np.stack([X, X]))


def test_results_that_are_trimmed_already():
    x = dt.arange(8).rechunk(4)
    found = x.map_overlap(lambda b: b[1:-1], 1, "periodic", trim=False, chunks=(4,))
    assert found.compute().tolist() == [*range(8)]


def test_a_plan_does_not_grow_with_blocks():
    few, many = (
        dt.ones(n, chunks=10).map_overlap(lambda b: b, 1, "reflect", dtype=float).teg
        for n in (100, 100_000)
    )
    assert len(str(few).splitlines()) == len(str(many).splitlines())


@pytest.mark.parametrize("boundary", ["none", "periodic", 3.0])
def test_chunks_shorter_than_the_depth(boundary):
    x = dt.from_array(X, chunks=((3, 1, 3), (4, 4, 1)))
    found = x.map_overlap(lambda b: b * 2, 3, boundary)
    assert found.chunks == x.chunks
    assert np.array_equal(found.compute(), X * 2)


def test_trimmed_blocks_are_as_long_as_before():
    x = dt.arange(8, chunks=4)
    trimmed = x.map_overlap(lambda b: b[1:-1], 1, "periodic", trim=False)
    assert (trimmed.chunks, trimmed.compute().tolist()) == (((4, 4),), [*range(8)])
    kept = x.map_overlap(lambda b: b, 1, "periodic", trim=False)
    assert (kept.chunks, kept.compute()[:3].tolist()) == (((6, 6),), [7, 0, 1])


def test_arrays_are_cut_at_all_edges():
    x, y = dt.arange(10, chunks=((2, 3, 5),)), dt.arange(10, chunks=((5, 3, 2),))
    made = dt.map_overlap(lambda a, b: a + b, x, y, depth=1, boundary="none")
    assert made.chunks == ((2, 3, 3, 2),)
    np.testing.assert_array_equal(made, np.arange(10) * 2)


@pytest.mark.parametrize("boundary", ["reflect", "periodic", "nearest", "none", 0])
def test_a_depth_beyond_the_array_is_refused(boundary):
    x = dt.ones((4, 6), chunks=2)
    assert dt.map_overlap(np.copy, x, depth=4, boundary=boundary).compute().all()
    with pytest.raises(dt.ShapeError, match="depth 5 is larger than the array along axis 0"):
        dt.map_overlap(np.copy, x, depth=5, boundary=boundary)
    with pytest.raises(dt.ShapeError, match="axis 1, which has 6"):
        dt.overlap.overlap(x, {1: (0, 7)}, boundary)
