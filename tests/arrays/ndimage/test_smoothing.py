import numpy as np
import pytest
from scipy import ndimage

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import MODES, REAL, SHAPES, check, image
from tests.comparisons import same_bits


@pytest.mark.parametrize("dtype", [*REAL, "c8", "c16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_gaussians(dtype, shape):
    x = image(shape, dtype)
    check("gaussian_filter", x, 1.3)
    check("gaussian_filter", x, 0.6, mode="constant", cval=2, truncate=2.0)
    check("gaussian_filter1d", x, 2.0, 0, mode="wrap")


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_derivatives_of_gaussians(order):
    check("gaussian_filter1d", image((30,), "f8"), 1.7, order=order, bound=64)
    check("gaussian_filter", image((9, 8), "f8"), (0.7, 1.2), order=(order, 0), bound=64)


def test_one_of_each_for_each_axis():
    x = image((6, 7, 8), "f8")
    check("gaussian_filter", x, (1, 0, 0.5), mode=("wrap", "mirror", "constant"), cval=3.0)
    check("gaussian_filter", x, (1, 2), axes=(2, 0), radius=(3, 1))
    check("uniform_filter", x, (1, 4, 5), origin=(0, -2, 1), mode=("wrap", "mirror", "nearest"))
    check("uniform_filter", x, 3, axes=-1)


@pytest.mark.parametrize("dtype", [*REAL, "c16"])
@pytest.mark.parametrize("size", [1, 2, 5, 64, 65, 100])
def test_means(dtype, size):
    x = image((6, 9), dtype)
    for mode in MODES if dtype == "i2" else ("reflect", "constant"):
        check("uniform_filter1d", x, size, mode=mode, cval=1, bound=256)
    output = "c16" if dtype == "c16" else "f8"
    check("uniform_filter1d", x, size, 0, origin=-(size // 2), output=output, bound=256)


def test_means_forget_what_has_left_the_window():
    x = np.ones(20)
    x[3], x[10] = np.nan, 1e300
    found = dt.ndimage.uniform_filter1d(dt.asarray(x), 3).compute()
    assert found[6] == found[15] == 1


@pytest.mark.few(3)  # each mode
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("dtype", ["u1", "f4", "f8", "c8"])
@pytest.mark.parametrize("mode", ["reflect", "constant", "wrap"])
def test_every_sharding_has_one_value(dtype, mode, shardings):
    x = image((37, 41), dtype)

    def made(array):
        smooth = dt.ndimage.gaussian_filter(array, 1.5, mode=mode, cval=2.0)
        return dt.ndimage.uniform_filter(smooth, (3, 70), mode=mode, cval=2.0)

    whole = made(dt.asarray(x)).compute()
    for chunks in ((5, 41), (37, 4), (9, 13), (1, 1)):
        with shardings.tiny(2000, 2, 2):
            plan = dt.plan(made(dt.asarray(x).rechunk(chunks)))
            plan.verify()
            assert same_bits(plan.compute(), whole)
    assert same_bits(made(dt.asarray(x))[5:9, ::7].compute(), whole[5:9, ::7].copy())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sigma": -1}, "sigma must not be negative"),
        ({"sigma": float("nan")}, "sigma must not be negative"),
        ({"sigma": 1, "order": -1}, "order must not be negative"),
        ({"sigma": 1, "radius": -1}, "radius must be a non-negative integer"),
        ({"sigma": 1, "radius": 1.5}, "radius must be a non-negative integer"),
    ],
)
def test_what_is_no_gaussian_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        dt.ndimage.gaussian_filter(dt.ones((3, 3)), **options)


def test_sizes_and_modes_are_checked():
    with pytest.raises(RuntimeError, match="uniform_filter1d: size must be at least 1"):
        dt.ndimage.uniform_filter1d(dt.ones(3), 0)
    with pytest.raises(RuntimeError, match="mode must be one of"):
        dt.ndimage.gaussian_filter(dt.ones(3), 1, mode="symmetric")


def test_nothing_is_done_of_no_axes():
    x = image((3, 4), "i4")
    np.testing.assert_array_equal(dt.ndimage.gaussian_filter(dt.asarray(x), 0).compute(), x)
    assert dt.ndimage.uniform_filter(dt.asarray(x), (1, 0), output="f4").dtype == "f4"
    assert dt.ndimage.gaussian_filter(dt.asarray(3.5), 1).compute() == 3.5
    np.testing.assert_array_equal(
        dt.ndimage.gaussian_filter(dt.asarray(x), 1, axes=()).compute(),
        ndimage.gaussian_filter(x, 1, axes=()),
    )


def test_wide_gaussians_are_one_operator_for_each_axis():
    plan = dt.ndimage.gaussian_filter(dt.ones((4000, 4000)), 30).plan()
    names = [node.operator.name for node in plan.core.graph.nodes]
    assert names.count("windowsum") == 2
    assert len(names) < 20
