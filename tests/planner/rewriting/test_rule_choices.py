from typing import NamedTuple

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.views.reverse import Reverse
from dask_tapestry.planner.abstraction import abstract
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.rewriting.rule_choices import choices_of, forms_of, with_forms
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Form, Graph, apply, sequence_point

X = dt.asarray(np.arange(12.0).reshape(3, 4))


class Choice(NamedTuple):
    name: str
    size: int
    place: int = 0


@dt.rule(on="reduce", kind="choice")
def halves(node):
    """``sum(x) -> sum(x[:n/2]) + sum(x[n/2:])``."""
    if node.operator.monoid != "sum" or node.operator.axes != (0,):
        return None
    x = dt.Array(node.inputs[0])
    middle = x.shape[0] // 2
    return x[:middle].sum(axis=0) + x[middle:].sum(axis=0)


@dt.rule(on="reduce", kind="choice")
def itself(node):
    """``x -> x``, at last."""
    return dt.negative(dt.negative(dt.Array(node)))


@dt.rule(on="reduce")
def no_choice(node):
    """``x -> x``."""
    return node


def simple(x):
    """The node of an array, rewritten."""
    return x.plan(method="none").teg.roots[0]


def test_a_choice_is_a_form():
    node = simple(X.sum(axis=0))
    (form,) = choices_of(node, [no_choice, halves])
    assert (form.name, form.sizes) == ("halves", (1,))
    made = form.make(node, 1)
    assert str(Graph([made])).splitlines() == [
        "%0 = memory() : float64[3, 4]",
        "%1 = view(%0, [0+1*o0, 0+1*o1]) : float64[1, 4]",
        "%2 = reduce(%1, sum, axes=(0,)) : float64[4]",
        "%3 = view(%0, [1+1*o0, 0+1*o1]) : float64[2, 4]",
        "%4 = reduce(%3, sum, axes=(0,)) : float64[4]",
        "%5 = elementwise(%2, %4) : float64[4]  # add(%2, %4)",
        "return %5",
    ]
    assert np.array_equal(dt.Array(made).compute(), np.arange(12.0).reshape(3, 4).sum(0))


def test_where_a_choice_says_nothing_there_is_none():
    assert choices_of(simple(X.max(axis=0)), [halves]) == ()
    assert choices_of(simple(X + 1), [halves]) == ()
    assert choices_of(simple(X.sum(axis=0)), [itself]) == ()
    assert choices_of(simple(X.sum(axis=0))) == ()
    with dt.config(rules=[halves]):
        assert [form.name for form in choices_of(simple(X.sum(axis=0)))] == ["halves"]


def test_a_form_on_other_inputs_is_that_of_the_new_node():
    node, other = simple(X.sum(axis=0)), simple((X + 1).sum(axis=0))
    (form,) = choices_of(node, [halves])
    assert form.make(other, 1) is choices_of(other, [halves])[0].make(other, 1)
    least = simple(X.max(axis=0))
    assert form.make(least, 1) is least


def test_forms_of_operators_come_first(monkeypatch):
    node = simple(X.sum(axis=0))
    own = Form("own", (1, 2), lambda node, size: node)
    monkeypatch.setattr(type(node.operator), "forms", lambda self, inputs: (own,))
    assert [form.name for form in forms_of(node, [halves])] == ["own", "halves"]


def test_what_a_node_follows_its_choice_follows():
    point = sequence_point(dt.arange(3).node)
    node = simple(X.sum(axis=0))
    late = apply(node.operator, *node.inputs, after=[point])
    (form,) = choices_of(late, [halves])
    assert form.make(late, 1).after == (point,)


def test_nodes_take_forms_and_the_trace_says_which():
    x = (X + 1).sum(axis=0)
    graph = Graph([simple(dt.exp(x)), simple(x)])
    trace = Trace()
    node = graph.roots[1]
    formed = with_forms(graph, {node: [Choice("halves", 1)]}, trace, [halves])
    assert [n.operator.name for n in formed].count("reduce") == 2
    (change,) = trace
    assert (change.rule, change.before, change.after) == ("halves", node, formed.roots[1])
    assert change.again(node) is change.after
    assert trace.replay(graph) == formed
    assert with_forms(graph, {}, trace) == graph
    with pytest.raises(dt.PlanError, match=r"reduce\(elementwise, sum.* has no form 'thirds'"):
        with_forms(graph, {node: [Choice("thirds", 1)]}, None, [halves])


def test_a_choice_is_undone_as_forms_are():
    """A plan of a graph that has taken a choice, whose trace says so, computes the first graph."""
    graph = Graph([simple(dt.exp((X + 1).sum(axis=0)))])
    (node,) = [n for n in graph if n.operator.name == "reduce"]
    trace = Trace()
    formed = with_forms(graph, {node: [Choice("halves", 1)]}, trace, [halves])
    plan = build_plan(formed.roots, method="none")
    changed = type(plan)(graph, plan.graph, plan.steps, plan.resources, trace)
    assert abstract(changed) == graph
    assert abstract(plan) != graph


def test_a_choice_of_the_wrong_type_is_refused():
    @dt.rule(on=Reverse, kind="choice")
    def longer(node):
        """``reverse(x) -> x[None]``."""
        return dt.Array(node.inputs[0])[None]

    node = apply(Reverse((0,)), X.node)
    with pytest.raises(dt.PlanError, match="rule longer: it replaces reverse"):
        choices_of(node, [longer])
