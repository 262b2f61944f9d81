"""Parts of values that were changed in parts, against NumPy and as graphs."""

from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.joins.insert import Insert
from dask_tapestry.operators.views.view import View
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.inserted_parts import read_before_inserts
from dask_tapestry.teg import Graph
from tests.covering import seeds_of


def parts_of_inserts(*ys):
    """Views of changed values that are left."""
    graph = read_before_inserts(simplified(Graph([y.node for y in ys]), Trace()))
    views = [node for node in graph.nodes if isinstance(node.operator, View)]
    return sum(isinstance(view.inputs[0].operator, Insert) for view in views)


def by_groups(numpy, x):
    for start in range(0, 24, 8):
        own = slice(start, start + 8)
        x[own] = x[own] - x[own].mean(axis=0)
    return x


def test_groups_are_read_from_what_was_never_changed():
    cells = np.arange(72.0).reshape(24, 3) ** 2
    x = dt.asarray(cells)
    assert parts_of_inserts(by_groups(dt, x)) == 0
    np.testing.assert_allclose(by_groups(dt, dt.asarray(cells)).compute(), by_groups(np, cells))


def test_its_changes_are_traced():
    y = by_groups(dt, dt.asarray(np.ones((24, 3))))
    trace = y.plan().trace()
    assert [c.rule for c in trace].count("read_before_inserts") == 2
    assert str(trace.replay(y.teg)) == str(y.plan().teg)


def test_what_was_inserted_is_read_itself():
    x, y = dt.asarray(np.ones((9, 4))), dt.asarray(np.arange(8.0).reshape(2, 4))
    x[3:5] = y
    assert parts_of_inserts(x[4:2:-1, 1:3], x[6:]) == 0
    np.testing.assert_array_equal(x[4:2:-1, 1:3].compute(), np.arange(8.0).reshape(2, 4)[::-1, 1:3])


@pytest.mark.parametrize("part", [slice(2, 5), slice(4, 8), slice(None, None, 3)])
def test_where_a_part_has_cells_of_both_all_are_read_from_the_changed_value(part):
    x = dt.asarray(np.ones((9, 4)))
    x[3:6] = dt.asarray(np.zeros((3, 4)))
    assert parts_of_inserts(x[part].sum(), x[7:] * 2) == 2


def random_slice(random, extent):
    lo = random.randrange(extent)
    hi = random.randrange(lo + 1, extent + 1)
    step = random.choice((1, 1, 1, 2, 3))
    return slice(lo, hi, step)


@pytest.mark.parametrize("seed", seeds_of(range(60), 20))
def test_parts_are_those_of_numpy(seed):
    def changed(x):
        random = Random(seed)
        found = []
        for _ in range(5):
            into = tuple(random_slice(random, n) for n in (7, 8))
            x[into] = x[into] * 2 + random.random()
            back = random.choice((slice(None), slice(None, None, -1)))
            found.append(x[tuple(random_slice(random, n) for n in (7, 8))][back] + 1)
        return [*found, x]

    cells = np.arange(56.0).reshape(7, 8)
    want = [part.copy() for part in changed(cells.copy())]
    for own, found in zip(want, dt.compute(*changed(dt.asarray(cells))), strict=True):
        np.testing.assert_array_equal(found, own)
