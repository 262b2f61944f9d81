import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS

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
