"""Which arrays count as parts of others, whatever their nodes are."""

import numpy as np
import pytest

import dask_tapestry as dt

PARTS = {
    "x[...]": lambda x: x[...],
    "x[:, ::1]": lambda x: x[:, ::1],
    "x.view()": lambda x: x.view(),
    "x.view of bytes": lambda x: x.view("u8"),
    "x.reshape": lambda x: x.reshape(x.shape),
    "x.squeeze": lambda x: x.squeeze(),
    "x.swapaxes": lambda x: x.swapaxes(0, 0),
    "x[None][0]": lambda x: x[None][0],
}
OTHERS = {
    "x + 1": lambda x: x + 1,
    "x.copy()": lambda x: x.copy(),
    "x[...].copy()": lambda x: x[...].copy(),
    "x[[0, 1]]": lambda x: x[[0, 1]],
    "x[x > 0]": lambda x: x[x > 0],
}


@pytest.mark.parametrize("name", PARTS)
def test_parts_as_numpys_views(name):
    cells = np.arange(6.0).reshape(2, 3)
    assert np.shares_memory(PARTS[name](cells), cells)
    assert PARTS[name](dt.asarray(cells))._is_part


@pytest.mark.parametrize("name", OTHERS)
def test_others_are_values_of_their_own(name):
    cells = np.arange(6.0).reshape(2, 3)
    assert not np.shares_memory(OTHERS[name](cells), cells)
    assert not OTHERS[name](dt.asarray(cells))._is_part


def test_a_part_has_the_node_of_the_whole():
    x = dt.ones((2, 3))
    assert x[...].node is x.view().node is x.node
