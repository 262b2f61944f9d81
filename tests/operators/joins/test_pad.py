import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.joins.pad import pad_edge, pad_reflect, pad_reflect_odd, pad_wrap

X = np.arange(5) ** 2
WIDTHS = [(0, 0), (1, 0), (0, 3), (4, 5), (13, 22)]


@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize(
    ("made", "mode"),
    [
        (pad_edge, "edge"),
        (pad_wrap, "wrap"),
        (lambda x, a, w: pad_reflect(x, a, w, edge=False), "reflect"),
        (lambda x, a, w: pad_reflect(x, a, w, edge=True), "symmetric"),
    ],
)
def test_copies_of_the_own_cells(made, mode, widths):
    value = dt.Array(made(dt.asarray(X).node, 0, widths)).compute()
    np.testing.assert_array_equal(value, np.pad(X, widths, mode))


@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("edge", [False, True])
def test_odd_reflections(edge, widths):
    value = dt.Array(pad_reflect_odd(dt.asarray(X).node, 0, widths, edge)).compute()
    mode = "symmetric" if edge else "reflect"
    np.testing.assert_array_equal(value, np.pad(X, widths, mode, reflect_type="odd"))


def test_slices_reach_the_source():
    x = dt.Array(pad_reflect(dt.asarray(np.arange(1000)).node, 0, (50, 50), False))
    lines = str(x[45:55].plan().teg).splitlines()
    assert sum("view" in line for line in lines) == 2
    assert all("int64[5]" in line for line in lines if "view" in line)
