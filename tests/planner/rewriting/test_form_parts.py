import gc
import time

import fsspec
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.exchanged_values import (
    EXCHANGED,
    is_exchange,
    is_exchangeable,
    number_of,
)
from dask_tapestry.planner.rewriting.form_parts import parts_of, with_part
from dask_tapestry.planner.rewriting.rule_choices import (
    form_named,
    formed,
    forms_of,
    with_forms,
)
from dask_tapestry.planner.search.choices import FormChoice
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph

PATIENCE = 20.0  # seconds until what nobody needs is gone
CELLS = np.random.default_rng(0).permutation(np.arange(60_000.0))


def sorted_graph():
    x = dt.asarray(CELLS) * 2
    return Graph([dt.sort(x).node])


def test_parts_are_what_a_form_has_made_and_nothing_before():
    (node,) = sorted_graph().roots
    made = form_named(node, "exchange").make(node, 2)
    parts = parts_of(made, node.inputs)
    assert parts[0] is made
    assert not set(parts) & set(Graph(node.inputs).nodes)
    assert [p.operator.name for p in parts].count("sortedruns") == 1
    assert parts_of(node, node.inputs) == [node]


def test_a_part_is_replaced_and_all_that_reads_it():
    (node,) = sorted_graph().roots
    made = form_named(node, "exchange").make(node, 2)
    names = [p.operator.name for p in parts_of(made, node.inputs)]
    twice = with_part(made, node.inputs, names.index("merged"), lambda part: (-dt.Array(part)).node)
    assert twice.type == made.type
    np.testing.assert_array_equal(dt.Array(twice).compute(), -np.sort(2 * CELLS))
    assert with_part(made, node.inputs, 0, lambda part: part) is made


def choices(*names, graph=None):
    """Sorting in two runs, with parts of these names through a store, the last one first."""
    graph = sorted_graph() if graph is None else graph
    (node,) = graph.roots
    parts = parts_of(form_named(node, "exchange").make(node, 2), node.inputs)
    found = sorted(
        ((p.operator.name, at, p) for at, p in enumerate(parts)), key=lambda one: -one[1]
    )
    sides = {"sortedruns": (1, 7000), "exchange": (1, 2), "merged": (500,)}
    taken = [
        FormChoice(EXCHANGED, number_of(sides[name], part.type.shape), at)
        for name, at, part in found
        if name in names
    ]
    return graph, {node: (FormChoice("exchange", 2), *taken)}


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
@pytest.mark.parametrize("names", [("sortedruns",), ("exchange",), ("sortedruns", "exchange")])
def test_what_a_form_holds_on_its_way_goes_through_a_store(tmp_path, scheduler, names):
    graph, forms = choices(*names)
    made, became = formed(graph, forms)
    assert sum(map(is_exchange, made.nodes)) == 2 * len(names)
    assert list(became.values()).count(made.roots[0]) == 1
    with dt.config(temporary_store=tmp_path):
        found = dt.Array(made.roots[0]).compute(scheduler=scheduler)
    np.testing.assert_array_equal(found, np.sort(2 * CELLS))


def test_what_is_stored_at_a_url_is_the_same_and_is_removed():
    graph, forms = choices("sortedruns", "exchange")
    made, _ = formed(graph, forms)
    with dt.config(temporary_store="memory://form_parts"):
        found = dt.Array(made.roots[0]).compute(scheduler="threads")
    np.testing.assert_array_equal(found, np.sort(2 * CELLS))
    del made, graph, forms
    memory, end = fsspec.filesystem("memory"), time.monotonic() + PATIENCE
    while memory.find("/form_parts") and time.monotonic() < end:  # a thread removes it
        gc.collect()
        time.sleep(0.01)
    assert memory.find("/form_parts") == []


def test_a_part_of_a_form_that_leaves_out_what_its_node_read_is_found():
    """Ranks of all cells are counted of the value that was flattened, not of its reshape."""
    x = dt.asarray(CELLS.reshape(200, 300)) * 2
    graph = Graph([dt.percentile(x, 30, method="lower").node])
    ranks = next(n for n in graph.nodes if any(f.name == "digits" for f in forms_of(n)))
    digits = form_named(ranks, "digits")
    size = digits.sizes[0]
    parts = parts_of(digits.make(ranks, size), ranks.inputs)
    assert not set(ranks.inputs) & set(Graph([digits.make(ranks, size)]).nodes)
    at, part = max(
        ((at, part) for at, part in enumerate(parts) if is_exchangeable(part)),
        key=lambda one: one[1].type.size,
    )
    exchange = FormChoice(EXCHANGED, number_of(part.type.shape, part.type.shape), at)
    made, became = formed(graph, {ranks: (FormChoice("digits", size), exchange)})
    assert any(map(is_exchange, made.nodes))
    assert became.keys() == set(graph.nodes)
    assert dt.Array(made.roots[0]).compute() == np.percentile(2 * CELLS, 30, method="lower")


@pytest.mark.parametrize("names", [["sortedruns"], ["sortedruns", "exchange"], ["merged"]])
def test_parts_that_another_form_makes_too_go_through_the_store_once(tmp_path, names):
    """A median sorts what is sorted beside it: all of the one is made for the other."""
    x = dt.asarray(CELLS) * 2
    roots = [dt.sort(x).node, dt.percentile(x, 30, method="lower").node]
    graph = Graph(roots)
    owners = [n for n in graph.nodes if any(f.name == "exchange" for f in forms_of(n))]
    sides = {"sortedruns": (1, 7000), "exchange": (1, 2), "merged": (500,)}
    assert len(owners) == 2
    forms = {}
    for node in owners:
        parts = parts_of(form_named(node, "exchange").make(node, 2), node.inputs)
        places = [at for at, part in enumerate(parts) if part.operator.name in names]
        taken = [
            FormChoice(
                EXCHANGED, number_of(sides[parts[at].operator.name], parts[at].type.shape), at
            )
            for at in sorted(places, reverse=True)
        ]
        forms[node] = (FormChoice("exchange", 2), *taken)
    trace = Trace()
    made = with_forms(graph, forms, trace)
    assert sum(map(is_exchange, made.nodes)) == 2 * len(names)
    assert trace.replay(graph).roots == made.roots
    assert all(change.again(change.before) is change.after for change in trace)
    with dt.config(temporary_store=tmp_path):
        found = dt.compute(*map(dt.Array, made.roots))
    np.testing.assert_array_equal(found[0], np.sort(2 * CELLS))
    assert found[1] == np.percentile(2 * CELLS, 30, method="lower")


def test_what_is_sorted_beside_its_median_goes_through_a_store_for_both():
    x = dt.placeholder((20_000_000, 1), "f8", stored_chunks=(250_000, 1))[:, 0]
    roots = dt.sort(x)[::1000], dt.median(x), x.mean()
    plan = dt.plan(*roots, resources=dt.Resources(2, 2, "300 MB"))
    plan.verify()
    assert plan.cost["bytes_written"]


def test_a_part_that_is_not_there_is_refused():
    graph, forms = choices("exchange")
    ((node, (first, other)),) = forms.items()
    with pytest.raises(dt.PlanError, match="has no part 999"):
        with_forms(graph, {node: (first, other._replace(place=999))})


SORTS = {
    "f8": lambda random, n: np.where(
        random.random(n) < 0.1, np.nan, random.integers(-9, 9, n) * random.choice([1, -0.0], n)
    ),
    "i8": lambda random, n: random.integers(-(2**60), 2**60, n),
    "c8": lambda random, n: (
        random.integers(0, 3, n) + 1j * random.choice([0, 1, np.nan], n)
    ).astype("c8"),
    "?": lambda random, n: random.random(n) < 0.5,
    "M8[s]": lambda random, n: random.integers(0, 99, n).astype("M8[s]"),
    "U3": lambda random, n: random.integers(0, 999, n).astype("U3"),
    "sorted": lambda random, n: np.arange(n),
    "all the same": lambda random, n: np.full(n, 7, "i4"),
}


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("kind", SORTS)
def test_sorts_through_a_store_are_those_of_numpy(tmp_path, kind):
    cells = SORTS[kind](np.random.default_rng(0), 200_000 if kind == "?" else 60_000)
    wanted = np.sort(cells), np.argsort(cells, kind="stable")
    for make, sorted_by_numpy in zip((dt.sort, dt.argsort), wanted, strict=True):
        graph, forms = choices(
            "sortedruns", "exchange", graph=Graph([make(dt.asarray(cells)).node])
        )
        with dt.config(temporary_store=tmp_path):
            found = dt.Array(with_forms(graph, forms).roots[0]).compute()
        np.testing.assert_array_equal(found, sorted_by_numpy)
