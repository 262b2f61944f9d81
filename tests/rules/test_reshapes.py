import numpy as np

import dask_tapestry as dt
from dask_tapestry.rules.reshapes import (
    RESHAPE_RULES,
    compose_reshapes,
    reshape_as_view,
    reshape_without_ones,
)
from dask_tapestry.rules.views import VIEW_RULES

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


def test_dimensions_of_length_one_are_left_to_views():
    x = memory(4, 1, 6)
    assert after(x.reshape(1, 8, 3), reshape_without_ones).splitlines()[1:] == [
        "%1 = view(%0, [0+1*o0, 0, 0+1*o1]) : float64[4, 6]",
        "%2 = reshape(%1, (8, 3)) : float64[8, 3]",
        "%3 = view(%2, [0+1*o1, 0+1*o2]) : float64[1, 8, 3]",
        "return %3",
    ]
    assert "view" not in after(memory(4, 6).reshape(8, 3), *RESHAPE_RULES)
    assert "view" not in after(memory(4, 1, 0).reshape(1, 0), reshape_without_ones)


def test_reshapes_that_differ_by_such_dimensions_are_one():
    x = memory(4, 6)
    graph = dt.concatenate([x.reshape(8, 3, 1), x.reshape(8, 1, 3).transpose(0, 2, 1)], -1)
    assert after(graph, *VIEW_RULES).count("= reshape(") == 1


def test_a_reshape_past_such_a_view_is_one_reshape():
    x = memory(4, 6).reshape(24)[:, None].reshape(3, 8)
    assert after(x, *VIEW_RULES).splitlines()[1:] == [
        "%1 = reshape(%0, (3, 8)) : float64[3, 8]",
        "return %1",
    ]
