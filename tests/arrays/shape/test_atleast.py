import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("name", ["atleast_1d", "atleast_2d", "atleast_3d"])
def test_one_array_or_a_tuple(name):
    ours, theirs = getattr(dt, name), getattr(np, name)
    assert ours(7).shape == theirs(7).shape
    made, expected = (
        ours(7, [1, 2], np.ones((2, 1, 1, 3))),
        theirs(7, [1, 2], np.ones((2, 1, 1, 3))),
    )
    assert type(made) is type(expected)
    assert [x.shape for x in made] == [x.shape for x in expected]
    assert ours() == theirs() == ()
