"""Nodes are neighbours where most of what one folds is what the other one folds."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.rules.reduction_node_overlaps import are_neighbours
from dask_tapestry.rules.tuning import FEW_BOXES

X = dt.placeholder((10_000, 70), "f8", (100, 70))


def neighbours(one, other):
    return are_neighbours(one.node, other.node)


def test_nodes_of_shifted_cells_are():
    whole = X.sum(0)
    assert neighbours(whole, X[1:].sum(0))
    assert neighbours(whole, (X[30:] * X[:-30]).mean(0))
    assert neighbours(dt.sqrt(X[2:]).max(0), X[:-2].sum(0))
    assert neighbours(X.sum(), X[:, 1:].sum())


def test_nodes_far_apart_or_of_other_cells_are_not():
    assert not neighbours(X[:5000].sum(0), X[5000:].sum(0))
    assert not neighbours(X[:-300].sum(0), X[300:].sum(0))
    assert not neighbours(X.sum(0), dt.placeholder((10_000, 70), "f8", (100, 70)).sum(0))
    assert not neighbours(X.sum(0), X[::-1][1:].sum(0))


def test_deep_stencils_are_not_followed():
    """Their boxes multiply."""
    u = dt.asarray(np.ones((4000, 4000)))
    for number in range(1, FEW_BOXES):
        u = u[number:] + u[:-number]
    assert not neighbours(u.sum(0), u[1:].sum(0))


def test_boxes_of_a_loop_that_overlap_are_followed_as_one():
    u = dt.placeholder((10_000, 70), "f8", (100, 70))
    folds = []
    for _ in range(5):
        u = dt.roll(u, 1, 0) + dt.roll(u, -1, 0) - 2 * u
        folds.append(u.sum(0))
    assert all(neighbours(folds[0], fold) for fold in folds[1:])
