import numpy as np
import pytest

from dask_tapestry_kernels.cpu.reduction.leaf_pieces import leaf_grid, leaf_pieces


def test_blocks_without_cells_have_no_pieces():
    """Of a kept axis without cells there is nothing to fold."""
    assert list(leaf_pieces((6, 0), (4,), 8, 100)) == []
    assert list(leaf_pieces((0, 3), (4,), 8, 100)) == []


@pytest.mark.parametrize("order", [None, (0, 1, 2), (1, 0, 2), (2, 1, 0)])
@pytest.mark.parametrize("most", [1, 100, 1500, 10**6])
@pytest.mark.parametrize("shortest", [0, 64, 10**4])
def test_pieces_tile_leaves_and_cells(order, most, shortest):
    shape, sides = (10, 7, 9), (4, 2)
    strides = None if order is None else [8 * 1000**rank for rank in order]
    leaves, cells = np.zeros((3, 4, 9), int), np.zeros(shape, int)
    for place, cut in leaf_pieces(shape, sides, 8, most, strides, shortest):
        leaves[place] += 1
        cells[cut] += 1
        assert tuple(s.start for s in cut) == tuple(
            a.start * n for a, n in zip(place, (4, 2, 1), strict=True)
        )
    assert (leaves == 1).all()
    assert (cells == 1).all()


def test_pieces_are_cut_along_memory():
    def sizes(**lying):
        pieces = leaf_pieces((8, 1000), (8,), 8, 8000, **lying)
        return {tuple(s.stop - s.start for s in cut) for _, cut in pieces}

    assert sizes() == {(8, 125)}
    assert sizes(strides=(8, 64)) == {(8, 125)}
    assert sizes(strides=(8000, 8), shortest=4000) == {(8, 500)}
    assert sizes(strides=(8000, 8), shortest=8000) == {(8, 1000)}


def test_a_box_has_leaves_that_end_with_it():
    assert leaf_grid((10, 7), (4, 7)) == (3, 1)
