import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.user.output import Output
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
