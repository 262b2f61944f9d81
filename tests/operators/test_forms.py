"""Every form of every operator, in every size, has the operator's value."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.order_statistics import ranks
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.operators.sort import argsort, sort
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.joint_reductions import join_reductions
from dask_tapestry.teg import Graph, apply, sequence_point
from tests.comparisons import same_bits
from tests.operators.monoid_names import monoids_of

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(3, 5000)) * 10.0 ** RANDOM.integers(-8, 8, (3, 5000))
SMALL = X[:, :70]
TIES = RANDOM.integers(0, 50, (3, 40, 2))
LONG = RANDOM.normal(size=(4, 700))


def forms(node):
    """The forms of a node by name."""
    return {form.name: form for form in node.operator.forms(node.input_types)}


def node_of(value):
    return dt.asarray(value).node


def _joint():
    """Two reductions of one input, folded together."""
    x = dt.asarray(X)
    graph = join_reductions(Graph([x.sum(1).node, x.max(1).node]), Trace())
    return next(n for n in graph.nodes if n.operator.name == "jointreductions")


NODES = {
    **{
        f"{name} {axis}": (lambda name=name, axis=axis: reduce(node_of(X), name, axis))
        for name in monoids_of("f8")
        for axis in (None, 1)
    },
    "joint": lambda: _joint(),
    "bincount": lambda: dt.bincount(dt.asarray(TIES.ravel()), minlength=50).node,
    "matmul": lambda: dt.matmul(np.arange(24.0).reshape(4, 6), np.arange(18.0).reshape(6, 3)).node,
    "booleans": lambda: dt.matmul(np.eye(4, dtype=bool), np.ones((4, 3), bool)).node,
    **{
        f"cumsum {dtype}": (lambda dtype=dtype: dt.cumsum(dt.asarray(LONG.astype(dtype)), 1).node)
        for dtype in ("f8", "f2", "i1", "c16")
    },
    **{f"sort {axis}": (lambda axis=axis: sort(node_of(TIES), axis)) for axis in range(3)},
    **{f"argsort {axis}": (lambda axis=axis: argsort(node_of(TIES), axis)) for axis in range(3)},
    **{
        f"ranks {axis}": (lambda axis=axis: ranks(node_of(TIES), (0, -1), axis))
        for axis in range(3)
    },
}


def every_form(node):
    """The node in each form and size, and in forms of these."""
    for form in forms(node).values():
        for size in form.sizes:
            made = form.make(node, size)
            yield made
            for again in forms(made).values():
                yield again.make(made, again.sizes[len(again.sizes) // 2])


@pytest.mark.parametrize("name", NODES)
def test_the_value_and_type_stay(name):
    node = NODES[name]()
    expected = dt.Array(node).compute()
    for made in every_form(node):
        assert made.type == node.type
        assert same_bits(dt.Array(made).compute(), expected)


@pytest.mark.parametrize("name", ["sum 1", "matmul", "cumsum f8", "sort 1", "ranks 1"])
def test_there_are_forms_from_coarse_to_fine(name):
    node = NODES[name]()
    assert forms(node)
    for form in forms(node).values():
        assert len(set(form.sizes)) == len(form.sizes)
        pieces = [_first_added(form.make(node, size), node) for size in form.sizes]
        assert pieces == sorted(pieces)


def _first_added(made, node):
    known = set(Graph(node.inputs).nodes)
    return next(n for n in Graph([made]).nodes if n not in known).type.size


@pytest.mark.parametrize(
    "node",
    [
        lambda: reduce(node_of(X[:0]), "sum", 1),
        lambda: reduce(node_of(SMALL), "sum", 1),
        lambda: dt.matmul(np.ones((3, 1)), np.ones((1, 3))).node,
        lambda: dt.cumsum(np.ones(100), 0).node,
        lambda: sort(node_of(np.ones((0, 4))), 1),
    ],
)
def test_what_is_too_small_has_no_form(node):
    assert forms(node()) == {}


def test_what_follows_an_effect_follows_it_in_every_form():
    before = sequence_point(node_of(SMALL))
    for node in (NODES["sum 1"](), NODES["matmul"](), NODES["cumsum f8"]()):
        after = apply(node.operator, *node.inputs, after=(before,))
        made = list(every_form(after))
        assert made
        assert all(before in Graph([one]).nodes for one in made)


def test_a_reduction_in_nodes():
    whole = reduce(node_of(np.ones((90, 70))), "sum", None)
    made = forms(whole)["nodes"].make(whole, 1)
    twice = forms(made)["nodes"].make(made, 3)
    assert str(Graph([twice])).splitlines()[1:] == [
        "%1 = reduce(%0, sum, axes=(0, 1), to level 1) : float64[3, 2]",
        "%2 = reduce(%1, sum, axes=(0, 1), from level 1, to level 3) : float64[2, 1]",
        "%3 = reduce(%2, sum, axes=(0, 1), from level 3) : float64[]",
        "return %3",
    ]
    assert forms(made.inputs[0]) == {}


def test_a_product_in_parts():
    node = NODES["matmul"]()
    made = forms(node)["parts"].make(node, 4)
    assert str(Graph([made])).splitlines()[2:] == [
        "%2 = matmul(%0, %1, parts of 4) : float64[2, 4, 3]",
        "%3 = reduce(%2, sum, axes=(0,)) : float64[4, 3]",
        "return %3",
    ]
    assert forms(made.inputs[0]) == {}


def test_a_scan_of_leaves_and_of_totals():
    node = NODES["cumsum f8"]()
    leaves, totals = (forms(node)[name].make(node, 128) for name in ("leaves", "totals"))
    assert str(Graph([leaves])).splitlines()[1:] == [
        "%1 = leafscan(%0, add, axis=1) : float64[4, 700]",
        "%2 = leafends(%1, axis=1) : float64[4, 5]",
        "%3 = scan(%2, add, axis=1) : float64[4, 5]",
        "%4 = afterleaf(%1, %3, add, axis=1) : float64[4, 700]",
        "return %4",
    ]
    assert str(Graph([totals])).splitlines()[1:] == [
        "%1 = leaftotals(%0, add, axis=1) : float64[4, 6]",
        "%2 = scan(%1, add, axis=1) : float64[4, 6]",
        "%3 = scanafter(%0, %2, add, axis=1) : float64[4, 700]",
        "return %3",
    ]
    assert forms(leaves.inputs[1]) == {}


def test_a_sort_in_columns():
    node = sort(node_of(np.arange(20.0)), 0)
    assert str(Graph([forms(node)["columns"].make(node, 2)])).splitlines()[1:] == [
        "%1 = sortruns(%0, 2 of 12) : float64[2, 2, 6]",
        "%2 = mergeruns(%1) : float64[2, 2, 6]",
        "%3 = mergeruns(%2, halves) : float64[2, 2, 6]",
        "%4 = slice(%3, [0, 0, 0:6]) : float64[6]",
        "%5 = slice(%3, [0:1, 1, None, 0:6]) : float64[1, 1, 6]",
        "%6 = slice(%3, [1:2, 0, None, 0:6]) : float64[1, 1, 6]",
        "%7 = concat(%5, %6, axis=1) : float64[1, 2, 6]",
        "%8 = reshape(%7, (1, 12)) : float64[1, 12]",
        "%9 = sort(%8, axis=1) : float64[1, 12]",
        "%10 = reshape(%9, (12,)) : float64[12]",
        "%11 = slice(%3, [1, 1, 0:6]) : float64[6]",
        "%12 = concat(%4, %10, %11, axis=0) : float64[24]",
        "%13 = slice(%12, [0:20]) : float64[20]",
        "return %13",
    ]
