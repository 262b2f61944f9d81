import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import PlanError
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.generators.full import Full, full
from dask_tapestry.operators.views.reverse import Reverse
from dask_tapestry.rewrite.driver import apply_once, brief, rebuilt, rewrite
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rewrite.tuning import LONGEST_CHAIN
from dask_tapestry.teg import Graph, apply, sequence_point


def number(value):
    return full((2,), np.float64(value))


def count_down(node):
    """``full(n) -> full(n - 1)``, to zero."""
    match node.operator:
        case Full() as one if one.scalar > 0:
            return number(one.scalar - 1)
    return None


def undo_reverse(node):
    """``reverse(reverse(x)) -> x``."""
    match node.operator, *(i.operator for i in node.inputs):
        case Reverse(), Reverse():
            return node.inputs[0].inputs[0]
    return None


def flips(x, times):
    for n in range(times):
        x = apply(Reverse((0,) if n % 3 else ()), apply(Reverse((0,)), x))
    return x


def test_rules_are_applied_to_a_fixed_point_and_traced():
    trace = Trace()
    graph = rewrite(Graph([number(3)]), (count_down,), trace)
    assert str(graph) == "%0 = full((2,), 0.0) : float64[2]\nreturn %0"
    assert str(trace).splitlines() == [
        "count_down: full(, (2,), 3.0) -> full(, (2,), 2.0)",
        "count_down: full(, (2,), 2.0) -> full(, (2,), 1.0)",
        "count_down: full(, (2,), 1.0) -> full(, (2,), 0.0)",
    ]
    assert len(trace) == 3


def test_what_reads_a_rewritten_node_reads_the_new_one():
    x = dt.arange(2).node
    graph = rewrite(Graph([apply(Reverse((0,)), flips(number(1), 1))]), (undo_reverse, count_down))
    assert [n.operator.name for n in graph] == ["full", "reverse"]
    assert rewrite(Graph([x]), (undo_reverse,)).roots == (x,)


def test_a_graph_that_no_rule_fits_is_the_same_graph():
    graph = Graph([flips(dt.arange(2).node, 0), number(1)])
    assert rewrite(graph, ()) == graph
    assert rewrite(graph, ()).roots[1] is graph.roots[1]


def test_order_is_kept_and_rewritten():
    x = apply(Reverse((0,)), number(0), after=[sequence_point(number(1))])
    (root,) = rewrite(Graph([x]), (count_down,)).roots
    (point,) = root.after
    assert point.is_sequence_point
    assert [n.operator.scalar for n in point.after] == [0.0]


def test_graphs_may_be_deep():
    x = flips(number(0), 5_000)
    assert rewrite(Graph([x]), (undo_reverse,)).roots == (number(0),)


def test_rules_that_undo_each_other_are_found():
    def up(node):
        match node.operator:
            case Full() as one:
                return number(one.scalar + 1)
        return None

    with pytest.raises(PlanError, match=r"rules do not come to an end at <full .*: up \(\d+ times"):
        rewrite(Graph([number(0)]), (up,))


def test_rules_that_make_graphs_larger_and_larger_are_found():
    """The new input is rewritten, whose new input is rewritten, and so on."""

    def deeper(node):
        match node.operator:
            case Full() as one:
                return apply(Reverse((0,)), number(one.scalar + 1))
        return None

    with pytest.raises(PlanError, match=r"do not come to an end .*: deeper \(\d+ times\)"):
        rewrite(Graph([number(0)]), (deeper,))


def test_a_rule_may_move_a_node_past_many():
    """So does a transpose past formulas: the longer the graph, the longer the chain."""

    def flip_first(node):
        match node.operator, *(i.operator for i in node.inputs):
            case Reverse((0,)) as flip, Reverse(()) as nothing:
                return apply(nothing, apply(flip, *node.inputs[0].inputs))
        return None

    x = number(1)
    for _ in range(3 * LONGEST_CHAIN):
        x = apply(Reverse(()), x)
    graph = rewrite(Graph([apply(Reverse((0,)), x)]), (flip_first,))
    assert graph.roots[0].operator == Reverse(())
    assert len(graph) == 3 * LONGEST_CHAIN + 2


def test_two_rules_that_go_in_a_circle_are_found():
    def other(node):
        match node.operator:
            case Full() as one if one.scalar in (1, 2):
                return number(3 - one.scalar)
        return None

    with pytest.raises(PlanError, match=r"do not come to an end .*: other \(2 times\)"):
        rewrite(Graph([number(1)]), (other,))


def test_a_rule_that_wraps_its_own_node_is_found():
    def wrapped(node):
        return apply(Reverse((0,)), node) if isinstance(node.operator, Full) else None

    with pytest.raises(PlanError, match="do not come to an end"):
        rewrite(Graph([number(1)]), (wrapped,))


def test_a_long_chain_is_no_circle():
    start = float(LONGEST_CHAIN - 1)
    assert rewrite(Graph([number(start)]), (count_down,)).roots == (number(0.0),)


def test_rebuilding_with_the_same_inputs_is_the_node():
    x = flips(number(1), 1)
    assert rebuilt(x, {i: i for i in x.inputs}) is x
    changed = rebuilt(x, {i: number(5) for i in x.inputs})
    assert changed.inputs == (number(5),)
    assert changed.line == x.line


def test_a_brief_text_names_operator_and_inputs():
    x = (dt.asarray(np.ones(3)) + 1).node
    assert isinstance(x.operator, Elementwise)
    assert brief(x) == "elementwise(memory, add($0, 1.0))"


def test_a_sweep_rewrites_each_node_once():
    x, trace = number(3), Trace()
    graph = Graph([apply(Reverse((0,)), x), x])
    assert apply_once(graph, (count_down,), trace).roots == (
        apply(Reverse((0,)), number(2)),
        number(2),
    )
    assert len(trace) == 1
    assert apply_once(graph, ()) == graph


def test_settled_nodes_stay():
    x = number(3)
    graph = Graph([apply(Reverse((0,)), apply(Reverse((0,)), x))])
    assert rewrite(graph, (undo_reverse, count_down), settled=[x]).roots == (x,)


def test_what_replaces_a_node_must_have_its_shape_and_dtype():
    def shorter(node):
        return full((1,), np.float64(5)) if node.type.shape == (2,) else None

    with pytest.raises(PlanError, match=r"rule shorter: it replaces full\(.*float64\[2\].*\[1\]"):
        rewrite(Graph([number(1)]), (shorter,))
