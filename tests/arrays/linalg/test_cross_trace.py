import warnings

import numpy as np
import pytest

import dask_tapestry as dt

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("left", [2, 3])
@pytest.mark.parametrize("right", [2, 3])
def test_missing_third_cells_are_zero(left, right):
    x, w = RANDOM.normal(size=(4, left)), RANDOM.normal(size=(4, right))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, of vectors of two cells
        expected = np.cross(x, w)
    np.testing.assert_allclose(dt.cross(x, w).compute(), expected, rtol=1e-13)


def test_axes_of_vectors():
    x, w = RANDOM.normal(size=(3, 4, 5)), RANDOM.normal(size=(4, 3, 5))
    expected = np.cross(x, w, axisa=0, axisb=1, axisc=1)
    np.testing.assert_allclose(np.cross(dt.asarray(x), w, 0, 1, 1).compute(), expected)


def test_other_vectors_are_refused():
    for shapes in (((4,), (3,)), ((3,), (1,)), ((), (3,)), ((2, 3), (3, 3))):
        with pytest.raises(dt.ShapeError):
            dt.cross(*[np.ones(s) for s in shapes])
    with pytest.raises(dt.AxisError, match="axisc"):
        dt.cross(np.ones(3), np.ones(3), axisc=2)


def test_traces_out_of_the_matrix_are_zero():
    assert float(dt.trace(np.ones((2, 2)), 7)) == 0
    out = dt.zeros((3,), "f4")
    assert dt.asarray(np.ones((2, 2, 3))).trace(out=out) is out
    with pytest.raises(dt.ShapeError, match="same"):
        dt.trace(np.ones((2, 2)), 0, 1, 1)
