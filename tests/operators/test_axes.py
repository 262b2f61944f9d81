import numpy as np
import pytest

from dask_tapestry.errors import AxisError, ShapeError
from dask_tapestry.operators.axes import is_one_axis, normalize_axes, normalize_axis


@pytest.mark.parametrize("axis", range(-3, 3))
def test_axes_count_from_either_end(axis):
    assert normalize_axis(axis, 3) == axis % 3
    assert normalize_axis(np.int8(axis), 3) == axis % 3


@pytest.mark.parametrize(("axis", "ndim"), [(3, 3), (-4, 3), (0, 0), (-1, 0)])
def test_an_axis_that_is_not_there_is_refused(axis, ndim):
    with pytest.raises(AxisError, match=f"axis {axis} is out of bounds .* dimension {ndim}"):
        normalize_axis(axis, ndim)
    with pytest.raises(np.exceptions.AxisError):
        normalize_axes((axis,), ndim)


def test_an_axis_is_an_integer():
    with pytest.raises(TypeError):
        normalize_axis(1.0, 3)


def test_several_axes_are_sorted_and_distinct():
    assert normalize_axes((2, -3), 3) == (0, 2)
    assert normalize_axes([1], 3) == normalize_axes(1, 3) == (1,)
    assert normalize_axes(None, 2) == (0, 1)
    assert normalize_axes((), 2) == ()
    with pytest.raises(ShapeError, match=r"duplicate value in axis: \(0, -3\)"):
        normalize_axes((0, -3), 3)


def test_an_array_without_dimensions_is_one_axis():
    assert normalize_axes(np.array(-1), 2) == (1,)
    assert is_one_axis(np.array(0))
    assert not is_one_axis(np.array([0]))
    assert not is_one_axis((0,))
