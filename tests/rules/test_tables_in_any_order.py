"""Tables in any order that are sorted only to look cells up in them."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import rewritten
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules import tables_in_any_order

N = 20_000


@pytest.fixture(autouse=True)
def long_from_few(monkeypatch):
    monkeypatch.setattr(tables_in_any_order, "LONG_TABLE_CELLS", 1000)


def operators(y):
    return [node.operator.name for node in rewritten(y.teg, Trace(), ()).nodes]


def held(seed, kind="f8"):
    random = np.random.default_rng(seed)
    return random.integers(-500, 500, N).astype(kind)


@pytest.mark.parametrize("kind", ["f8", "i4", "c16", "M8[s]", "S4"])
@pytest.mark.parametrize("invert", [False, True])
def test_cells_are_sought_in_a_table_in_any_order(kind, invert, shardings):
    x, y = held(0, kind), held(1, kind)
    value = dt.isin(dt.asarray(x), dt.asarray(y[::7]), invert=invert)
    assert "among" in operators(value)
    assert "sort" not in operators(value)
    for block_bytes in (10**9, 40_000):
        with shardings.tiny(block_bytes):
            assert np.array_equal(value.compute(), np.isin(x, y[::7], invert=invert))


@pytest.mark.parametrize("side", ["left", "right"])
def test_places_are_those_in_the_sorted_table(side):
    x, y = held(0), held(1)
    value = dt.searchsorted(dt.sort(dt.asarray(y)), dt.asarray(x), side)
    assert "among" in operators(value)
    assert np.array_equal(value.compute(), np.searchsorted(np.sort(y), x, side))


def test_a_table_that_others_read_in_order_is_sorted():
    x, y = dt.asarray(held(0)), dt.sort(dt.asarray(held(1)))
    for value in (
        dt.searchsorted(y, x) + y[0],
        dt.searchsorted(y, y),
        dt.searchsorted(y, x[:10]),
        dt.searchsorted(dt.asarray(held(1)), x),
    ):
        assert "among" not in operators(value)
