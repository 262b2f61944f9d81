import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.ndimage.splines import ends_of
from tests.arrays.ndimage.against_scipy import MODES, REAL, SHAPES, check, image
from tests.comparisons import same_bits

EXACT = 0.01  # of a rounding: none


@pytest.mark.parametrize("dtype", [*REAL, "c8", "c16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_coefficients_are_scipys_to_the_bit(dtype, shape):
    x, wide = image(shape, dtype), "c16" if dtype[0] == "c" else "f8"
    for order in range(6):
        for axis in range(len(shape)):
            check("spline_filter1d", x, order, axis, output=wide, bound=EXACT)
    output = "c8" if dtype[0] == "c" else "f4"
    check("spline_filter", x, 4, output=output, mode="reflect", bound=EXACT)
    if dtype[0] != "c":
        check("spline_filter", x, output="i2", bound=EXACT)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_modes(mode, order):
    check("spline_filter1d", image((30,), "f8"), order, mode=mode, bound=EXACT)
    check("spline_filter", image((2, 9), "u1"), order, mode=mode, bound=EXACT)


@pytest.mark.parametrize("dtype", ["u1", "f4", "c8"])
def test_every_sharding_has_one_value(dtype, shardings):
    x = image((37, 41), dtype)
    output = "c16" if dtype[0] == "c" else "f8"
    whole = dt.ndimage.spline_filter(dt.asarray(x), output=output).compute()
    for chunks in ((5, 41), (37, 4), (9, 13), (1, 1)):
        with shardings.tiny(2000, 2, 2):
            cut = dt.asarray(x).rechunk(chunks)
            plan = dt.plan(dt.ndimage.spline_filter(cut, output=output))
            plan.verify()
            assert same_bits(plan.compute(), whole)


def test_float16_and_arrays_without_dimensions():
    found = dt.ndimage.spline_filter(dt.ones((3, 4), "f2")).compute()
    assert found.dtype == "f8"
    np.testing.assert_allclose(found, 1, rtol=1e-14)
    assert dt.ndimage.spline_filter(3.5).compute() == 3.5
    assert dt.ndimage.spline_filter1d(3.5, 1).compute() == 3.5


def test_an_array_takes_the_value():
    taken = dt.zeros(4, "f4")
    dt.ndimage.spline_filter1d(dt.ones(4), output=taken)
    np.testing.assert_allclose(taken.compute(), 1, rtol=1e-6)


def test_bad_arguments():
    with pytest.raises(RuntimeError, match="spline order not supported: 6, must be 0 to 5"):
        dt.ndimage.spline_filter1d(dt.ones(3), 6)
    with pytest.raises(RuntimeError, match="spline order not supported: 1, must be 2 to 5"):
        dt.ndimage.spline_filter(dt.ones(3), 1)
    with pytest.raises(RuntimeError, match=r"spline_filter: mode must be one of .* not 'mirro'"):
        dt.ndimage.spline_filter(dt.ones(3), mode="mirro")
    with pytest.raises(ValueError, match="spline_filter1d: axis 1 is out of bounds"):
        dt.ndimage.spline_filter1d(dt.ones(3), axis=1)
    with pytest.raises(TypeError, match="cells must be numbers"):
        dt.ndimage.spline_filter(dt.asarray(np.zeros(3, "M8[s]")))
    with pytest.warns(UserWarning, match="promoting specified output dtype to complex"):
        dt.ndimage.spline_filter1d(dt.ones(3, "c8"))


def test_how_lines_go_on():
    assert [ends_of("f", mode) for mode in ("grid-mirror", "wrap")] == ["reflect", "mirror"]
