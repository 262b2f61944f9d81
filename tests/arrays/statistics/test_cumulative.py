import numpy as np
import pytest

import dask_tapestry as dt


def test_arrays_without_dimensions():
    assert dt.cumulative_sum(dt.asarray(2), include_initial=True).compute().tolist() == [0, 2]


def test_several_dimensions_need_an_axis():
    with pytest.raises(dt.ShapeError, match="``axis`` argument is required"):
        dt.cumulative_prod(np.ones((3, 4)))
    assert dt.cumulative_prod(np.ones((3, 4)), axis=1).shape == (3, 4)
