import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.symmetric_products import share_turned_formulas
from dask_tapestry.teg import Graph
from dask_tapestry.teg.check import check

from .graphs import meaning

X = np.random.default_rng(0).normal(size=(50, 4))
STACK = np.random.default_rng(1).normal(size=(3, 5, 4))


def rewritten(*arrays):
    graph = simplified(Graph([array.node for array in arrays]), Trace())
    check(graph)
    return graph


def formulas(graph):
    return [node for node in graph.nodes if node.operator.name == "elementwise"]


GRAMS = {
    "centred": lambda x: (x - x.mean(axis=0), (1, 0)),
    "scaled rows": lambda x: (x * x.sum(axis=1, keepdims=True) + 1, (1, 0)),
    "a formula alone": lambda x: (dt.exp(x), (1, 0)),
}


@pytest.mark.parametrize("name", GRAMS)
@pytest.mark.parametrize("is_wide", [False, True])
def test_a_formula_times_itself_turned_is_computed_once(name, is_wide):
    off, axes = GRAMS[name](dt.asarray(X))
    product = off @ off.transpose(axes) if is_wide else off.transpose(axes) @ off
    graph = rewritten(product)
    assert len(formulas(graph)) == len(formulas(rewritten(off)))
    cells = off.compute()
    expected = cells @ cells.T if is_wide else cells.T @ cells
    np.testing.assert_allclose(meaning(graph)[0], expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(product.compute(), expected, rtol=1e-12, atol=1e-12)


def test_stacks_are_turned_too():
    off = dt.asarray(STACK) - 1
    product = off.transpose((0, 2, 1)) @ off
    assert len(formulas(rewritten(product))) == 1
    cells = STACK - 1
    np.testing.assert_allclose(product.compute(), cells.transpose(0, 2, 1) @ cells, rtol=1e-12)


@pytest.mark.parametrize(
    "others",
    [
        lambda x: [(x + 1).T @ (x + 2)],
        lambda x: [(x + 1).T @ (x[::-1] + 1)],
        lambda x: [(x + 1).T @ (x + 1), (x + 1).T.sum(axis=1)],
        lambda x: [(x[:4] + 1) @ (x[:4] + 1)],
        lambda x: [(x + 1).T, (x + 1).T @ (x + 1)],
    ],
)
def test_others_stay(others):
    """Other cells, or formulas that somebody else reads, to fold them in a loop of their own."""
    arrays = others(dt.asarray(X))
    graph = rewritten(*arrays)
    assert share_turned_formulas(graph) is graph
    for array, value in zip(arrays, meaning(graph), strict=True):
        np.testing.assert_allclose(array.compute(), value, rtol=1e-12, atol=1e-12)


def test_of_a_square_that_is_turned_shapes_tell_nothing():
    x = dt.asarray(X[:4])
    product = (x + x.T).T @ (x + x.T)
    expected = (X[:4] + X[:4].T) @ (X[:4] + X[:4].T)
    np.testing.assert_allclose(product.compute(), expected, rtol=1e-12)
    other = (x - x.T).T @ (x - x.T)
    expected = (X[:4] - X[:4].T).T @ (X[:4] - X[:4].T)
    np.testing.assert_allclose(other.compute(), expected, rtol=1e-12)
