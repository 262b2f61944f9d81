import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.ndimage.against_scipy import MODES, REAL, SHAPES, check, image


@pytest.mark.covering
@pytest.mark.parametrize("dtype", [*REAL, "c8", "c16"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["correlate1d", "convolve1d"])
def test_lines(name, dtype, shape):
    x = image(shape, dtype)
    for weights, origin in (([1, 2, 4], 0), ([0.5, -2, 1, 1], -2), ([1.5, 0, 1.5], 1)):
        for axis in range(len(shape)):
            check(name, x, weights, axis, origin=origin, mode="mirror")
            check(name, x, weights, axis, output="c16" if dtype[0] == "c" else "f4", mode="wrap")


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["correlate", "convolve"])
def test_boxes(name, mode):
    for shape, window, origin in (((7,), (4,), 1), ((6, 9), (3, 2), (1, -1)), ((3, 4, 5), 3, 0)):
        weights = image(window if isinstance(window, tuple) else (window,) * 3, "f8", 1)
        for dtype in ("?", "u1", "i4", "f8"):
            check(name, image(shape, dtype), weights, mode=mode, cval=7.5, origin=origin)


def test_some_axes():
    x = image((4, 5, 6), "f8")
    check("correlate", x, [[1, 2], [3, 4.0]], axes=(0, 2), origin=(0, -1))
    check("convolve", x, [1, 2, 3.0], axes=1)


def test_an_array_without_dimensions():
    assert dt.ndimage.correlate(dt.asarray(3.0), np.array(2.0)).compute() == 6
    with pytest.raises(ValueError, match="axis -1 is out of bounds"):
        dt.ndimage.correlate1d(dt.asarray(3.0), [1])


@pytest.mark.parametrize("weights", [[], [[1]], 3])
def test_weights_of_another_rank_are_refused(weights):
    with pytest.raises(RuntimeError, match="no filter weights given"):
        dt.ndimage.correlate1d(dt.ones(4), weights)
    if np.ndim(weights) != 1 or not np.size(weights):
        with pytest.raises(RuntimeError, match=r"weights.ndim \(\d\) must match len\(axes\) \(1\)"):
            dt.ndimage.correlate(dt.ones(4), weights)


def test_plans_of_many_weights_are_small():
    made = dt.ndimage.correlate1d(dt.ones((5000, 5000)), np.arange(301.0))
    assert len(made.plan().core.graph.nodes) < 12
