import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import MODES, REAL, SHAPES, check, image
from tests.comparisons import same_bits


@pytest.mark.covering
@pytest.mark.parametrize("name", ["minimum_filter", "maximum_filter"])
@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("shape", SHAPES)
def test_boxes_and_lines(name, dtype, shape):
    x = image(shape, dtype)
    check(name, x, 3, mode="mirror")
    check(name, x, 4, mode="constant", cval=2, origin=1, output="f8")
    for axis in range(len(shape)):
        check(f"{name}1d", x, 6, axis, mode="wrap", origin=-3)


@pytest.mark.parametrize("mode", MODES)
def test_footprints(mode):
    cells = [[0, 1, 1], [1, 0, 0]]
    for dtype in ("u1", "f4"):
        x = image((6, 7), dtype)
        check("minimum_filter", x, footprint=cells, mode=mode, cval=2.0, origin=(0, 1))
        check("maximum_filter", x, footprint=cells, mode=mode, cval=2.0, output="i4")
    check("maximum_filter", image((3, 6, 7), "f8"), footprint=cells, axes=(2, 0))


def test_a_mode_for_each_axis():
    check("minimum_filter", image((6, 7), "f8"), (3, 4), mode=("wrap", "nearest"))


def test_windows_with_a_nan_are_nan():
    x = np.arange(12.0)
    x[5] = np.nan
    found = dt.ndimage.maximum_filter1d(dt.asarray(x), 3).compute()
    np.testing.assert_array_equal(np.flatnonzero(np.isnan(found)), [4, 5, 6])


@pytest.mark.parametrize("footprint", [None, [[1, 0, 1], [0, 1, 1]]])
def test_every_sharding_has_one_value(footprint, shardings):
    x = image((37, 41), "f4")
    size = (5, 8) if footprint is None else None

    def made(array):
        return dt.ndimage.minimum_filter(array, size, footprint, mode="wrap")

    whole = made(dt.asarray(x)).compute()
    for chunks in ((5, 41), (37, 4), (9, 13)):
        with shardings.tiny(2000, 2, 2):
            assert same_bits(made(dt.asarray(x).rechunk(chunks)).compute(), whole)
