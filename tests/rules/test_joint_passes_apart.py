from itertools import chain

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.rule_choices import with_forms
from dask_tapestry.planner.rewriting.shared_passes import APART
from dask_tapestry.planner.search.rule_selection import AppliedChoice
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.joint_passes_apart import (
    in_a_pass_of_their_own,
    numbers_of_passes,
    reductions_of_joint_passes,
)
from dask_tapestry.rules.joint_reductions import join_reductions
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits

X, Y = np.random.default_rng(5).normal(size=(2, 900, 70))


def joined(*arrays):
    return join_reductions(Graph([a.node for a in arrays]))


def several():
    """Reductions of two inputs, of each alone and of both, and of neighbours."""
    x, y = dt.asarray(X), dt.asarray(Y)
    near = x - dt.roll(x, 1, axis=0)
    return [x.mean(0), y.std(0), (x * y).sum(0), x.argmax(0), (near * near).mean(0), y.max(0)]


def fields(groups):
    return [[node.operator.field for node in group] for group in groups]


def test_a_pass_of_some():
    x, y = dt.asarray(X), dt.asarray(Y)
    graph = joined((x * y).mean(0), x.max(0), y.min(0))
    done = in_a_pass_of_their_own(tuple(graph.roots[1:]))
    assert str(Graph(list(done.values()))).splitlines()[2:] == [
        "%2 = jointreductions(%0, %1) : void128[70]  "
        "# max of float64(%0), axes=(0,); min of float64(%1), axes=(0,)",
        "%3 = field(%2, f0) : float64[70]",
        "%4 = field(%2, f1) : float64[70]",
        "return %3, %4",
    ]


def test_what_is_alone_is_a_reduction_that_reads_no_more_than_it_needs():
    x, y = dt.asarray(X), dt.asarray(Y)
    graph = joined((x * y).mean(0), y.max(0))
    alone = in_a_pass_of_their_own((graph.roots[1],))[graph.roots[1]]
    assert (alone.operator.monoid, alone.inputs) == ("max", y.max(0).node.inputs)


def test_what_is_of_two_passes_is_in_none():
    x, y = dt.asarray(X), dt.asarray(Y)
    graph = joined(x.sum(0), x.max(0), y.sum(1), y.max(1))
    assert in_a_pass_of_their_own((graph.roots[0], graph.roots[2])) is None
    assert in_a_pass_of_their_own((dt.sum(x).node.inputs[0],)) is None


def test_what_has_one_input_is_together():
    x, y = dt.asarray(X), dt.asarray(Y)
    graph = joined(x.sum(0), y.sum(0), (x * y).sum(0), x.max(0), y.max(0))
    two = reductions_of_joint_passes(graph, 2)
    assert [[sorted(formula_inputs(node)) for node in group] for group in two] == [
        [[0], [0], [1]],
        [[1], [2]],
    ]


def formula_inputs(node):
    together = node.inputs[0]
    formulas = together.operator.formulas(together.input_types)
    return formulas[int(node.operator.field[1:])].used


@pytest.mark.parametrize("most", [1, 2, 3, 4, 6, 9])
def test_each_is_in_one_group(most):
    graph = joined(*several())
    groups = reductions_of_joint_passes(graph, most)
    assert len(groups) <= most
    assert sorted(chain.from_iterable(fields(groups))) == [f"f{n}" for n in range(6)]
    assert max(map(len, groups)) - min(map(len, groups)) <= 6 // most + 1


def test_numbers_of_passes():
    x = dt.asarray(X)
    assert numbers_of_passes(joined(x.sum(0), x.sum(1))) == ()
    assert numbers_of_passes(joined(x.sum(0), x.max(0))) == (2,)
    assert numbers_of_passes(joined(*[(x + n).sum(0) for n in range(6)])) == (2, 4, 6)
    trees = joined(*[(x - dt.roll(x, n, axis=0)).sum(0) for n in range(6)])
    assert numbers_of_passes(trees)[0] >= 2


@pytest.mark.parametrize("most", [1, 2, 3, 6])
def test_values_are_the_same_bits(most):
    arrays = several()
    together = dt.compute(*arrays)
    graph = joined(*arrays)
    done = {}
    for group in reductions_of_joint_passes(graph, most):
        done |= in_a_pass_of_their_own(group)
    apart = dt.compute(*[dt.Array(done[root]) for root in graph.roots])
    for one, other in zip(together, apart, strict=True):
        assert same_bits(one, other)


def test_a_trace_replays_what_was_taken():
    graph = joined(*several())
    groups = reductions_of_joint_passes(graph, 3)
    chosen = {
        node: [AppliedChoice(APART, number)]
        for number, group in enumerate(groups)
        for node in group
    }
    trace = Trace()
    formed = with_forms(graph, chosen, trace)
    assert [node.operator.name for node in formed].count("jointreductions") == 3
    assert [change.rule for change in trace] == [APART] * 6
    assert trace.replay(graph) == formed
