import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.views.output import Output
from dask_tapestry.operators.views.view import View, ViewAxis
from dask_tapestry.rules.outputs import OUTPUT_RULES, keep_outputs_read
from dask_tapestry.teg import Graph, apply
from dask_tapestry.teg.check import check

from .graphs import after, meaning

X = np.arange(12.0).reshape(6, 2)


@dt.block_operator(
    index={"i": "parallel", "j": "atomic"},
    inputs={"x": "i j"},
    outputs={"pairs": dt.IndexProjection([[2, 0]], [0], [2]), "low": "i", "turned": "j i"},
    dtypes={"pairs": "f8", "low": "f8", "turned": "f8"},
)
def three(x):
    return x.ravel(), x.min(axis=1), x.T


def lines(graph):
    return str(graph).splitlines()


def test_keep_outputs_read():
    pairs, _, turned = three(X)
    graph = keep_outputs_read(Graph([pairs.node, turned.node]))
    check(graph)
    assert lines(graph)[1:] == [
        "%1 = useroutputs(%0, three -> pairs, turned) : (pairs float64[2], turned float64[2])[6]",
        "%2 = output(%1, pairs) : float64[12]",
        "%3 = output(%1, turned) : float64[2, 6]",
        "return %2, %3",
    ]
    for value, expected in zip(meaning(graph), (X.ravel(), X.T), strict=True):
        np.testing.assert_array_equal(value, expected)


def test_outputs_of_outputs():
    first = three(X)[2].T + 1
    second = three(first)[1]
    graph = keep_outputs_read(Graph([second.node]))
    texts = [n.operator.text() for n in graph if n.operator.name == "useroutputs"]
    assert texts == ["three -> turned", "three -> low"]
    np.testing.assert_array_equal(meaning(graph)[0], (X + 1).min(axis=1))


@pytest.mark.parametrize(
    ("name", "position", "alone"),
    [("svd", 1, "svdvals"), ("qr", 1, "triangle"), ("eigh", 0, "eigvalsh")],
)
@pytest.mark.parametrize("shape", [(5, 5), (3, 4, 4)])
def test_output_alone(name, position, alone, shape):
    """What nobody reads is not computed either."""
    cells = np.random.default_rng(0).normal(size=shape)
    cells = cells + cells.swapaxes(-1, -2)
    parts = getattr(dt.linalg, name)(cells)
    expected = getattr(np.linalg, name)(cells)[position]
    one = parts[position].node
    graph = keep_outputs_read(Graph([one]))
    check(graph)
    assert graph.roots[0].operator.name == alone
    assert graph.roots[0].type == one.type
    np.testing.assert_allclose(meaning(graph)[0], expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(parts[position].compute(), expected, rtol=1e-12, atol=1e-12)
    both = keep_outputs_read(Graph([part.node for part in parts]))
    assert name in {n.operator.name for n in both}


def test_eigenvalues_beside_vectors_keep_their_order():
    """LAPACK may find them in another order where it is not asked for vectors."""
    values, _ = dt.linalg.eig(np.random.default_rng(1).normal(size=(6, 6)))
    graph = keep_outputs_read(Graph([values.node]))
    assert {n.operator.name for n in graph} == {"memory", "eig", "output"}


def test_what_is_all_read_stays():
    graph = Graph([array.node for array in three(X)])
    assert keep_outputs_read(graph) is graph


def test_output_of_view():
    pairs, low, turned = three(X)
    some = View((2,), (ViewAxis(0, 1, 3),))
    every = View((3,), (ViewAxis(0, 2, 1),))
    for array, view, part in ((low, some, np.s_[1:6:3]), (turned, some, np.s_[:, 1:6:3])):
        node = apply(array.node.operator, apply(view, array.node.inputs[0]))
        assert "view(%2" in after(dt.Array(node), *OUTPUT_RULES)
        graph = Graph([rewritten(node)])
        check(graph)
        np.testing.assert_array_equal(meaning(graph)[0], meaning(array.teg)[0][part])
    node = apply(Output("pairs"), apply(every, pairs.node.inputs[0]))
    np.testing.assert_array_equal(meaning(Graph([rewritten(node)]))[0], X.ravel()[4:10])


def rewritten(node):
    return OUTPUT_RULES[0](node)
