import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.windows.convolve import convolve, is_direct


def names(x, k, groups=1, strides=(1, 1), dilation=(1, 1)):
    node = convolve(dt.asarray(x).node, dt.asarray(k).node, strides, dilation, groups)
    return [n.operator.name for n in dt.Array(node).teg]


def test_shapes_and_dtype_choose_how_it_is_computed():
    assert "convolution" in names(np.ones((1, 8, 9, 9)), np.ones((8, 8, 3, 3)))
    assert "directconvolution" in names(np.ones((1, 8, 9, 9)), np.ones((8, 1, 3, 3)), 8)
    assert "directconvolution" in names(np.ones((1, 8, 9, 9), "i8"), np.ones((8, 8, 3, 3), "i8"))
    assert not is_direct(np.dtype("f4"), (64, 1, 3, 3), 1)


def test_what_no_window_has_is_cut_off_before():
    node = convolve(dt.ones((1, 1, 8, 9)).node, dt.ones((1, 1, 3, 1)).node, (2, 4), (1, 1), 1)
    convolution = next(n for n in dt.Array(node).teg if n.operator.name == "directconvolution")
    assert convolution.inputs[0].type.shape == (1, 1, 1, 7, 3)
    assert (convolution.operator.strides, convolution.operator.dilation) == ((2, 1), (1, 1))


def test_half_precision_is_added_up_in_single():
    node = convolve(dt.ones((1, 1, 8), "f2").node, dt.ones((1, 1, 3), "f2").node, (1,), (1,), 1)
    assert node.type.dtype == "f2"
    assert any(n.type.dtype == "f4" for n in dt.Array(node).teg)


@pytest.mark.parametrize(
    ("shapes", "groups", "says"),
    [
        (((2, 3), (2, 3)), 1, "one of space at least"),
        (((2, 3, 4, 4), (2, 3, 4)), 1, "same number of dimensions"),
        (((2, 3, 4, 4), (2, 2, 1, 1)), 1, "k of 3/1 channels"),
        (((2, 4, 4, 4), (3, 2, 1, 1)), 2, "outputs that 2 divides"),
        (((2, 3, 4, 4), (2, 3, 5, 1)), 1, "a window of 5 cells does not fit 4"),
        (((2, 3, 4, 4), (2, 3, 0, 1)), 1, "a cell at least"),
    ],
)
def test_shapes_that_do_not_fit_are_refused(shapes, groups, says):
    x, k = [dt.ones(shape).node for shape in shapes]
    with pytest.raises(ShapeError, match=says):
        convolve(x, k, (1, 1), (1, 1), groups)


def test_windows_that_reach_too_far_are_refused():
    with pytest.raises(ShapeError, match="3 cells, 2 apart, does not fit 4"):
        convolve(dt.ones((1, 1, 4)).node, dt.ones((1, 1, 3)).node, (1,), (2,), 1)


def test_what_is_not_multiplied_is_refused():
    with pytest.raises(DTypeError):
        convolve(dt.zeros((1, 1, 4), "M8[s]").node, dt.ones((1, 1, 3)).node, (1,), (1,), 1)
