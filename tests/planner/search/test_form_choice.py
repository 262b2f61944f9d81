"""Which forms are taken; tests/operators/test_forms.py has their values."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.rewriting.rule_choices import with_forms
from dask_tapestry.planner.search import form_choice
from dask_tapestry.planner.search.choices import FormChoice
from dask_tapestry.planner.search.form_choice import choose_forms
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph
from dask_tapestry.zspace import block_box
from tests.planner.graphs import FAST_STORES, stored
from tests.planner.search.test_pricing import pricing

WIDE = dt.Resources(workers=64, threads=4, memory="16 GiB")


def forms(y, resources=WIDE):
    return choose_forms(Graph([y.node]), pricing(resources))[1]


def test_a_sum_of_everything_is_computed_in_nodes():
    x = stored((100_000, 10_000))
    (choices,) = forms(x.sum()).values()
    assert {c.name for c in choices} == {"nodes"}


def test_operators_that_are_alike_are_decided_together(monkeypatch):
    compared, counts = [], []

    def counting(chooser, node, *others):
        compared.append(node)
        return original(chooser, node, *others)

    original = form_choice._Chooser._compared
    monkeypatch.setattr(form_choice._Chooser, "_compared", counting)
    x = stored((14_600, 300, 400), "f4", (20, 300, 400))
    for months in (4, 12):
        compared.clear()
        masks = [np.arange(14_600) // 30 % months == number for number in range(months)]
        graph = Graph([x[mask].mean(axis=0).node for mask in masks])
        chosen = choose_forms(graph, pricing(WIDE).in_slices)[1]
        assert len(chosen) == months
        assert len(set(chosen.values())) == 1
        counts.append(len(compared))
    assert counts[0] == counts[1]


def test_not_each_product_of_a_loop_is_searched(monkeypatch):
    """The first reads what is stored, the second what the loop has computed, as all others do."""
    searched = []
    original = form_choice._Chooser._best_size

    def counting(chooser, node, *others, **named):
        searched.append(node.type.shape)
        return original(chooser, node, *others, **named)

    monkeypatch.setattr(form_choice._Chooser, "_best_size", counting)
    a, x = stored((40_000, 40_000), "f4", (4000, 4000)), dt.placeholder((40_000,), "f4")
    for _ in range(4):
        x = x + 2 * (a @ x)
    chosen = forms(x)
    assert len(chosen) == 4
    assert len(searched) <= 2


def test_sums_of_several_formulas_along_an_axis_are_searched_once(monkeypatch):
    """A mean is no sum, and cells have other types: what they take of their inputs is alike."""
    searched = []
    original = form_choice._Chooser._best_size

    def counting(chooser, node, *others, **named):
        searched.append(node.operator.called)
        return original(chooser, node, *others, **named)

    monkeypatch.setattr(form_choice._Chooser, "_best_size", counting)
    x = stored((14_610, 721, 1440), "f4", (24, 721, 1440))
    hours = dt.placeholder((14_610, 1, 1), "f4")
    roots = [x.mean(axis=0), (x * hours).sum(axis=0), (x - hours).max(axis=0)]
    chosen = choose_forms(Graph([root.node for root in roots]), pricing(WIDE).in_slices)[1]
    assert len(chosen) == 3
    (levels,) = set(map(tuple, chosen.values()))
    assert {one.name for one in levels} == {"nodes"}
    assert len(searched) == len(levels)


def test_what_is_taken_over_is_looked_for_where_it_does_not_save_as_much(monkeypatch):
    """Of a narrow table a sum is computed whole, which says nothing of a wide one."""
    searched = []
    original = form_choice._Chooser._compared

    def counting(chooser, node, *others):
        searched.append(node.type.shape)
        return original(chooser, node, *others)

    monkeypatch.setattr(form_choice._Chooser, "_compared", counting)
    narrow, wide = stored((100_000, 10), "f8"), stored((100_000, 100_000), "f8")
    choose_forms(Graph([narrow.sum(axis=0).node, wide.sum(axis=0).node]), pricing(WIDE))
    assert {(10,), (100_000,)} <= set(searched)


def test_no_more_sizes_are_looked_at_than_a_step_is_worth(monkeypatch):
    looked_at = []
    original = form_choice._Chooser._formed

    def counting(chooser, node, form, size, *others):
        looked_at.append(size)
        return original(chooser, node, form, size, *others)

    monkeypatch.setattr(form_choice._Chooser, "_formed", counting)
    counts = []
    for worth in (0, 10**9):
        looked_at.clear()
        monkeypatch.setattr(form_choice, "SIZES_WORTH", worth)
        (choices,) = forms(stored((1_000_000, 10_000)).sum()).values()
        assert {c.name for c in choices} == {"nodes"}
        counts.append(len(looked_at))
    assert 0 < counts[0] < counts[1]


def test_no_more_sizes_are_compared_than_costs_are_left(monkeypatch):
    monkeypatch.setattr(form_choice, "SIZES_WORTH", 10**9)
    graph = Graph([stored((1_000_000, 10_000)).sum().node])
    spent = []
    for costs in (0, None):
        known = pricing(WIDE)
        _, chosen = choose_forms(graph, known, costs)
        assert chosen
        spent.append(known.evaluated)
    assert spent[0] < spent[1]


def test_no_step_is_placed_of_a_size_whose_first_steps_are_too_slow():
    x = stored((100_000, 10_000)).sum().node
    (form, *_) = x.operator.forms(x.input_types)
    chooser = form_choice._Chooser(Graph([x]), pricing(WIDE), inf)
    in_form = form.make(x, form.sizes[0])
    whole = chooser._steps(in_form)
    least = chooser._rank(whole).with_seconds(1e-9)
    first = chooser._steps(in_form, most=least)
    assert len(first) == 1 < len(whole)
    assert chooser._rank(first) > least
    assert chooser._steps(in_form, most=chooser._rank(whole)).keys() == whole.keys()


def test_many_partial_results_are_combined_in_turn():
    images = dt.placeholder((163_000_000, 256, 256, 3), "u1", (64, 256, 256, 3))
    plan = dt.plan(images.mean(axis=0), resources=WIDE).core
    assert len(plan.steps) > 2


@pytest.mark.parametrize(
    "y",
    [
        stored((4_000_000, 1000)).sum(axis=1),
        stored((100, 100)).sum(),
        stored((1_000_000, 1000)) @ dt.ones((1000, 1000)),
        dt.cumsum(stored((100_000, 1000)), axis=1),
        dt.sort(stored((100_000, 1000)), axis=1),
    ],
)
def test_what_parallel_dimensions_keep_busy_stays_whole(y):
    assert forms(y) == {}


def test_tall_products_are_computed_in_parts():
    x = stored((10_000_000, 100), "f8", (100_000, 100))
    ((choice,),) = forms(x.T @ x).values()
    assert choice.name == "parts"


def test_large_products_have_few_parts():
    """More would be moved than is read: one of them for each slot is enough."""
    x, y = (stored((10_000_000, 1024), "f4", (10_000, 1024)) for _ in range(2))
    w = dt.placeholder((1024, 1024), "f4")
    chosen = dt.plan(x.T @ (x @ w - y), resources=replace(WIDE, rates=FAST_STORES))
    chosen.verify()
    assert chosen.cost["bytes_moved"] <= 256 * w.node.type.nbytes


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_what_fits_no_worker_is_sorted_in_runs(dtype):
    small = dt.Resources(workers=16, threads=1, memory="2 GiB")
    ((choice,),) = forms(dt.sort(stored((10**9,), dtype, (10**7,))), small).values()
    assert choice.name == "exchange"


def test_forms_are_recorded_and_replay():
    graph = Graph([(stored((100_000, 10_000)).sum() + 1).node])
    formed, chosen = choose_forms(graph, pricing(WIDE))
    trace = Trace()
    (taken,) = chosen.values()
    assert with_forms(graph, chosen, trace).roots == formed.roots
    assert [change.rule for change in trace] == ["nodes"] * len(taken)
    assert trace.replay(graph).roots == formed.roots
    assert all(isinstance(c, FormChoice) for choices in chosen.values() for c in choices)


def test_sizes_are_looked_at_from_a_part_a_slot_on(monkeypatch):
    first = {}

    def looking(chooser, node, form, size, other):
        one = form.sizes[chooser._one_a_slot(node, form)]
        first.setdefault((node, form.name), (size, one))
        return original(chooser, node, form, size, other)

    original = form_choice._Chooser._formed
    monkeypatch.setattr(form_choice._Chooser, "_formed", looking)
    x = stored((14_600, 300, 400), "f4", (20, 300, 400))
    forms(x.mean(axis=0))
    assert first
    assert all(size == one for size, one in first.values())


def test_sizes_of_which_finer_ones_yield_no_more_are_tried_from_the_coarsest(monkeypatch):
    """The first step of a Cholesky factor is a corner, which is smaller the finer panels are."""
    tried = []
    original = form_choice._Chooser._formed

    def noting(chooser, node, form, size, other):
        tried.append(size)
        return original(chooser, node, form, size, other)

    monkeypatch.setattr(form_choice._Chooser, "_formed", noting)
    resources = dt.Resources(workers=4, threads=1, memory="700 MB")
    (choices,) = forms(
        dt.linalg.cholesky(stored((8000, 8000), "f8", (1000, 1000))), resources
    ).values()
    assert [choice.name for choice in choices] == ["panels"]
    assert tried == [2000, 1000, 500]  # the last one is far worse


@pytest.mark.parametrize(("times", "tried"), [(1.1, {0, 1, 2, 3, 9}), (1.4, {0, 1, 2, 9})])
def test_no_size_is_tried_beyond_two_worse_ones_or_one_far_worse(monkeypatch, times, tried):
    """The guesses are 1, the best one, and 0 and 9."""
    seen = set()

    def noting(chooser, node, form, size, other):
        seen.add(size)
        seconds = 1.0 if size == 1 else times
        return Rank(0, 0.0, 0, 0, seconds, seconds), 0

    monkeypatch.setattr(form_choice._Chooser, "_formed", noting)
    x = stored((14_600, 721, 1440), "f4", (20, 721, 1440)).mean(axis=0)
    (node,) = Graph([x.node]).roots
    chooser = form_choice._Chooser(Graph([node]), pricing(WIDE), inf)
    (form,) = (f for f in node.operator.forms(node.input_types) if f.name == "nodes")
    assert chooser._best_size(node, form, Rank(0, 0.0, 0, 0, 10.0, 10.0), least=0.1)[1] == 1
    assert seen == tried


@pytest.mark.parametrize(
    ("excess", "best", "tried"),
    [
        ({}, 9, {0, 1, 8, 9}),
        ({1: 5}, 0, {0, 1}),  # 0 is the finest one, and 9 coarser than 1
        (dict.fromkeys(range(20), 5), 0, {0, 1}),
    ],
)
def test_no_size_is_tried_that_is_coarser_than_one_that_takes_too_much(
    monkeypatch, excess, best, tried
):
    seen = set()

    def noting(chooser, node, form, size, other):
        seen.add(size)
        lacking = excess.get(size, 0) * (1 + size)
        return Rank(lacking, 0.0, 0, 0, 2.0 - (size == 9), 2.0), lacking

    monkeypatch.setattr(form_choice._Chooser, "_formed", noting)
    x = stored((14_600, 721, 1440), "f4", (20, 721, 1440)).mean(axis=0)
    (node,) = Graph([x.node]).roots
    chooser = form_choice._Chooser(Graph([node]), pricing(WIDE), inf)
    (form,) = (f for f in node.operator.forms(node.input_types) if f.name == "nodes")
    whole = Rank(0, 0.0, 0, 0, 10.0, 10.0)
    assert chooser._best_size(node, form, whole, least=0.1)[1] == best
    assert seen == tried


def test_a_form_that_reads_twice_is_priced_with_what_it_reads_held():
    x = stored((40_000_000,), "i8", (1_000_000,))
    plan = dt.plan(dt.cumsum(x), resources=dt.Resources(workers=2, threads=1, memory="4 GB"))
    assert len(plan.core.steps) == 3
    assert plan.cost["bytes_read"] == x.nbytes


def test_panels_are_taken_where_one_thread_would_compute_the_whole_matrix():
    a, b = stored((8000, 8000)), stored((8000, 8), "f8", (1000, 8))
    plan = dt.plan(
        dt.linalg.solve(a, b), resources=dt.Resources(workers=4, threads=1, memory="4 GB")
    )
    assert len(plan.core.steps) > 10


def looked_at(monkeypatch, *results, resources):
    """Operators of which a form is looked at, of graphs that are planned for some resources."""
    nodes = []
    original = form_choice._Chooser._best_size

    def noting(chooser, node, *others):
        nodes.append(node.operator.called)
        return original(chooser, node, *others)

    monkeypatch.setattr(form_choice._Chooser, "_best_size", noting)
    choose_forms(Graph([y.node for y in results]), pricing(resources))
    return nodes


HERE = dt.Resources(workers=1, threads=2, memory="8 GiB", local=True)


def test_no_form_is_looked_at_that_saves_less_than_that_takes(monkeypatch):
    short, long = (dt.asarray(np.zeros(n)).mean() for n in (1_000_000, 50_000_000))
    assert not looked_at(monkeypatch, short, resources=HERE)
    assert looked_at(monkeypatch, long, resources=HERE) == ["mean"]


def test_no_part_is_looked_at_of_a_product_that_keeps_all_threads_busy(monkeypatch):
    a, b = (dt.asarray(np.zeros((5000, 5000))) for _ in "ab")
    assert not looked_at(monkeypatch, a @ b, resources=HERE)


def test_a_form_of_many_operators_of_a_kind_is_worth_more(monkeypatch):
    x = [dt.asarray(np.zeros(5_000_000)) for _ in range(10)]
    assert not looked_at(monkeypatch, x[0].sum(), resources=HERE)
    assert looked_at(monkeypatch, *[y.sum() for y in x], resources=HERE)


@pytest.mark.parametrize("hours", [480, 4800])
def test_threads_that_read_together_hold_partial_results_alone(hours):
    u, v = (stored((hours, 6, 42, 85), "f4", (4, 6, 42, 85)) for _ in "uv")
    means = [dt.nanmean(x, axis=0) for x in (u * u, v * v, u * v)]
    read = u.nbytes + v.nbytes
    cost = dt.plan(*means, resources=dt.Resources(1, 2, "24 GiB", local=True)).cost
    assert cost["bytes_read"] == read
    assert cost["peak_worker_bytes"] < read / 2


@pytest.mark.parametrize("shape", [(4500, 4500), (6000, 6000), (10_000, 4000), (36_000_000,)])
@pytest.mark.parametrize("fold", ["sum", "max", "std"])
def test_threads_fold_as_many_cells_each(shape, fold):
    """The coarsest nodes that two threads can divide are of 4096 rows, and of what is left."""
    x = dt.asarray(np.broadcast_to(1.0, shape).copy())
    plan = getattr(x, fold)().plan(resources=dt.Resources(1, 2, "20 GiB", local=True)).core
    first = next(iter(plan.steps.values()))
    grid = first.cuts
    cells = [
        first.program.schedule(block_box(grid, at)).boxes[0][0].size
        for at in np.ndindex(*[own.count for own in grid])
    ]
    assert max(cells) <= 0.58 * x.size
