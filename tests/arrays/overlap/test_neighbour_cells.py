import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.halos import Halo
from dask_tapestry.arrays.overlap.neighbour_cells import (
    continued,
    seen_by_blocks,
    with_halos,
    without_halos,
)
from dask_tapestry.errors import ShapeError
from dask_tapestry.zspace import Cuts

ONE_EACH = Halo(1, 1, None, None)


def test_outer_blocks_see_less():
    assert seen_by_blocks(Cuts.of_lengths([2, 2, 1]), ONE_EACH) == [(0, 1), (1, 1), (1, 0)]


def test_what_blocks_see_is_taken_away_again():
    x = dt.arange(5, chunks=2)
    seen = with_halos(x, [ONE_EACH])
    np.testing.assert_array_equal(seen, [0, 1, 2, 1, 2, 3, 4, 3, 4])
    back = without_halos(seen, [[(0, 1), (1, 1), (1, 0)]])
    assert back.chunks == x.chunks
    np.testing.assert_array_equal(back, x)


def test_cells_beyond_the_ends():
    assert continued(dt.arange(2), 0, ONE_EACH) is not None
    np.testing.assert_array_equal(
        continued(dt.arange(3), 0, Halo(1, 2, "wrap", None)), [2, 0, 1, 2, 0, 1]
    )


def test_a_block_without_so_many_cells():
    with pytest.raises(ShapeError, match="a block has fewer cells, 2, than it sees"):
        without_halos(dt.arange(4, chunks=2), [[(2, 1), (0, 0)]])
