"""Running functions over blocks: the same as over whole lanes."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.user_functions.block_scan import scan_blocks

VALUES = np.arange(21.0).reshape(3, 7) - 10


@pytest.mark.covering
@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("chunks", [(1, 3), (2, (1, 1, 5)), (3, 7)])
@pytest.mark.parametrize(
    ("running", "binop", "ident"),
    [(np.cumsum, np.add, 0), (np.maximum.accumulate, np.maximum, -np.inf)],
)
def test_it_is_as_if_lanes_were_whole(axis, chunks, running, binop, ident):
    x = dt.from_array(VALUES, chunks)
    scanned = scan_blocks(x, running, binop, ident, axis, None, None)
    assert scanned.chunks == x.chunks
    np.testing.assert_array_equal(scanned.compute(), running(VALUES, axis=axis))


def test_the_flattened_array():
    scanned = scan_blocks(dt.from_array(VALUES, 2), np.cumsum, np.add, 0, None, "f8", None)
    np.testing.assert_array_equal(scanned.compute(), np.cumsum(VALUES))


def test_what_a_block_carries_on_may_be_told():
    x = dt.from_array(np.arange(8), 3)
    scanned = scan_blocks(x, np.cumsum, np.add, 0, 0, "i8", np.sum)
    np.testing.assert_array_equal(scanned.compute(), np.cumsum(np.arange(8)))


def test_no_cells():
    scanned = scan_blocks(dt.zeros((0, 3)), np.cumsum, np.add, 0, 1, None, None)
    assert scanned.compute().shape == (0, 3)
