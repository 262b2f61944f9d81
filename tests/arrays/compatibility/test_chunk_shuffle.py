import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ArgumentError, IndexingError

CELLS = np.arange(24).reshape(3, 8)


@pytest.mark.parametrize(
    ("indexer", "chunks"),
    [
        ([[1, 5, 6], [0, 2, 3, 4, 7]], (3, 5)),
        ([[1, 5, 6], [0, 3], [4, 2, 7]], (5, 3)),
        ([[1], [0, 6, 5, 3, 2, 4], [7]], (1, 6, 1)),
        ([np.array([1, 5, 1]), [7]], (4,)),
        ([], (0,)),
    ],
)
def test_groups_lie_in_chunks_together(indexer, chunks):
    x = dt.from_array(CELLS, chunks=((2, 1), (4, 4)))
    found = x.shuffle(indexer, axis=-1)
    places = np.array([place for group in indexer for place in group], int)
    np.testing.assert_array_equal(found.compute(), CELLS[:, places])
    assert found.chunks == ((2, 1), chunks)


@pytest.mark.parametrize(("times", "chunks"), [(1, (3, 2, 3)), (1.4, (5, 3))])
def test_dask_s_setting_says_how_long_chunks_may_be(times, chunks):
    x = dt.from_array(CELLS, chunks=((2, 1), (4, 4)))
    with dask.config.set({"array.chunk-size-tolerance": times}):
        assert x.shuffle([[1, 5, 6], [0, 3], [4, 2, 7]], axis=1).chunks == ((2, 1), chunks)


def test_a_place_must_be_there():
    with pytest.raises(IndexingError):
        dt.shuffle(CELLS, [[8]], 1)
    for indexer in ("s", [3]):
        with pytest.raises(ArgumentError, match="list of lists"):
            dt.shuffle(CELLS, indexer, 1)
    with pytest.raises(ArgumentError, match="auto"):
        dt.shuffle(CELLS, [[1]], 1, chunks=(1,))
