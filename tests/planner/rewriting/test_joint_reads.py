import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.views.joint_windows import WindowAxis
from dask_tapestry.planner.rewriting.exchanged_values import EXCHANGED, number_of
from dask_tapestry.planner.rewriting.joint_reads import (
    ONE_READ,
    Pace,
    joint_read,
    joint_reads,
    main_source,
    one_read_form,
    paces_of,
)
from dask_tapestry.planner.rewriting.rule_choices import form_named, with_forms
from dask_tapestry.planner.search.rule_selection import AppliedChoice
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph
from tests.planner.graphs import stored


def test_a_pace_is_read_off_the_boxes_that_cells_need():
    x = stored((6000, 40), "f8", (200, 40))
    assert paces_of(dt.sort(x, axis=1).node, x.node) == {0: Pace(0, 1, 0)}
    assert paces_of(x[10::3].T.node, x.node) == {0: Pace(1, 3, 10), 1: Pace(0, 1, 0)}
    pairs = x.reshape(3000, 2, 40).max(axis=1)
    assert paces_of(pairs.node, x.node)[0] == Pace(0, 2, 0)
    assert paces_of((x - x.mean(axis=0)).node, x.node).keys() == {1}
    assert not paces_of(x.sum().node, x.node)


def test_a_value_may_wait_for_what_was_made_before():
    x = stored((6000, 40), "f8", (200, 40))
    mean = x.mean(axis=0).node
    centred = x - dt.Array(mean)
    assert paces_of(centred.node, x.node).keys() == {1}
    assert paces_of(centred.node, x.node, frozenset({mean})).keys() == {0, 1}
    folds = [(centred**2).sum(axis=0).node, abs(centred).max(axis=1).node]
    assert joint_read(x.node, folds, 1) is None
    folds = [abs(centred).max(axis=1).node, (centred**2).mean(axis=1).node]
    assert joint_read(x.node, folds, 1) is None
    assert joint_read(x.node, folds, 1, frozenset({mean})).tiles == (30,)


def test_few_cells_that_all_need_have_no_pace():
    x = stored((6000, 40), "f8", (200, 40))
    assert paces_of((x - x[3]).node, x.node) == {0: Pace(0, 1, 0), 1: Pace(1, 1, 0)}
    assert paces_of((x[:, None] * x[:5]).node, x.node)[0] == Pace(0, 1, 0)
    half = x[3000:].sum(axis=0)
    assert 0 not in paces_of((x - half).node, x.node)


def test_what_is_read_back_from_another_store_follows_no_source():
    x = stored((600, 40, 30), "f8", (20, 40, 30))
    means = x.reshape(30, 20, 40, 30).mean(axis=1)
    form = form_named(means.node, EXCHANGED, ())
    back = dt.Array(form.make(means.node, number_of((10, 40, 30), means.shape)))[:14]
    assert paces_of(means.node, x.node)
    assert paces_of(back.node, x.node) == {}
    assert joint_read(x.node, [back.node, x.sum(axis=0).node], 2**20) is None


def test_the_largest_source_is_the_main_one():
    x, y = stored((6000, 40), "f8", (200, 40)), stored((40,), "f8", (40,))
    assert main_source((x * y).node) is x.node
    assert main_source(dt.asarray(np.ones(3)).node) is None


def test_windows_follow_tiles_of_whole_chunks():
    x = stored((6000, 40), "f8", (200, 40))
    group = [dt.sort(x, axis=1).node, x.reshape(1500, 4, 40).max(axis=1).node]
    found = joint_read(x.node, group, 200 * 40 * 8)
    assert found.tiles == (30,)
    wide = WindowAxis(None, 40)
    assert found.windows == ((WindowAxis(0, 200), wide), (WindowAxis(0, 50), wide))
    assert joint_read(x.node, group, 4 * 200 * 40 * 8).tiles == (8,)


def test_what_needs_all_cells_along_the_tiles_is_left_out():
    x = stored((6000, 40), "f8", (200, 40))
    rows = [dt.sort(x, axis=1).node, x.max(axis=1).node]
    found = joint_read(x.node, [*rows, dt.sort(x, axis=0).node], 200 * 40 * 8)
    assert found.nodes == tuple(rows)
    assert joint_read(x.node, [rows[0], dt.sort(x, axis=0).node], 200 * 40 * 8) is None


def test_the_form_is_taken_by_all_of_one_number():
    x = stored((6000, 40), "f8", (200, 40))
    arrays = dt.sort(x, axis=1), x.max(axis=1), x.min(axis=1)
    graph, trace = Graph([a.node for a in arrays]), Trace()
    first, second, third = graph.roots
    size = AppliedChoice(ONE_READ, 64000)
    formed = with_forms(graph, {first: [size], second: [size]}, trace)
    (together,) = [node for node in formed.nodes if node.operator.name == "jointwindows"]
    assert together.inputs == (first, second)
    assert formed.roots[2] is third
    assert [change.before for change in trace] == [first, second]
    (alone,) = joint_reads({first: 1}).values()
    assert alone.inputs[0].operator.name == "jointwindows"
    assert joint_reads({x.sum().node: 1}) == {}
    assert one_read_form(first).make(first, 1) is first
