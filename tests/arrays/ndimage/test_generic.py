import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import MODES, SHAPES, check, image
from tests.comparisons import same_bits


def weighed(cells, weights, power=1):
    return (cells**power * weights).sum()


def smoothed(line, result, factor, more=0.0):
    result[:] = (line[:-2] + line[1:-1] * factor + line[2:]) / 3 + more


@pytest.mark.parametrize("mode", MODES)
def test_windows(mode):
    cells = [[0, 1, 1], [1, 0, 1]]
    for dtype in ("u1", "f4"):
        x = image((6, 7), dtype)
        how = {"extra_arguments": (np.arange(4.0),), "extra_keywords": {"power": 2}}
        check("generic_filter", x, weighed, footprint=cells, mode=mode, cval=2.5, **how)
        check("generic_filter", x, np.median, 3, output="f8", mode=mode, origin=(1, -1))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_lines(shape, dtype):
    x = image(shape, dtype)
    for axis in range(len(shape)):
        how = {"extra_arguments": (2.0,), "extra_keywords": {"more": 1.5}}
        check("generic_filter1d", x, smoothed, 3, axis, mode="wrap", origin=-1, **how)
    check("generic_filter", x, np.ptp, 2)


def test_what_is_no_function_is_refused():
    for call in (dt.ndimage.generic_filter, dt.ndimage.generic_filter1d):
        with pytest.raises(TypeError, match="function must be a function"):
            call(dt.ones(3), 3, 3)
    with pytest.raises(RuntimeError, match="filter_size must be at least 1"):
        dt.ndimage.generic_filter1d(dt.ones(3), smoothed, 0)


def test_every_sharding_has_one_value(shardings):
    x = image((17, 21), "f4")

    def made(array):
        windows = dt.ndimage.generic_filter(array, np.ptp, (3, 5), mode="mirror")
        return dt.ndimage.generic_filter1d(windows, smoothed, 3, 0, extra_arguments=(2,))

    whole = made(dt.asarray(x)).compute()
    for chunks in ((5, 21), (17, 4), (9, 13)):
        with shardings.tiny(1000, 2, 2):
            assert same_bits(made(dt.asarray(x).rechunk(chunks)).compute(), whole)
