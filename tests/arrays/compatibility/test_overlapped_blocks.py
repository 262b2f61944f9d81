import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(63.0).reshape(7, 9)


@pytest.mark.covering
@pytest.mark.parametrize("boundary", ["none", "reflect", "periodic", "nearest", 7.5])
@pytest.mark.parametrize("depth", [1, 2, {0: 2}, {1: 3}, (0, 1)])
@pytest.mark.parametrize("chunks", [(4, 3), (7, 9), ((3, 4), (3, 6))])
def test_blocks_are_those_of_dask(chunks, depth, boundary):
    x = da.from_array(X, chunks=chunks)
    theirs = da.overlap.overlap(x, depth, boundary, allow_rechunk=False)
    ours = dt.overlap.overlap(dt.from_array(X, chunks=chunks), depth, boundary)
    assert ours.chunks == theirs.chunks
    assert np.array_equal(ours.compute(), theirs.compute())
    back = dt.overlap.trim_overlap(ours, depth, boundary)
    assert back.chunks == x.chunks
    assert np.array_equal(back.compute(), X)


def test_more_on_one_side():
    x = dt.arange(6).rechunk(2)
    seen = dt.overlap.overlap(x, {0: (2, 0)}, "none")
    assert [b.compute().tolist() for b in seen.blocks] == [[0, 1], [0, 1, 2, 3], [2, 3, 4, 5]]
    assert dt.overlap.trim_internal(seen, {0: (2, 0)}).compute().tolist() == [*range(6)]


def test_further_than_the_neighbour():
    seen = dt.overlap.overlap(dt.arange(6).rechunk(2), 3, "none")
    assert [b.compute().tolist() for b in seen.blocks] == [
        [0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5],
    ]  # fmt: skip


def test_too_small_to_be_trimmed():
    with pytest.raises(ValueError, match="fewer cells"):
        dt.overlap.trim_overlap(dt.arange(4).rechunk(2), 3, "reflect")
