import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.spline_taps import (
    FAR,
    SplineAxis,
    continued,
    mapped,
    rounded,
    taps,
)

NUMPYS = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "grid-wrap": "wrap"}


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("mode", NUMPYS)
def test_places_beyond_the_ends_are_those_of_a_padded_array(mode, n):
    expected = np.pad(np.arange(n), 12, NUMPYS[mode])
    np.testing.assert_array_equal(continued(np.arange(-12, n + 12), n, mode), expected)


@pytest.mark.parametrize("mode", ["constant", "wrap"])
def test_ends_of_other_modes_go_on_as_mirrored_ones(mode):
    places = np.arange(-3, 9)
    np.testing.assert_array_equal(continued(places, 5, mode), continued(places, 5, "mirror"))


@pytest.mark.parametrize("n", [1, 2, 7])
@pytest.mark.parametrize("mode", ["mirror", "reflect", "wrap", "grid-wrap"])
def test_coordinates_come_into_range(mode, n):
    c = np.linspace(-40, 40, 1234)
    found = mapped(c, n, mode)
    inside = (c >= 0) & (c <= n - 1)
    np.testing.assert_array_equal(found[inside], c[inside])
    assert (found > -1).all()
    assert (found <= n).all()


def test_where_there_is_no_spline():
    found = taps(np.array([-0.1, 1.5, np.nan, np.inf]), 3, 1, "constant")
    assert found.outside.tolist() == [True, False, True, True]
    assert found.places[:, 0].tolist() == [0, 0]
    far = taps(np.array([-np.inf, 1e300]), 3, 1, "nearest")
    assert far.places.tolist() == [[0, 2], [0, 2]]
    assert far.weights.tolist() == [[1, 1], [0, 0]]
    assert FAR == 2.0**50


def test_lines():
    line = SplineAxis(9, 12, None, 0.5, True, 4, 2)
    np.testing.assert_array_equal(line.at(np.arange(2)), (np.array([4, 6]) + 0.5) * 0.5 - 0.5 + 12)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8"])
def test_integers_are_the_nearest_in_range(dtype):
    info = np.iinfo(dtype)
    cells = np.array([0.5, -0.5, 1.49, 2.5, 1e30, -1e30, np.nan, float(info.max)])
    low = max(-1, int(info.min))
    expected = [1, low, 1, 3, info.max, info.min, 0, info.max]
    assert rounded(cells, np.dtype(dtype)).tolist() == expected


def test_truth_values_are_numbers_of_1_or_more():
    assert rounded(np.array([0.0, 0.9, 1.0, -1.5]), np.dtype("?")).tolist() == [0, 0, 1, 1]
    assert rounded(np.array([0.1]), np.dtype("f4")).dtype == "f4"
