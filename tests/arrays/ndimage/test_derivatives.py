import pytest

from tests.arrays.ndimage.against_scipy import MODES, REAL, SHAPES, check, image


@pytest.mark.covering
@pytest.mark.parametrize("name", ["sobel", "prewitt"])
@pytest.mark.parametrize("dtype", [*REAL[1:], "c8", "c16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_differences(name, dtype, shape):
    x = image(shape, dtype)
    for axis in range(len(shape)):
        check(name, x, axis, mode="constant", cval=3)
    check(name, x, mode=MODES[: len(shape)], output="c16" if dtype[0] == "c" else "f8")


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("axes", [None, (0,), (2, 0)])
def test_magnitudes(dtype, axes):
    x = image((4, 5, 6), dtype)
    check("gaussian_gradient_magnitude", x, 1.2, axes=axes, bound=64)
    check("gaussian_gradient_magnitude", x, (1, 0.5, 2), axes=axes, mode="wrap", truncate=2.0)


def test_of_integers_squares_have_their_dtype():
    x = image((9, 9), "i4") // 30
    check("gaussian_gradient_magnitude", x, 1)
    check("gaussian_gradient_magnitude", image((9, 9), "u1"), 1, output="f8", bound=64)
