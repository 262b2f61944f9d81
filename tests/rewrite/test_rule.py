import dask_tapestry as dt
from dask_tapestry.operators.cells.elementwise import Elementwise
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.operators.views.reverse import Reverse
from dask_tapestry.operators.views.view import ViewSelector
from dask_tapestry.rewrite.driver import read_often, rewrite
from dask_tapestry.rewrite.rule import Rules, begins_at, on, takes_shared
from dask_tapestry.teg import Graph, apply


def anywhere(node):
    """``x -> x``."""
    return node


def flip(x):
    return apply(Reverse((0,)), x)


def test_a_rule_begins_at_the_operators_that_it_names():
    @on(Full, ViewSelector)
    def named(node):
        return node

    assert [begins_at(named, op) for op in (Full, Reverse, Elementwise)] == [True, True, False]
    assert begins_at(anywhere, Elementwise)
    rules = Rules((anywhere, named))
    assert [rule for rule, _ in rules.of(Full)] == [anywhere, named]
    assert [rule for rule, _ in rules.of(Elementwise)] == [anywhere]
    assert rules.of(Elementwise) is rules.of(Elementwise)


def test_only_rules_that_ask_are_told_what_is_shared():
    seen = []

    @on(Reverse, sharing=True)
    def look(node, shared):
        seen.append(node.inputs[0] in shared)

    assert takes_shared(look)
    assert not takes_shared(anywhere)
    assert Rules((anywhere, look)).take_shared
    x, y = dt.arange(3).node, dt.arange(4).node
    rewrite(Graph([flip(x), x, flip(y)]), (anywhere, look))
    assert sorted(seen) == [False, True]


def test_what_is_read_twice_by_one_reader_is_shared():
    x = (dt.arange(3) + 1).node
    twice = apply(Elementwise((dt.Array(x) + dt.asarray([1, 2, 3])).node.operator.expression), x, x)
    assert read_often(Graph([twice])) == {x}


def test_sharing_goes_over_to_what_replaces_a_node():
    """A rule that looks at an input sees the new node, whose readers are the old one's."""
    seen = []

    @on(Full)
    def count_down(node):
        return dt.full(2, node.operator.scalar - 1).node if node.operator.scalar > 0 else None

    @on(Reverse, sharing=True)
    def look(node, shared):
        seen.append((int(node.inputs[0].operator.scalar), node.inputs[0] in shared))

    shared, alone = dt.full(2, 3).node, dt.full(2, 2).node
    rewrite(Graph([flip(shared), shared]), (count_down, look))
    assert seen == [(0, True)]
    rewrite(Graph([flip(alone)]), (count_down, look))
    assert seen[1:] == [(0, False)]


def test_a_node_made_by_a_rule_stands_where_the_old_one_was_written():
    @on(Full)
    def count_down(node):
        return dt.full(2, node.operator.scalar - 1).node if node.operator.scalar > 76 else None

    old = dt.full(2, 77.5).node
    (root,) = rewrite(Graph([old]), (count_down,)).roots
    assert root.line == old.line
    assert __file__ in root.line
