import numpy as np

from dask_tapestry.cells import Lattice, Tree, selected_by
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.node_merges import merge, merged_to_levels

SUM = ARITHMETIC["sum"]


def test_neighbours_are_added_and_the_last_of_an_odd_number_passes():
    nodes, first = np.arange(5.0), [0]
    tree = Tree((5 * 1024,))
    assert merge(nodes, SUM, tree, 0, first).tolist() == [1, 5, 4]
    assert merged_to_levels(nodes, SUM, tree, range(3), [0]).tolist() == [10]


def test_axes_take_turns_from_the_last_one():
    nodes = np.arange(6.0).reshape(2, 3)
    tree = Tree((20, 30), lattice=Lattice((10, 10), (0, 0)))
    assert merged_to_levels(nodes, SUM, tree, range(1), [0, 0]).tolist() == [[1, 2], [7, 5]]
    assert merged_to_levels(nodes, SUM, tree, range(2), [0, 0]).tolist() == [[8, 7]]


def test_clipped_nodes_count_the_cells_that_they_have():
    """The variance of 0, 0 and 3, in nodes of one cell and of two."""
    variance = ARITHMETIC["var"]
    tree = Tree((3,), lattice=Lattice((2,), (-1,)))
    state = np.dtype([("mean", "f8"), ("m2", "f8")])
    nodes = np.array([(0.0, 0.0), (1.5, 4.5)], state)
    (root,) = merge(nodes, variance, tree, 0, [0])
    assert root["mean"] == 1
    assert root["m2"] == 6


def test_nodes_without_selected_cells_leave_their_neighbours():
    tree = Tree((4,), lattice=Lattice((1,), (0,)), selected=selected_by(np.array([1, 0, 0, 0]), 0))
    nodes = np.array([3.0, np.nan, np.nan, np.nan])
    assert merged_to_levels(nodes, SUM, tree, range(2), [0]).tolist() == [3]
