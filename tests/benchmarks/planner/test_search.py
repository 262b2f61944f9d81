"""Plans beside the best ones: a fixed share of what the benchmark compares."""

import statistics

import pytest

from benchmarks.planner.search import compared, random_graph
from tests.covering import beyond


@pytest.mark.parametrize("graphs", [3, beyond(6)])
def test_what_is_found_is_nearly_the_best(graphs):
    found = list(compared(graphs))
    assert all(one.ratio >= 1 - 1e-9 for one in found)
    assert max(one.ratio for one in found) <= 1.05
    assert statistics.median(one.ratio for one in found) <= 1.001


def test_graphs_are_drawn_the_same_way_each_time():
    first, second = (random_graph(7) for _ in range(2))
    assert [n.operator.name for n in first.teg] == [n.operator.name for n in second.teg]
    assert len({tuple(n.operator.name for n in random_graph(s).teg) for s in range(20)}) > 10
