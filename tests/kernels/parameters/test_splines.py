import numpy as np
import pytest

from dask_tapestry_kernels.parameters.splines import SplineAxis, continued

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


def test_lines():
    line = SplineAxis(9, 12, None, 0.5, True, 4, 2)
    np.testing.assert_array_equal(line.at(np.arange(2)), (np.array([4, 6]) + 0.5) * 0.5 - 0.5 + 12)
