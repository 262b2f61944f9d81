import numpy as np
import pytest

import dask_tapestry as dt

CELLS = np.arange(35.0).reshape(5, 7)


@pytest.fixture
def x():
    return dt.asarray(CELLS).rechunk((2, (3, 1, 3)))


def test_a_block_holds_its_cells(x):
    assert x.blocks.shape == (3, 3)
    assert x.blocks.size == 9
    np.testing.assert_array_equal(x.blocks[1, 2].compute(), CELLS[2:4, 4:])
    np.testing.assert_array_equal(x.blocks[-1].compute(), CELLS[4:])


def test_neighbours_are_taken_together(x):
    np.testing.assert_array_equal(x.blocks[1:, :2].compute(), CELLS[2:, :4])
    assert x.blocks[2:1].shape == (0, 7)


def test_a_list_of_blocks(x):
    made = x.blocks[[2, 0], 1:]
    assert made.chunks == ((1, 2), (1, 3))
    np.testing.assert_array_equal(made.compute(), CELLS[[4, 0, 1], 3:])
    assert x.blocks[np.array([], int)].shape == (0, 7)
    for wrong in (([0], [1]), (None, 0)):
        with pytest.raises(dt.ShapeError):
            x.blocks[wrong]
    with pytest.raises(dt.IndexingError, match="no block 3"):
        x.blocks[[3]]


def test_all_blocks_in_order(x):
    blocks = x.blocks.ravel()
    assert [b.shape for b in blocks[:3]] == [(2, 3), (2, 1), (2, 3)]
    assert sum(float(b.sum()) for b in blocks) == CELLS.sum()


@pytest.mark.parametrize("key", [3, -4, (0, 0, 0), slice(None, None, 2), 1.5])
def test_other_keys_are_refused(x, key):
    with pytest.raises(IndexError):
        x.blocks[key]


def test_a_block_costs_what_its_cells_cost(x):
    assert x.blocks[0, 0].plan().cost["tasks"] == 1


def test_arrays_are_on_the_cpu(x):
    assert x.device == "cpu"
