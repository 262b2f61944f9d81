"""What is told is data alone."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.diagnostics.plan_summaries import told_whole
from dask_tapestry.teg import Node
from dask_tapestry.teg.operator import Operator

PLAIN = (bool, int, float, str)


def leaves(value):
    if isinstance(value, tuple):
        for one in value:
            yield from leaves(one)
    elif isinstance(value, dict):
        yield from value.values()
    else:
        yield value


def test_what_is_told_is_numbers_and_text():
    x = dt.asarray(np.ones((100, 30)))
    found = list(leaves(told_whole(dt.plan(dt.sort(x @ x.T, axis=0)).core)))
    assert len(found) > 100
    assert all(isinstance(one, PLAIN) for one in found)
    assert not any(isinstance(one, Node | Operator) for one in found)
