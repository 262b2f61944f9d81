import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import IndexingError

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
    assert found.chunks[1] == chunks


def test_a_place_must_be_there():
    for indexer in ([[8]], [3]):
        with pytest.raises(IndexingError):
            dt.shuffle(CELLS, indexer, 1)
    with pytest.raises(IndexingError, match="auto"):
        dt.shuffle(CELLS, [[1]], 1, chunks=(1,))
