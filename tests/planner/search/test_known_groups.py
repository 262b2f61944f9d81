"""Groups that are known."""

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.planner.search.known_groups import KnownGroup


def test_a_group_is_that_of_its_node_while_what_is_held_behind_and_inside_it_is_as_it_was():
    x = dt.placeholder((100, 100), "f8", (10, 100))
    low = x + 1
    high = dt.sqrt(low * 2)
    node, inner, source = high.node, low.node, x.node
    fused = KnownGroup.of(group_of(node, {source, node}), {source, node})
    assert fused.is_computed_from({source, node})
    assert not fused.is_computed_from({source, inner, node})
    apart = KnownGroup.of(group_of(node, {source, inner, node}), {source, inner, node})
    assert apart.is_computed_from({source, inner, node})
    assert not apart.is_computed_from({source, node})


def test_what_lies_outside_of_the_graph_is_its_own_group_whatever_is_held():
    source = dt.placeholder((100, 100), "f8", (10, 100)).node
    known = KnownGroup.of(group_of(source, {source}), {source})
    assert known.is_computed_from(set())
