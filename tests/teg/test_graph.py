import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.teg import Graph, sequence_point

DEEP = 100_000


@pytest.fixture(scope="module")
def deep():
    """A chain of additions, each of which reads its predecessor twice."""
    with dt.config(line_numbers=False):
        x = dt.asarray(np.arange(3.0))
        for _ in range(DEEP):
            x = x + x
    return x.teg


def test_a_deep_graph_pickles_as_a_flat_table(deep):
    again = pickle.loads(pickle.dumps(deep))
    assert again == deep
    assert hash(again) == hash(deep)
    assert again.roots[0] is deep.roots[0]


def test_a_deep_graph_prints(deep):
    lines = str(deep).splitlines()
    assert len(deep) == DEEP + 1
    assert (
        lines[-2]
        == f"%{DEEP} = elementwise(%{DEEP - 1}) : float64[3]  # add(%{DEEP - 1}, %{DEEP - 1})"
    )
    assert lines[-1] == f"return %{DEEP}"
    assert repr(deep) == f"<Graph of {DEEP + 1} nodes: elementwise x{DEEP}, memory>"


def test_a_deep_graph_is_planned():
    x = dt.asarray(np.zeros(3))
    for _ in range(10_000):
        x = x + 1
    plan = dt.plan(x)
    plan.verify()
    assert np.array_equal(plan.compute(scheduler="sync"), [10_000.0] * 3)


def test_a_graph_prints_its_values_alone():
    x = dt.asarray(np.ones((2, 3), "f4"), dims=("row", None))
    y = (x.T[::-1] * 2).sum(axis=0)
    assert str(y.teg).splitlines()[1:] == [
        "%1 = permute(%0, (1, 0)) : float32[3, row=2]",
        "%2 = slice(%1, [2::-1, 0:2]) : float32[3, row=2]",
        "%3 = elementwise(%2) : float32[3, row=2]  # multiply(%2, 2.0)",
        "%4 = reduce(%3, sum, axes=(0,)) : float32[row=2]",
        "return %4",
    ]


def test_sequence_points_print_what_they_follow():
    x = dt.ones(2).node
    assert str(Graph([sequence_point(x)])) == (
        "%0 = full((2,), 1.0) : float64[2]\n%1 = sequence() after %0\nreturn %1"
    )


def test_a_graph_is_its_roots():
    x = dt.arange(3)
    assert Graph([x.node]) == x.teg
    assert Graph([x.node, x.node]) != x.teg
    assert x.teg != "x"


def test_consumers_are_listed_for_each_input_they_read():
    x = dt.arange(3)
    joined = dt.concatenate([x, x, x + 1])
    readers = joined.teg.consumers
    names = [n.operator.name for n in readers[x.node]]
    assert sorted(names) == ["concat", "concat", "elementwise"]
    assert readers[joined.node] == []


def test_nodes_come_after_their_inputs():
    x = dt.arange(6).reshape(2, 3)
    graph = ((x + 1) @ (x.T * 2)).teg
    place = {node: i for i, node in enumerate(graph)}
    assert all(place[i] < place[node] for node in graph for i in node.inputs)
