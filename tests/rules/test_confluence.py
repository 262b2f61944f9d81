"""Rules lead to one graph, in whatever order they are tried and wherever one begins.

Exceptions, for which only the values are compared: `selector_before_elementwise` moves formulas
past selectors, and where that ends depends on what was composed before; a mosaic has no more than
so many pieces; a value without cells becomes a full tensor only when slices are pushed.
"""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import OF_PRODUCTS, SIMPLIFY, written_rules
from dask_tapestry.rewrite.driver import read_often, rebuilt, rewrite
from dask_tapestry.rewrite.rule import begins_at, takes_shared
from dask_tapestry.rules.constants import CONSTANT_RULES
from dask_tapestry.rules.fast_math import FAST_RULES
from dask_tapestry.rules.formula_identities import FORMULA_RULES
from dask_tapestry.rules.tuning import MOST_MOSAIC_PIECES
from dask_tapestry.rules.views import VIEW_RULES, selector_before_elementwise
from dask_tapestry.teg import Graph
from dask_tapestry.teg.check import check
from tests.comparisons import same_bits
from tests.covering import seeds_of
from tests.examples import examples
from tests.fuzz.programs import drawn_arrays

from .graphs import graph_of, meaning
from .test_values import graphs

WRITTEN_RULES = written_rules(gathers=True)
MOST_REWRITES = 3000
MOST_NODES = 50
SELECTORS = tuple(rule for rule in VIEW_RULES if rule is not selector_before_elementwise)
CONFLUENT = {
    "selectors": SELECTORS,
    "constants": CONSTANT_RULES,
    "formulas": FORMULA_RULES,
    "all but one": tuple(rule for rule in SIMPLIFY if rule is not selector_before_elementwise),
}


def anywhere(graph, rules, random):
    """Apply any of `rules` at any node, outputs first or not, until none applies."""
    for _ in range(MOST_REWRITES):
        shared = read_often(graph)
        places = [(n, r) for n in graph for r in rules if begins_at(r, type(n.operator))]
        random.shuffle(places)
        found = ((n, r(n, shared) if takes_shared(r) else r(n)) for n, r in places)
        done = next(({n: new} for n, new in found if new is not None and new is not n), None)
        if done is None:
            return graph
        for node in graph:
            if node not in done:
                done[node] = rebuilt(node, done)
        graph = Graph([done[root] for root in graph.roots])
    raise AssertionError(f"after {MOST_REWRITES} rewrites a rule still applies:\n{graph}")


def shuffled(rules, random):
    rules = list(rules)
    random.shuffle(rules)
    return rules


def program(random):
    """The graph of a random program, or None where it is long or has values without cells."""
    arrays = drawn_arrays(random, length=6)
    graph = Graph([x.bound for x in random.sample(arrays, min(2, len(arrays)))])
    return graph if len(graph) <= MOST_NODES and all(n.type.size for n in graph) else None


@pytest.mark.parametrize("name", CONFLUENT)
@pytest.mark.parametrize("seed", seeds_of(range(0, 100, 25), 2))
def test_random_programs_have_one_normal_form(seed, name):
    rules = CONFLUENT[name]
    for number in range(seed, seed + 25):
        random = Random(number)
        graph = program(random)
        if graph is None:
            continue
        graph = rewrite(graph, VIEW_RULES[:1])
        normal = rewrite(graph, rules)
        assert rewrite(graph, shuffled(rules, random)) == normal
        assert anywhere(graph, shuffled(rules, random), random) == normal


@examples(60)
@given(graphs(), st.sampled_from(sorted(CONFLUENT)), st.randoms(use_true_random=False))
def test_random_graphs_have_one_normal_form(graph, name, random):
    rules = CONFLUENT[name]
    if not all(node.type.size for node in graph):
        return
    graph = rewrite(graph, VIEW_RULES[:1])
    normal = rewrite(graph, rules)
    assert rewrite(graph, shuffled(rules, random)) == normal
    assert anywhere(graph, shuffled(rules, random), random) == normal


@examples(60)
@given(graphs(), st.randoms(use_true_random=False))
def test_any_order_keeps_values(graph, random):
    """Of all rules that keep bits."""
    rules = shuffled(WRITTEN_RULES, random)
    for after in (rewrite(graph, rules), anywhere(graph, rules, random)):
        check(after)
        assert all(map(same_bits, meaning(graph), meaning(after)))


INTEGERS = dt.asarray(np.arange(12).reshape(3, 4))
PRODUCTS = (
    lambda x: (x @ x.T).sum(),
    lambda x: (x @ x.T @ x)[::-1].sum(axis=0),
    lambda x: dt.trace((x.T @ x).T + 0),
    lambda x: dt.diagonal(x @ x.T) * 1,
    lambda x: (x.T @ (x @ x.T)).T.sum(axis=-1) + (x @ x.T).sum(),
)


@pytest.mark.parametrize("make", PRODUCTS)
def test_any_order_of_rules_on_products_keeps_values(make):
    graph = rewrite(graph_of(make(INTEGERS)), WRITTEN_RULES)
    for seed in range(10):
        random = Random(seed)
        rules = shuffled((*OF_PRODUCTS, *WRITTEN_RULES), random)
        for after in (rewrite(graph, rules), anywhere(graph, rules, random)):
            assert all(map(np.array_equal, meaning(graph), meaning(after)))


FAST = (
    lambda x: ((x / 3 * 0.5) ** 2).mean() - (x / 3 * 0.5).mean() ** 2,
    lambda x: dt.broadcast_to(x[0] * 2, (5, 4)).sum(axis=0),
    lambda x: dt.broadcast_to(x, (2, 3, 4)).max(axis=(0, 1)) / 7,
    lambda x: (x * 3.0).sum(axis=1).mean(),
)


@pytest.mark.parametrize("make", FAST)
def test_any_order_of_fast_rules_keeps_values_but_for_rounding(make):
    graph = graph_of(make(INTEGERS.astype("f8")))
    for seed in range(10):
        random = Random(seed)
        rules = shuffled((*FAST_RULES, *WRITTEN_RULES), random)
        for after in (rewrite(graph, rules), anywhere(graph, rules, random)):
            assert all(map(np.allclose, meaning(graph), meaning(after)))


def test_where_a_mosaic_ends_depends_on_the_order():
    """Joins of joins are one mosaic as long as it has few pieces."""
    x = dt.asarray(np.ones((2, 2)))
    small = rewrite(dt.pad(x, 1, mode="edge").teg, SELECTORS)
    assert max(len(node.inputs) for node in small) <= MOST_MOSAIC_PIECES


def test_a_formula_moves_past_a_selector_unless_a_broadcast_takes_it():
    """The exception: both graphs are right; the driver, inputs first, comes to one of them."""
    x = dt.broadcast_to((INTEGERS + 1)[:, :, None], (3, 4, 5))
    found = {str(anywhere(x.teg, VIEW_RULES, Random(seed))) for seed in range(20)}
    assert len(found) == 2
    assert str(rewrite(x.teg, VIEW_RULES)) in found
