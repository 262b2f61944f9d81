import numpy as np
import pytest

from dask_tapestry_kernels.parameters.coordinate_steps import component_of, out_of_bounds, wrapped


def test_a_component_is_a_part_of_all_vectors():
    indices = np.arange(12).reshape(2, 3, 2)
    assert component_of(indices, 1, None) is None
    assert component_of(indices, 3, 0) is indices
    np.testing.assert_array_equal(component_of(indices, 1, 2), indices[:, 2])


@pytest.mark.parametrize("wrong", [5, -6])
def test_the_error_is_numpys(wrong):
    with pytest.raises(IndexError) as error:
        np.arange(5)[[0, wrong]]
    assert str(out_of_bounds(min(0, wrong), max(0, wrong), 5, 0)) == str(error.value)
    assert out_of_bounds(-5, 4, 5, 0) is None


def test_places_out_of_bounds_say_which():
    with pytest.raises(IndexError, match="index 3 is out of bounds for axis 1 with size 3"):
        wrapped(np.array([0, 3]), 3, 1)
    with pytest.raises(IndexError, match="index -4 is out of bounds for axis 1 with size 3"):
        wrapped(np.array([0, -4]), 3, 1)
    assert wrapped(np.array([-1, 2]), 3, 0).tolist() == [2, 2]
    assert wrapped(np.array([], "u1"), 0, 0).dtype == np.intp
