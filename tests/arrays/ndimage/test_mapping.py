import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import MODES, REAL, SHAPES, check, image
from tests.comparisons import same_bits
from tests.examples import examples

EXACT = 0.01  # of a rounding: none
FILLED = [shape for shape in SHAPES if 0 not in shape]
RANDOM = np.random.default_rng(3)


@pytest.mark.parametrize("dtype", [*REAL, "c8", "c16"])
@pytest.mark.parametrize("shape", FILLED)
def test_values_are_scipys_to_the_bit(dtype, shape):
    x, rank = image(shape, dtype), len(shape)
    places = RANDOM.uniform(-3, 9, (rank, 4, 5))
    for order in (0, 1, 3):
        check("map_coordinates", x, places, order=order, cval=2.6, bound=EXACT)
        check("map_coordinates", x, np.rint(places).astype("i2"), order=order, bound=EXACT)
    check("geometric_transform", x, lambda o: tuple(0.7 * n - 0.3 for n in o), bound=EXACT)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(6))
def test_modes(mode, order):
    places = RANDOM.uniform(-20, 30, (2, 40))
    for dtype in ("u1", "f8"):
        x, how = image((6, 11), dtype), {"order": order, "mode": mode, "bound": EXACT}
        check("map_coordinates", x, places, cval=3.7, **how)
        check("map_coordinates", x, places, output="i2", prefilter=False, **how)


def test_lazy_coordinates():
    x, places = image((6, 11), "f8"), RANDOM.uniform(-2, 8, (2, 9, 5)).astype("f4")
    expected = ndimage.map_coordinates(x, places, mode="reflect")
    for lazy in (dt.asarray(places), dt.asarray(places.tolist()).astype("f4") * 1):
        found = dt.ndimage.map_coordinates(x, lazy, mode="reflect").compute()
        np.testing.assert_array_equal(found, expected)


@pytest.mark.few(2)  # modes are met in the tests of kernels
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("dtype", ["u1", "f4", "c8"])
@pytest.mark.parametrize("mode", ["constant", "nearest", "grid-wrap"])
def test_every_sharding_has_one_value(dtype, mode, shardings):
    x, places = image((37, 41), dtype), np.sort(RANDOM.uniform(-3, 44, (2, 30, 20)), axis=1)

    def made(array):
        cells = dt.ndimage.map_coordinates(array, places, mode=mode)
        return dt.ndimage.geometric_transform(cells, _halved, order=1, mode=mode)

    whole = made(dt.asarray(x)).compute()
    for chunks in ((5, 41), (37, 4), (9, 13)):
        with shardings.tiny(4000, 2, 2):
            plan = dt.plan(made(dt.asarray(x).rechunk(chunks)))
            plan.verify()
            assert same_bits(plan.compute(), whole)
    assert same_bits(made(dt.asarray(x))[5:9, ::7].compute(), whole[5:9, ::7].copy())


def _halved(place):
    return tuple(n / 2 + 0.3 for n in place)


def test_functions_get_what_they_are_given():
    x = image((6, 5), "f8")

    def moved(place, by, factor=1):
        assert all(type(n) is int for n in place)
        return (place[0] * factor + by, place[1])

    options = {"extra_arguments": (0.5,), "extra_keywords": {"factor": 2}, "output_shape": (3, 5)}
    check("geometric_transform", x, moved, order=1, bound=EXACT, **options)
    check("geometric_transform", x, lambda o: (o[0], o[0]), (4,), bound=EXACT)


def test_functions_of_other_numbers_of_coordinates_are_refused():
    made = dt.ndimage.geometric_transform(dt.ones((3, 4)), lambda o: o[:1])
    with pytest.raises(RuntimeError, match="mapping returned 1 coordinates of an input of 2"):
        made.compute()
    with pytest.raises(TypeError, match="mapping must be a Python function, not int"):
        dt.ndimage.geometric_transform(dt.ones((3, 4)), 3)


@pytest.mark.parametrize(
    ("places", "error", "words"),
    [
        (np.ones((3, 5)), RuntimeError, "invalid shape for coordinate array"),
        (np.ones(2), RuntimeError, "input and output rank must be > 0"),
        (np.ones((2, 5)) * 1j, TypeError, "coordinates must be real, not complex128"),
    ],
)
def test_coordinates_that_do_not_fit_are_refused(places, error, words):
    for where in (places, dt.asarray(places)):
        with pytest.raises(error, match=f"map_coordinates: {words}"):
            dt.ndimage.map_coordinates(dt.ones((3, 4)), where)


def test_no_points():
    assert dt.ndimage.map_coordinates(dt.ones((3, 4)), np.ones((2, 0, 3))).compute().shape == (0, 3)
    found = dt.ndimage.map_coordinates(dt.ones((0, 4)), np.ones((2, 3)), cval=2.5, output="i4")
    assert found.compute().tolist() == [3, 3, 3]


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=3),
    st.sampled_from([*REAL, "c8", "c16"]),
    st.integers(0, 5),
    st.sampled_from(MODES),
    st.booleans(),
    st.integers(0, 2**32),
)
@examples(20)
def test_anything(shape, dtype, order, mode, prefilter, seed):
    random = np.random.default_rng(seed)
    x = image(tuple(shape), dtype, seed)
    how = {"order": order, "mode": mode, "prefilter": prefilter, "cval": 1.5, "bound": EXACT}
    chunks = tuple(int(random.integers(1, n + 1)) for n in shape)
    places = random.normal(3, 9, (x.ndim, *random.integers(1, 9, random.integers(1, 4))))
    with dt.config(block_bytes=int(random.integers(50, 2000))):
        check("map_coordinates", x, places, chunks=chunks, **how)
