import pytest

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import REAL, SHAPES, check, image


@pytest.mark.parametrize("dtype", [*REAL[1:], "c8", "c16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_of_second_derivatives(dtype, shape):
    x = image(shape, dtype)
    check("laplace", x, mode="nearest")
    check("gaussian_laplace", x, 1.1, mode="wrap", bound=64)


def test_some_axes():
    x = image((4, 5, 6), "f8")
    check("laplace", x, axes=(2, 0), mode=("wrap", "mirror"))
    check("gaussian_laplace", x, (1, 0.5), axes=(2, 0), bound=64)
    check("gaussian_laplace", x, (1, 0.5, 2), axes=(2, 0, 1), bound=64)
    check("laplace", x, axes=())


def test_a_derivative_of_the_users():
    def second(x, axis, output, mode, cval, factor, more=0):
        weights = [1.0 * factor, -2.0 * factor, 1.0 + more]
        return dt.ndimage.correlate1d(x, weights, axis, output, mode, cval)

    x = dt.asarray(image((5, 6), "f8"))
    made = dt.ndimage.generic_laplace(x, second, extra_arguments=(1,), extra_keywords={"more": 0.0})
    assert bool((made == dt.ndimage.laplace(x)).all())
    with pytest.raises(TypeError, match="generic_laplace: the derivative must be a function"):
        dt.ndimage.generic_laplace(x, 3)
