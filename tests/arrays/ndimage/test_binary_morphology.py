import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import SHAPES, check, image
from tests.comparisons import same_bits

STEPS = ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing"]
CELLS = np.array([[0, 1, 1], [1, 0, 1]])


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("iterations", [1, 3, -1])
def test_steps(name, shape, iterations):
    x = image(shape, "i4") * image(shape, "?", 1)
    mask = image(shape, "?", 2)
    for border in (0, 1):
        check(name, x, iterations=iterations, border_value=border)
        check(name, x, iterations=iterations, mask=mask, border_value=border)


@pytest.mark.parametrize("name", STEPS)
def test_structures_that_are_not_symmetric(name):
    x = image((9, 11), "?")
    check(name, x, CELLS, iterations=2, origin=(0, 1))
    check(name, image((3, 9, 11), "?"), CELLS, axes=(0, 2))


def test_patterns():
    x = image((20, 20), "?")
    check("binary_hit_or_miss", x)
    check("binary_hit_or_miss", x, CELLS, origin1=(-1, 0))
    check("binary_hit_or_miss", x, [[0, 1, 0]], [[1, 0, 0]], origin1=0, origin2=(0, 1))


def test_holes_and_ways():
    x = image((30, 31), "?") | image((30, 31), "?", 1)
    check("binary_fill_holes", x)
    check("binary_fill_holes", x, np.ones((3, 3)))
    check("binary_propagation", image((30, 31), "?", 3), mask=x)


def test_an_array_given_as_output_takes_the_value():
    out = dt.zeros((9, 9), "u1")
    assert dt.ndimage.binary_dilation(dt.ones((9, 9)), output=out) is out
    assert out.compute().sum() == 81


@pytest.mark.parametrize("chunks", [(5, 41), (37, 4), (9, 13)])
def test_every_sharding_has_one_value(chunks, shardings):
    x = image((37, 41), "?")

    def made(array):
        return dt.ndimage.binary_opening(array, CELLS, 2, border_value=1)

    whole = made(dt.asarray(x)).compute()
    with shardings.tiny(2000, 2, 2):
        assert same_bits(made(dt.asarray(x).rechunk(chunks)).compute(), whole)
