from collections import Counter

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import PlanError
from dask_tapestry.planner.rewriting.rule_choices import with_forms
from dask_tapestry.planner.rewriting.shared_passes import (
    ONE_PASS,
    in_order_of_passes,
    offered_passes,
    offered_smaller_passes,
    pass_form,
    passes_of,
)
from dask_tapestry.planner.search.rule_selection import AppliedChoice
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.joint_reductions import join_reductions
from dask_tapestry.teg import Graph


@pytest.fixture
def graph():
    """Two passes, of which the second one reads what the first one yields."""
    x = dt.placeholder((6000, 4000), "f8", stored_chunks=(2000, 2000))
    centred = x - x.mean(0)
    arrays = [centred.max(1), x.sum(), centred.min(), x.mean(0)]
    return Graph([a.node for a in arrays])


def taken(graph):
    return {node: [AppliedChoice(ONE_PASS, n)] for node, n in offered_passes(graph).items()}


def test_passes_are_numbered(graph):
    offered = offered_passes(graph)
    assert sorted(offered.values()) == [1, 1, 2, 2]
    passes = passes_of(graph, {node: form for node, (form,) in taken(graph).items()})
    assert {len(group) for group in passes.values()} == {2}
    assert all(node in group for node, group in passes.items())


def test_a_pass_has_its_reductions_in_the_order_of_the_graph(graph):
    chosen = taken(graph)
    backwards = dict(reversed(list(chosen.items())))
    assert with_forms(graph, chosen) == with_forms(graph, backwards)


def test_what_a_pass_reads_is_rebuilt_before_it(graph):
    order = in_order_of_passes(graph)
    assert set(order) == set(graph.nodes)
    assert all(order.index(x) < order.index(n) for n in order for x in n.inputs)
    trace = Trace()
    formed = with_forms(graph, taken(graph), trace)
    assert [n.operator.name for n in formed].count("tiledreductions") == 2
    assert [(r.type.shape, r.type.dtype) for r in formed.roots] == [
        (r.type.shape, r.type.dtype) for r in graph.roots
    ]
    assert [change.rule for change in trace] == [ONE_PASS] * 4
    assert trace.replay(graph) == formed


def test_the_node_after_is_made_again(graph):
    trace = Trace()
    with_forms(graph, taken(graph), trace)
    assert all(change.again(change.before) is change.after for change in trace)


def test_a_reduction_shares_no_pass_with_cells_that_do_not_end_with_its_own():
    x = dt.placeholder((10**8, 3), "f8", stored_chunks=(1009, 3))
    y = dt.placeholder((10**8, 3), "f8", stored_chunks=(1013, 3))
    nodes = x.sum(0).node, y.max(0).node
    with pytest.raises(PlanError, match="shares no pass"):
        with_forms(Graph(nodes), {node: [AppliedChoice(ONE_PASS, 1)] for node in nodes})
    with pytest.raises(PlanError, match="shares no pass"):
        pass_form(nodes[:1], ONE_PASS, 1).make(nodes[1], 1)


def test_nothing_of_one_reduction():
    assert not offered_passes((dt.asarray(np.ones(8)) * 2).sum().teg)


def test_passes_of_fewer_reductions_are_offered_in_several_ways():
    x = dt.placeholder((6000, 4000), "f8", stored_chunks=(2000, 2000))
    graph = join_reductions(Graph([(x + n).sum(0).node for n in range(6)]))
    offers = list(offered_smaller_passes(graph))
    assert [sorted(Counter(offer.values()).values()) for offer in offers] == [
        [3, 3],
        [2, 2, 2],
        [1] * 6,
    ]
    assert not list(offered_smaller_passes(Graph([x.sum().node])))
