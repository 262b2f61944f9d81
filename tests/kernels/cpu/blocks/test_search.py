import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import search

CELLS = np.array([[0.5, 2.0, np.nan], [7.0, 3.0, -1.0]])
TABLE = np.array([0.0, 2.0, 3.0, 5.0])


@pytest.mark.parametrize("side", ["left", "right"])
def test_search(side):
    made = KERNELS["search"](None, CELLS, TABLE, side=side)
    assert np.array_equal(made, np.searchsorted(TABLE, CELLS, side))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("step", [1, -1])
def test_digitize(right, step):
    made = KERNELS["digitize"](None, CELLS, TABLE[::step], right=right)
    assert np.array_equal(made, np.digitize(CELLS, TABLE[::step], right))


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("table", [TABLE, TABLE[:0], TABLE[:1]])
def test_is_in(invert, table):
    made = KERNELS["isin"](None, CELLS, table, invert=invert)
    assert np.array_equal(made, np.isin(CELLS, table, invert=invert))


def test_interp():
    made = KERNELS["interp"](None, CELLS, TABLE, TABLE**2, left=None, right=-5, period=None)
    np.testing.assert_array_equal(made, np.interp(CELLS, TABLE, TABLE**2, right=-5))


@pytest.mark.parametrize("invert", [False, True])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "i8", "u8"])
@pytest.mark.parametrize("most", [0, search.MOST_MARKS])
def test_integers_are_found_at_the_ends_of_their_dtype(dtype, invert, most, monkeypatch):
    monkeypatch.setattr(search, "MOST_MARKS", most)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    ends = np.array([low, low + 1, 0, 5, 9, high - 1, high], dtype)
    cells = np.concatenate([ends, np.arange(100, dtype=dtype)])
    for table in (ends, ends[:2], ends[-2:], ends[3:5], ends[:1], np.arange(3, 90, 4, dtype=dtype)):
        table = np.unique(table)
        made = KERNELS["isin"](None, cells, table, invert=invert)
        assert np.array_equal(made, [(int(x) in table.tolist()) != invert for x in cells])


@pytest.mark.parametrize("answer", ["left", "right", "within"])
@pytest.mark.parametrize("length", [1, 3, 4, 9])
@pytest.mark.parametrize("table", [TABLE, [0.0, 2, 2, 2, 3, np.nan, np.nan]])
def test_parts_of_a_table(answer, length, table):
    table = np.array(table)
    made = KERNELS["searchparts"](None, CELLS, table, answer=answer, length=length)
    assert made.shape == (-(-table.size // length), *CELLS.shape)
    if answer == "within":
        assert np.array_equal(made.any(0), np.isin(CELLS, table))
    else:
        assert np.array_equal(made.sum(0), np.searchsorted(table, CELLS, answer))
