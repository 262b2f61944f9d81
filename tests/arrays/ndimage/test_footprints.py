import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.ndimage.footprints import footprint_of, modes_of


def seen(size=None, footprint=None, origin=0, axes=None, ndim=2):
    return footprint_of("f", size, footprint, "reflect", origin, axes, ndim)


def test_sizes_and_footprints_of_all_cells_are_boxes():
    assert seen(3).window == (3, 3)
    assert seen((2, 5), axes=(1, 0)).window == (5, 2)
    assert seen(footprint=np.ones((2, 3))).places is None
    assert seen(footprint=[1, 1], axes=1)[:3] == ((1, 2), None, ((0, 0), (1, 0)))


def test_places_are_those_that_count():
    found = seen(footprint=[[0, 1], [1, 0]], origin=(-1, 0))
    assert found.places == ((0, 1), (1, 0))
    assert found.reach == ((0, 1), (1, 0))
    assert found.cells == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "no footprint or filter size"),
        ({"size": 0}, "size must be at least 1"),
        ({"size": (3,)}, "size has 1 for 2"),
        ({"footprint": [1, 1]}, r"footprint.ndim \(1\) must match len\(axes\) \(2\)"),
        ({"footprint": np.zeros((2, 2))}, "all-zero footprint"),
        ({"footprint": np.ones((2, 0))}, "there must be some"),
        ({"size": 3, "origin": 2}, "invalid origin 2"),
        ({"size": 3, "origin": (0, 1, 0)}, "origin has 3 for 2"),
    ],
)
def test_what_does_not_fit_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        seen(**options)


def test_a_size_beside_a_footprint_is_warned_of():
    with pytest.warns(UserWarning, match="ignoring size"):
        dt.ndimage.minimum_filter(dt.ones(3), 3, [1, 1])


def test_modes_of_axes():
    assert modes_of("f", ("wrap", "grid-mirror"), (2, 0), 3) == ("reflect", "reflect", "wrap")
