from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import search_compiled
from dask_tapestry_kernels.cpu.jit import compile_service
from tests.covering import one_of_each
from tests.examples import examples

RANDOM = np.random.default_rng(11)
DTYPES = ("f8", "f4", "i8", "i4", "u8", "u2", "i1", "?")
LENGTHS = (1, 2, 3, 7, 64, 255, 1000)


@pytest.fixture(autouse=True)
def every_cell_searched_by_compiled_loops(monkeypatch):
    monkeypatch.setattr(search_compiled, "SMALL", 0)
    with compile_service.mode("wait"):
        yield


def some(dtype, count):
    """Numbers of which many are equal, with the ends of their dtype, and no numbers."""
    kind = np.dtype(dtype).kind
    if kind == "f":
        ends = [np.nan, np.inf, -np.inf, -0.0, 0.0]
    else:
        ends = [0, 1] if kind == "b" else [np.iinfo(dtype).min, np.iinfo(dtype).max]
    cells = RANDOM.integers(0, 100, count).astype(dtype)
    at = RANDOM.integers(0, count, count // 4)
    cells[at] = RANDOM.choice(np.array(ends, dtype), count // 4)
    return cells


@pytest.mark.few(5)  # one loop, of which dtypes and lengths are met by others
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_places_are_those_of_numpy(dtype, length):
    table = np.sort(some(dtype, length))
    for count in (0, 1, 255, 256, 257, 1000):
        cells = some(dtype, count)
        for side in ("left", "right"):
            found = KERNELS["search"](None, cells, table, side=side)
            assert found.dtype == np.int64
            assert np.array_equal(found, np.searchsorted(table, cells, side))
        for invert in (False, True):
            found = KERNELS["isin"](None, cells, table, invert=invert)
            assert found.dtype == bool
            assert np.array_equal(found, np.isin(cells, table, invert=invert))


@pytest.mark.covering
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1"])
def test_digitize_of_ascending_and_descending_edges(dtype, step, right):
    edges = np.unique(RANDOM.integers(0, 100, 40)).astype(dtype)[::step]
    cells = some(dtype, 600).reshape(30, 20).T
    found = KERNELS["digitize"](None, cells, edges, right=right)
    assert np.array_equal(found, np.digitize(cells, edges, right))


PAIRS = one_of_each(product(DTYPES, DTYPES), lambda two: tuple(np.dtype(one).kind for one in two))


@pytest.mark.few(6)  # all are converted by one function
@pytest.mark.parametrize(("cell", "other"), PAIRS)
def test_cells_and_tables_of_two_dtypes(cell, other):
    table, cells = np.sort(some(other, 100)), some(cell, 500)
    for side in ("left", "right"):
        found = KERNELS["search"](None, cells, table, side=side)
        assert np.array_equal(found, np.searchsorted(table, cells, side))
    at = np.minimum(np.searchsorted(table, cells), len(table) - 1)
    assert np.array_equal(KERNELS["isin"](None, cells, table, invert=False), table[at] == cells)


@examples(60)
@given(st.data())
def test_any_numbers(data):
    floats = st.floats(allow_nan=True)
    table = np.sort(np.array(data.draw(st.lists(floats, min_size=1, max_size=30)), "f8"))
    cells = np.array(data.draw(st.lists(floats | st.sampled_from(table.tolist()))), "f8")
    for side in ("left", "right"):
        found = search_compiled.searched(cells, table, side)
        assert found is None or np.array_equal(found, np.searchsorted(table, cells, side))


def test_which_cells_it_searches_for():
    table = np.arange(9.0)
    assert search_compiled.searched(np.ones(3), table, "left").tolist() == [1, 1, 1]
    for cells, other in [
        (np.ones(3, "f2"), table),
        (np.ones(3, ">f8"), table),
        (np.ones(3, "c16"), table),
        (np.ones(3, "M8[s]"), np.ones(3, "M8[s]")),
        (np.ones(3, "i8"), np.arange(9, dtype="u8")),
        (np.ones(3), table[:0]),
        (np.ones(3), np.full(3, np.nan)),
    ]:
        assert search_compiled.searched(cells, other, "left") is None


def test_complex_cells_have_no_bins():
    with pytest.raises(TypeError, match="complex"):
        KERNELS["digitize"](None, np.ones(3, "c16"), np.arange(3.0), right=False)
    with pytest.raises(ValueError, match="monotonic"):
        KERNELS["digitize"](None, np.ones(3), np.array([1.0, 3, 2]), right=False)
