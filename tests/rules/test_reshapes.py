import numpy as np

import dask_tapestry as dt
from dask_tapestry.rules.reshapes import compose_reshapes, reshape_as_view

from .graphs import after


def memory(*shape):
    return dt.asarray(np.ones(shape))


def test_compose_reshapes():
    x = memory(4, 6)
    assert after(x.reshape(2, 12).reshape(8, 3), compose_reshapes).splitlines()[1:] == [
        "%1 = reshape(%0, (8, 3)) : float64[8, 3]",
        "return %1",
    ]
    assert after(x.reshape(24).reshape(4, 6), compose_reshapes).splitlines()[1:] == ["return %0"]


def test_reshape_as_view():
    assert after(memory(4, 1, 3).reshape(1, 4, 3, 1), reshape_as_view).splitlines()[1] == (
        "%1 = view(%0, [0+1*o1, 0, 0+1*o2]) : float64[1, 4, 3, 1]"
    )
    assert "reshape" in after(memory(4, 1, 3).reshape(3, 4), reshape_as_view)


def test_names_are_not_lost():
    x = memory(4, 1, 3).rename("a", "b", "c")
    text = after(x.reshape(4, 1, 3, 1), reshape_as_view)
    assert "a=4" in text
    assert "c=3" in text
