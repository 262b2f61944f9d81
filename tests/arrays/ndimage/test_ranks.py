import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import MODES, REAL, SHAPES, check, image
from tests.comparisons import same_bits


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("shape", [s for s in SHAPES if s != (1,)])
def test_medians_percentiles_and_ranks(dtype, shape):
    x = image(shape, dtype)
    check("median_filter", x, 3)
    check("rank_filter", x, -2, 2, mode="wrap", output="f8")
    check("percentile_filter", x, 30, 3, mode="constant", cval=1)
    check("percentile_filter", x, -20, 3, mode="nearest")


@pytest.mark.parametrize("mode", MODES)
def test_footprints(mode):
    cells = [[0, 1, 1], [1, 0, 1]]
    for rank in (0, 1, 3, -2):
        check("rank_filter", image((6, 7), "f8"), rank, footprint=cells, mode=mode, cval=0.5)
    check("median_filter", image((3, 6, 7), "i2"), footprint=cells, axes=(2, 0), mode=mode)


def test_large_windows():
    check("median_filter", image((30, 31), "f8"), 17)


def test_ranks_that_windows_do_not_have_are_refused():
    for rank in (9, -10):
        with pytest.raises(RuntimeError, match="rank not within filter footprint size"):
            dt.ndimage.rank_filter(dt.ones((3, 3)), rank, 3)
    for percentile in (101, -101, float("nan")):
        with pytest.raises(RuntimeError, match="invalid percentile"):
            dt.ndimage.percentile_filter(dt.ones(3), percentile, 3)


def test_every_sharding_has_one_value(shardings):
    x = image((37, 41), "f4")
    x[3, 5] = np.nan

    def made(array):
        return dt.ndimage.median_filter(array, (3, 5), mode="mirror")

    whole = made(dt.asarray(x)).compute()
    for chunks in ((5, 41), (37, 4), (9, 13)):
        with shardings.tiny(2000, 2, 2):
            assert same_bits(made(dt.asarray(x).rechunk(chunks)).compute(), whole)
