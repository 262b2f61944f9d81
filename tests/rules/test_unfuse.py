from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.planner.rewriting.passes import rewritten
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.unfuse import Unfused, unfused_node
from dask_tapestry.teg import Graph, apply, sequence_point
from dask_tapestry.teg.check import check
from dask_tapestry.teg.node import reapply
from tests.comparisons import same_bits
from tests.covering import seeds_of
from tests.fuzz.programs import drawn_arrays

from .graphs import meaning

X = np.arange(4)


def lines(x):
    return str(Unfused().graph(x.teg)).splitlines()[1:-1]


def fused(*arrays):
    """The graph of arrays, formulas of several functions in it."""
    return rewritten(Graph([x.node for x in arrays]), Trace())


def test_each_function_is_a_node():
    x = dt.asarray(X)
    assert lines(x + 0.5) == [
        "%1 = elementwise(%0) : float64[4]  # float64(%0)",
        "%2 = elementwise(%1) : float64[4]  # add(%1, 0.5)",
    ]
    assert lines((dt.asarray(X.astype("f8")) - 1) * 2) == [
        "%1 = elementwise(%0) : float64[4]  # subtract(%0, 1.0)",
        "%2 = elementwise(%1) : float64[4]  # multiply(%1, 2.0)",
    ]


def test_equal_functions_are_one_node():
    x = dt.asarray(X)
    both = Unfused().graph(Graph([(x + 0.5).node, (x * 0.5).node]))
    assert [n.operator.text() for n in both] == [
        "", "float64($0)", "add($0, 0.5)", "multiply($0, 0.5)",
    ]  # fmt: skip


def test_formulas_that_reductions_read_through_come_before_them():
    x = dt.asarray(X.astype("f8"))
    graph = fused((x * 2).sum(), (x + 1).max())
    together = [n for n in graph if n.operator.name.startswith("joint")]
    assert len(together) == 1
    found = Unfused().graph(graph)
    assert [n.operator.name for n in found] == [
        "memory", "elementwise", "elementwise", "jointreductions", "field", "field",
    ]  # fmt: skip
    assert Unfused().graph(found) == found


def test_a_part_of_a_formula_that_is_constant_stays_in_it():
    f8 = np.dtype("f8")
    builder = CellBuilder((f8,))
    root = builder.call("sqrt", (builder.constant(f8.type(2)),), f8)
    twice = builder.call("multiply", (builder.call("add", (0, root), f8), root), f8)
    x = dt.Array(apply(Elementwise(builder.finish(twice)), dt.asarray(X.astype("f8")).node))
    assert lines(x) == [
        "%1 = elementwise(%0) : float64[4]  # add(%0, sqrt(2.0))",
        "%2 = elementwise(%1) : float64[4]  # multiply(%1, sqrt(2.0))",
    ]
    only = dt.Array(apply(Elementwise(builder.finish(root)), dt.asarray(X.astype("f8")).node))
    assert lines(only) == ["%1 = elementwise(%0, sqrt(2.0)) : float64[4]"]


def test_order_is_kept():
    point = sequence_point(dt.arange(9).node)
    x = (dt.asarray(X) + 0.5).node
    late = reapply(x, x.inputs, [point])
    (root,) = Unfused().graph(Graph([late])).roots
    assert root.after == (point,)
    assert unfused_node(x, x.inputs) is Unfused().node(x)


def test_nodes_stand_for_others():
    x, y = dt.asarray(X), dt.asarray(X)
    assert Unfused({x.node: y.node}).node((x + 1).node) is (y + 1).node


@pytest.mark.parametrize("seed", seeds_of(range(0, 100, 20), 3))
def test_values_and_types_stay(seed):
    for number in range(seed, seed + 20):
        x = drawn_arrays(Random(number), length=5)[-1]
        graph = rewritten(Graph([x.bound]), Trace())
        alone = Unfused().graph(graph)
        check(alone)
        assert alone.roots[0].type[:2] == graph.roots[0].type[:2]
        assert Unfused().graph(alone) == alone
        try:
            before = meaning(graph)
        except (NotImplementedError, KeyError, ValueError):
            continue  # an operator of the program has no NumPy equivalent
        assert all(map(same_bits, before, meaning(alone)))
