import numpy as np
import pytest
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st
from scipy import ndimage

import dask_tapestry as dt
from dask_tapestry.operators.images import region_tiles
from tests.arrays.ndimage.against_scipy import REAL, SHAPES, image
from tests.comparisons import same_bits


def check(x, structure=None, **options):
    expected, count = ndimage.label(x, structure, **options)
    labels, found = dt.ndimage.label(dt.asarray(x), structure, **options)
    assert labels.dtype == expected.dtype
    np.testing.assert_array_equal(labels.compute(), expected)
    assert int(found) == count
    assert found.shape == ()


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_dtype_and_shape(dtype, shape):
    x = image(shape, dtype) * image(shape, "?", 1)
    for connectivity in range(1, len(shape) + 1):
        check(x, ndimage.generate_binary_structure(len(shape), connectivity))
    check(x)


def test_scalars_and_cells_that_are_not_zero():
    for x in (0, 3, -1.5, True):
        check(np.array(x))
    check(np.array([0.0, np.nan, -0.0, np.inf, 1]))
    check(np.zeros((0, 3)), np.ones((3, 3)))


@given(st.integers(0, 2**32), st.integers(1, 3), st.data())
def test_every_structure(seed, ndim, data):
    random = np.random.default_rng(seed)
    shape = tuple(data.draw(st.lists(st.integers(0, 6), min_size=ndim, max_size=ndim)))
    structure = random.random((3,) * ndim) < 0.5
    check(random.random(shape) < 0.6, structure | np.flip(structure))


def test_output():
    x = image((9, 8), "?")
    check(x, output=np.float32)
    check(x, output="u1")
    out = dt.zeros((9, 8), "i8")
    count = dt.ndimage.label(x, output=out)
    expected, number = ndimage.label(x)
    np.testing.assert_array_equal(out.compute(), expected)
    assert int(count) == number
    with pytest.raises(dt.ShapeError, match=r"output shape not correct.*\(3,\)"):
        dt.ndimage.label(x, output=dt.zeros(3))
    with pytest.raises(dt.DTypeError, match="output must be a dtype"):
        dt.ndimage.label(x, output=np.zeros((9, 8)))


@pytest.mark.parametrize(
    ("structure", "error", "text"),
    [
        (np.ones(3), RuntimeError, "structure and input must have equal rank, not 1 and 2"),
        (np.ones((3, 5)), ValueError, r"structure dimensions must be equal to 3, not \(3, 5\)"),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 0]], ValueError, "structure is not symmetric"),
    ],
)
def test_structures_that_are_none(structure, error, text):
    with pytest.raises(error, match=f"label: {text}"):
        dt.ndimage.label(dt.ones((4, 4)), structure)


def test_complex_cells_are_refused():
    with pytest.raises(TypeError, match="label: cells must be real numbers, not complex128"):
        dt.ndimage.label(np.ones(3, complex))


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("chunks", [(50, 3), (7, 40), (16, 16)])
def test_every_sharding_has_one_value(chunks, shardings, monkeypatch):
    for name, cells in (("FEW_TILE_CELLS", 100), ("LEAST_TILE_ROWS", 1)):
        monkeypatch.setattr(region_tiles, name, cells)
    x = ndimage.gaussian_filter(image((50, 40), "f8"), 1) > 0
    expected, count = ndimage.label(x)
    labels, found = dt.ndimage.label(dt.asarray(x).rechunk(chunks))
    with shardings.tiny(600, workers=3, threads=2):
        assert same_bits(labels.compute(), expected)
        assert same_bits(labels[7:23, ::3].compute(), expected[7:23, ::3])
        assert int(found) == count


def test_smooth_threshold_label_and_measure():
    x = np.random.default_rng(5).random((200, 150))
    smooth = dt.ndimage.gaussian_filter(dt.asarray(x), 3)
    labels, count = dt.ndimage.label(smooth > 0.52)
    numbers, regions = ndimage.label(ndimage.gaussian_filter(x, 3) > 0.52)
    assert int(count) == regions
    means = dt.ndimage.mean(x, labels, np.arange(1, regions + 1)).compute()
    np.testing.assert_allclose(means, ndimage.mean(x, numbers, np.arange(1, regions + 1)))
    assert dt.ndimage.find_objects(labels) == ndimage.find_objects(numbers)


@pytest.mark.exhaustive  # on threads of one process above
@pytest.mark.cluster
def test_regions_across_processes():
    x = np.random.default_rng(5).random((3000, 1500)) < 0.55
    made = dt.ndimage.label(dt.asarray(x))
    expected, count = ndimage.label(x)
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
    ):
        labels, found = dt.compute(*made)
    np.testing.assert_array_equal(labels, expected)
    assert found == count
