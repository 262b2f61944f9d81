"""Values that are changed in many parts, one after the other."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.rules.insert_chains import join_inserts
from dask_tapestry.teg import Graph

ROWS, COLUMNS = 24, 6


def names(*arrays):
    graph = join_inserts(Graph([x.node for x in arrays]))
    return Counter(node.operator.name for node in graph.nodes)


def rows_assigned(xp, x, order):
    out = xp.zeros(x.shape)
    for row in order:
        out[row] = x[row] * (row + 1) - x[row - 1]
    return out


def phases_assigned(xp, x, order):
    out = xp.zeros(x.shape)
    for phase in range(6):
        out[phase::6] = x[phase::6] - x[phase::6].mean(axis=0)
    return out


def tiles_assigned(xp, x, order):
    out = xp.zeros(x.shape)
    for row in range(0, ROWS, 4):
        for column in range(0, COLUMNS, 3):
            tile = np.s_[row : row + 4, column : column + 3]
            out[tile] = x[tile] * (row + column)
    return out


def columns_changed(xp, x, order):
    out = x.copy()
    for column in range(COLUMNS - 1):
        out[:, column] = out[:, column] - out[:, column].mean()
    return out


ALL = [rows_assigned, phases_assigned, tiles_assigned, columns_changed]
CELLS = np.random.default_rng(0).normal(size=(ROWS, COLUMNS))


@pytest.mark.parametrize("assigned", ALL)
def test_what_a_loop_assigns_is_a_join(assigned):
    order = np.random.default_rng(1).permutation(ROWS)[:20].tolist()
    value = assigned(dt, dt.asarray(CELLS), order)
    assert np.allclose(value.compute(), assigned(np, CELLS, order), rtol=1e-12, atol=1e-14)
    found = Counter(node.operator.name for node in value.plan().core.graph.nodes)
    assert not found["insert"]


@pytest.mark.parametrize("count", [8, 64])
def test_rows_that_are_assigned_are_read_once(count):
    x = dt.placeholder((count, 40_000_000 // count), "f8", (1, 400_000))
    out = dt.zeros(x.shape)
    for row in range(1, count):
        out[row] = x[row] * row - x[row - 1]
    plan = dt.plan(out, resources=dt.Resources(4, 4, "16 GiB"))
    assert plan.cost["bytes_read"] <= 1.2 * x.nbytes


@st.composite
def slices(draw, extent):
    start = draw(st.integers(0, extent - 1))
    step = draw(st.sampled_from([1, 1, 2, 3, -1]))
    return slice(None, None, step) if draw(st.booleans()) else slice(start, None, abs(step))


@given(st.lists(st.tuples(slices(ROWS), slices(COLUMNS)), min_size=5, max_size=9), st.booleans())
def test_parts_that_overlap_keep_the_last_value(regions, whole_rows):
    out, changed = CELLS.copy(), dt.asarray(CELLS)
    for number, (rows, columns) in enumerate(regions):
        region = rows, slice(None) if whole_rows else columns
        out[region] = number
        changed[region] = number
    assert np.array_equal(changed.compute(), out)


@given(st.permutations(range(ROWS)), st.integers(5, ROWS))
def test_rows_in_any_order(order, count):
    rows = order[:count]
    value = rows_assigned(dt, dt.asarray(CELLS), rows)
    assert names(value)["insert"] == 0
    assert np.array_equal(value.compute(), rows_assigned(np, CELLS, rows))


def test_few_parts_and_values_in_between_that_are_read_stay():
    few, x = dt.zeros((ROWS, COLUMNS)), dt.asarray(CELLS)
    for row in range(3):
        few[row] = x[row]
    assert names(few)["insert"] == 3
    out, sums = dt.zeros((ROWS, COLUMNS)), []
    for row in range(8):
        out[row] = x[row]
        sums.append(out.sum())
    assert names(out, *sums)["insert"] == 8
