import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import REAL, image
from tests.comparisons import same_bits

SHAPES = ((7,), (1,), (0,), (0, 3), (5, 6), (1, 9), (9, 1), (4, 5, 6), (3, 2, 2, 3))
NAMES = ["distance_transform_edt", "distance_transform_cdt", "distance_transform_bf"]


def cells(shape, seed=0):
    random = np.random.default_rng(seed)
    return [random.random(shape) < share for share in (0, 0.5, 0.9, 1)]


def both(name, x, *arguments):
    """Distances and indices, of SciPy and of this library."""
    expected = getattr(ndimage, name)(x, *arguments, return_indices=True)
    found = getattr(dt.ndimage, name)(dt.asarray(x), *arguments, return_indices=True)
    return expected, tuple(one.compute() for one in found)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sampling", [None, 2.5, [3, 1, 2, 2], [0.3, 1.7, 0.9, 1.1], 0])
def test_every_shape_and_sampling(shape, sampling):
    steps = sampling[: len(shape)] if isinstance(sampling, list) else sampling
    for x in cells(shape):
        expected, found = both("distance_transform_edt", x, steps)
        for one, other in zip(expected, found, strict=True):
            assert same_bits(other, one)
        expected, found = both("distance_transform_bf", x, "euclidean", steps)
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-14)
        if steps is None or (isinstance(steps, list) and isinstance(steps[0], int)):
            assert same_bits(found[1], expected[1])


def test_negative_samplings_are_as_far_as_positive_ones():
    for x in cells((5, 6)):
        found = dt.ndimage.distance_transform_edt(x, [-1, 2]).compute()
        assert same_bits(found, ndimage.distance_transform_edt(x, [1, 2]))


@pytest.mark.parametrize("metric", ["taxicab", "chessboard"])
@pytest.mark.parametrize("shape", SHAPES)
def test_steps(shape, metric):
    for x in cells(shape, 1):
        for name in NAMES[1:]:
            expected, found = both(name, x, metric)
            assert same_bits(found[0], expected[0])
            if x.all() or (metric == "taxicab" and name == NAMES[2]):
                assert same_bits(found[1], expected[1])
            elif x.size:
                places = tuple(found[1])
                assert not x[places].any()
                away = abs(found[1] - np.indices(shape))
                least = away.sum(0) if metric == "taxicab" else away.max(0)
                assert (least == expected[0]).all()


@given(st.integers(0, 2**32), st.data())
def test_random_images(seed, data):
    shape = tuple(data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=3)))
    x = np.random.default_rng(seed).random(shape) < data.draw(st.sampled_from([0.4, 0.9, 0.98]))
    for expected, found in zip(*both("distance_transform_edt", x), strict=True):
        assert same_bits(found, expected)


@pytest.mark.parametrize("dtype", REAL)
def test_every_dtype(dtype):
    x = image((20, 30), dtype) * (image((20, 30), "?", 1) | image((20, 30), "?", 2))
    for name in NAMES:
        expected = getattr(ndimage, name)(x)
        assert same_bits(getattr(dt.ndimage, name)(dt.asarray(x)).compute(), expected)


def test_scalars():
    for x in (0, 1):
        for name in NAMES[::2]:
            expected = np.asarray(getattr(ndimage, name)(np.array(x)))
            assert same_bits(np.asarray(getattr(dt.ndimage, name)(x).compute()), expected)


def test_structures_as_metrics():
    x = cells((8, 9))[2]
    for connectivity in (1, 2):
        structure = ndimage.generate_binary_structure(2, connectivity)
        expected = ndimage.distance_transform_cdt(x, structure)
        assert same_bits(dt.ndimage.distance_transform_cdt(x, structure).compute(), expected)


def test_outputs_take_the_values():
    x = cells((8, 9))[2]
    away, at = dt.zeros(x.shape), dt.zeros((2, *x.shape), "i4")
    assert dt.ndimage.distance_transform_edt(
        x, return_indices=True, distances=away, indices=at
    ) is None  # fmt: skip
    expected = ndimage.distance_transform_edt(x, return_indices=True)
    assert same_bits(away.compute(), expected[0])
    assert same_bits(at.compute(), expected[1])


@pytest.mark.parametrize(
    ("name", "options", "error", "text"),
    [
        (NAMES[0], {"return_distances": False}, RuntimeError, "at least one of return_distances"),
        (NAMES[0], {"sampling": [1, 2, 3]}, RuntimeError, "sequence argument must have length"),
        (NAMES[0], {"sampling": "a"}, ValueError, "sampling must be numbers, not 'a'"),
        (NAMES[0], {"indices": dt.zeros(3)}, RuntimeError, "return_indices must be True"),
        (NAMES[0], {"distances": dt.zeros((3, 3), "i4")}, RuntimeError, "must be float64, not int"),
        (NAMES[0], {"distances": dt.zeros(3)}, RuntimeError, "distances array has wrong shape"),
        (NAMES[1], {"metric": "far"}, ValueError, "invalid metric provided: 'far'"),
        (NAMES[1], {"metric": np.ones((3, 5))}, ValueError, "metric sizes must be equal to 3"),
        (NAMES[1], {"metric": np.eye(3)}, ValueError, "metric must be the structure of the taxi"),
        (NAMES[2], {"metric": None}, RuntimeError, "distance metric not supported: None"),
        (NAMES[2], {"return_indices": 2}, TypeError, "return_indices must be True or False, not 2"),
        (NAMES[2], {"metric": "far"}, RuntimeError, "distance metric not supported: 'far'"),
    ],
)
def test_bad_arguments(name, options, error, text):
    with pytest.raises(error, match=text):
        getattr(dt.ndimage, name)(dt.ones((3, 3)), **options)
    with pytest.raises(TypeError, match="cells must be real numbers"):
        getattr(dt.ndimage, name)(dt.ones((3, 3), complex))


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("chunks", [(37, 4), (5, 41), (9, 13)])
@pytest.mark.parametrize("name", NAMES)
def test_every_sharding_has_one_value(name, chunks, shardings):
    x = ndimage.gaussian_filter(image((37, 41), "f8"), 2) > -0.1
    expected = getattr(ndimage, name)(x)
    made = getattr(dt.ndimage, name)(dt.asarray(x).rechunk(chunks))
    with shardings.tiny(2000, workers=3, threads=2):
        assert same_bits(made.compute(), expected)
        assert same_bits(made[3:9, ::5].compute(), expected[3:9, ::5])
