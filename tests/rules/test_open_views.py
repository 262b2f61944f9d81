import dask
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.planner import cache
from dask_tapestry.planner.cache import plan_of
from dask_tapestry.rules.open_views import part_in_memory, parts_of_arrays, source_of_part
from dask_tapestry.teg.node import topological
from tests.comparisons import same_bits
from tests.examples import examples

CELLS = np.random.default_rng(0).random((40, 30))
FURTHER = {
    "cells": lambda part, x: part * 2 + 1,
    "sum": lambda part, x: part.sum(),
    "mean": lambda part, x: part.mean(axis=-1),
    "with the whole": lambda part, x: part.max() - x,
    "product": lambda part, x: part @ part.T,
    "turned": lambda part, x: part.T[::-1] / 3,
    "totals": lambda part, x: np.cumsum(part, axis=0),
    "sorted": lambda part, x: np.sort(part, axis=0)[::-1],
    "itself": lambda part, x: part,
    "assigned": lambda part, x: _assigned(part.copy()),
}
SOURCES = {
    "array": dt.asarray,
    "turned": lambda cells: dt.asarray(np.asfortranarray(cells)),
    "persisted": lambda cells: dt.asarray(cells).persist(),
    "formula": lambda cells: dt.asarray(cells) * 1.5,
    "blocks": lambda cells: dt.asarray(cells).rechunk((16, 16)).persist(),
}


def _assigned(part):
    part[:1] = part[-1:] + 1
    return part


def opened(x):
    parts = parts_of_arrays(topological([x.node]), {})
    return {node: source_of_part(node, cells) for node, cells in parts.items()}


def test_parts_of_arrays_in_memory_are_arrays():
    x = dt.asarray(CELLS)
    y = x[3:20, ::-2].T[None] + x.sum()
    found = opened(y)
    assert [node.operator.name for node in found.values()] == ["memory"] * len(found)
    shapes = {node.type.shape for node in found.values()}
    assert (1, 15, 17) in shapes
    for node, source in found.items():
        assert node.type == source.type
        assert np.shares_memory(source.operator.data, CELLS)


def test_what_is_no_part_of_one_array_in_memory_stays():
    x = dt.asarray(CELLS)
    assert not opened((x + 1)[3:])
    assert not opened(x.rechunk((16, 16)).persist()[3:] * 2)
    assert not opened(dt.zeros((40, 30))[3:])


@examples(60)
@given(
    source=st.sampled_from([*SOURCES]),
    further=st.sampled_from([*FURTHER]),
    rows=st.integers(1, 12),
    starts=st.lists(st.integers(0, 28), min_size=2, max_size=4),
    step=st.sampled_from([1, 2, -1]),
)
def test_values_are_those_of_the_whole(source, further, rows, starts, step):
    x = SOURCES[source](CELLS)
    for start in starts:
        made = FURTHER[further](x[start : start + rows, ::step], x)
        expected = made.compute(scheduler=dask.get, optimize_graph=True)
        cache._known.clear()
        assert same_bits(made.compute(), expected)
        assert same_bits(made.compute(), expected)


def test_a_part_shares_the_cells_of_its_array():
    x = dt.asarray(CELLS)
    part = part_in_memory(x[3:20, ::-2].T[None].node, {})
    assert same_bits(part, CELLS[3:20, ::-2].T[None])
    assert np.shares_memory(part, CELLS)
    assert part_in_memory(x.node, {}) is CELLS
    cell = part_in_memory(x[3, 4].node, {})
    assert cell.shape == ()
    y = x + 1
    assert part_in_memory(y[3:].node, {y.node: x.node}).base is CELLS
    assert np.shares_memory(cell, CELLS)


def test_there_is_no_part_of_what_is_computed_or_where_rules_look():
    x = dt.asarray(CELLS)
    for other in (x + 1, (x + 1)[3:], dt.zeros((40, 30))[3:], dt.broadcast_to(x[0], (9, 30))):
        assert part_in_memory(other.node, {}) is None
    assert part_in_memory(x.rechunk((16, 16)).persist().node, {}) is None
    with dt.config(rules=["tests.rewrite.test_user_rules:RULE"]):
        assert part_in_memory(x[3:].node, {}) is None


def test_results_that_are_parts_have_one_plan_for_all_places():
    x = dt.asarray(CELLS)
    plans = [plan_of([x[n : n + 9].node, (x[n] * 2).node]) for n in range(4)]
    assert plans[1].graph is plans[2].graph is plans[3].graph


def test_results_that_are_parts_lie_as_the_first_one_did():
    x = dt.asarray(np.random.default_rng(1).random((200, 300)))
    for n in range(4):
        assert x[n : n + 150].T.compute().flags.c_contiguous


def test_other_places_have_the_plan_of_the_first_ones():
    x = dt.asarray(CELLS)
    plans = [plan_of([(x[n : n + 9] * 3).sum(axis=0).node]) for n in range(5)]
    assert plans[0].graph is not plans[1].graph
    assert plans[1].graph is plans[2].graph is plans[4].graph
    longer = plan_of([(x[3:13] * 3).sum(axis=0).node])
    assert longer.graph is not plans[1].graph
