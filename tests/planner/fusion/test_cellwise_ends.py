"""What is made of a value cell by cell is held in its place, where it is smaller."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner.fusion.cellwise_ends import held_in_place
from dask_tapestry.planner.fusion.fuse import held_values
from dask_tapestry.planner.fusion.group import members_of
from dask_tapestry.teg import Graph
from tests.planner.graphs import stored

ROWS = stored((1000, 8))
TB = 10**12


def in_place(*arrays, held=(), fused=()):
    graph = Graph([a.node for a in arrays])
    return held_in_place(graph, {*graph.roots, *held}, fused)


def test_it_is_where_the_readers_meet():
    total = ROWS.sum(axis=1)
    few = ((total > 1) & (total < 5)) | (total == 9)
    assert in_place(few.sum()) == {total.node: few.node}
    assert in_place(few) == {total.node: few.node}


@pytest.mark.parametrize(
    "read",
    [
        lambda total: (total + 1).sum(),  # not smaller
        lambda total: ((total > 1) & (total[::-1] < 5)).sum(),  # cells of two places
        lambda total: (total > 1).sum() + total.max(),  # another reads it too
        lambda total: total.cumsum(),
    ],
)
def test_the_value_is_held_itself(read):
    total = ROWS.sum(axis=1)
    node = total.node
    assert node not in in_place(read(total))


def few_of_turned(value):
    turned = value.T
    return dt.concatenate([turned[:3], turned[900:901]])


def test_few_cells_that_are_copied_of_it_are_held_in_its_place():
    x = stored((50, 1000), "f8", (50, 100))
    running = x.cumsum(axis=1)
    few = few_of_turned(running)
    assert in_place(few.max(axis=0), few.sum()) == {running.node: few.node}


@pytest.mark.parametrize(
    "read",
    [
        lambda running: [few_of_turned(running).sum(), running.max()],  # another reads it too
        lambda running: [dt.concatenate([running[:, :300], running[:, 700:]], 1).sum()],  # not few
        lambda running: [few_of_turned(running * 2).sum(), few_of_turned(running + 1).sum()],
    ],
)
def test_of_which_more_is_read_is_held_itself(read):
    running = stored((50, 1000), "f8", (50, 100)).cumsum(axis=1)
    assert running.node not in in_place(*read(running))


def test_of_lanes_too_long_for_a_task_the_middles_are_held_not_all_that_is_sorted():
    x = stored((200_000_000, 24), "f8", (87_000, 24))
    p = dt.plan(abs(x - dt.median(x, axis=0)).mean(axis=0), resources=dt.Resources(50, 4, "16 GiB"))
    assert p.cost["bytes_moved"] < 1.2 * x.nbytes


def test_what_is_fused_is_computed_where_it_is_read_with_what_it_is_held_for():
    total = ROWS.sum(axis=1)
    small = (total > 1) & (total < 5)
    graph = Graph([small.sum().node])
    assert small.node in held_values(graph, TB)
    assert total.node not in held_values(graph, TB)
    fused = held_values(graph, TB, fused={small.node})
    assert {total.node, small.node}.isdisjoint(fused)
    held = held_values(graph, TB, extra={total.node})
    assert total.node in held


def test_sums_and_counts_of_windows_are_not_held_but_means():
    x = dt.pad(stored((4000, 200), "f4"), ((7, 7), (0, 0)))
    windows = dt.lib.stride_tricks.sliding_window_view(x, 15, axis=0)
    count = (windows != 0).sum(axis=-1)
    mean = dt.where(count > 3, windows.sum(axis=-1) / count.astype("f4"), np.float32(np.nan))
    text = str(dt.plan(mean.mean(axis=1)).explain())
    assert "float32[4000, 200]" in text
    assert "void" not in text


@given(st.lists(st.sampled_from(["&", "|", "sum", "turn", "f4"]), min_size=1, max_size=6))
def test_each_reduction_is_computed_in_one_step(makes):
    total = ROWS.sum(axis=1)
    x = total > 1
    for make in makes:
        match make:
            case "&":
                x = x & (total < 5)
            case "|":
                x = x | (x.cumsum() > 3)
            case "sum":
                x = (ROWS * x[:, None]).sum(axis=1) > 2
            case "turn":
                x = x[::-1]
            case _:
                x = x.astype("f4") > 0
    graph = Graph([x.sum().node])
    held = held_values(graph, TB)
    costly = [n for n in graph.nodes if n.inputs and not n.operator.transparent]
    steps = [members_of(node, held) for node in held]
    for node in costly:
        assert sum(node in members for members in steps) == 1
