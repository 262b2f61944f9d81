import numpy as np
import pytest

from dask_tapestry_kernels.cpu.scan.scan import scan
from dask_tapestry_kernels.cpu.scan.scan_functions import function_named, later

X = np.array([1.0, np.nan, 2.0, np.nan])
Y = np.array([3.0, 4.0, np.nan, np.nan])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16", "M8[s]", "m8[D]"])
def test_later_is_the_second_if_it_is_there(dtype):
    x, y = X.astype(dtype), Y.astype(dtype)
    expected = np.array([3.0, 4.0, 2.0, np.nan]).astype(dtype)
    np.testing.assert_array_equal(later(x, y), expected)
    out = np.empty_like(x)
    assert later(x, y, out=out) is out
    np.testing.assert_array_equal(out, expected)


def test_functions_are_found_by_name():
    assert function_named("later", np.dtype("f8")) is later
    assert function_named("add", np.dtype("f8")) is np.add
    assert function_named("multiply", np.dtype("c16")) is not np.multiply


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "M8[s]"])
@pytest.mark.parametrize(("shape", "axis"), [((40_000,), 0), ((500, 300), 0), ((60, 700), 1)])
def test_scans_by_later_fill_forward(shape, axis, dtype):
    random = np.random.default_rng(5)
    cells = random.normal(size=shape) * 100
    cells[random.random(shape) < 0.9] = np.nan
    cells = cells.astype(dtype)
    how = {"function": "later", "axis": axis, "leaf": 64, "state": cells.dtype, "skip": 0}
    found = scan(None, cells, dtype=cells.dtype, **how)
    known = ~(np.isnat(cells) if cells.dtype.kind in "mM" else np.isnan(cells))
    last = np.maximum.accumulate(np.where(known, np.indices(shape)[axis], 0), axis=axis)
    np.testing.assert_array_equal(found, np.take_along_axis(cells, last, axis))
