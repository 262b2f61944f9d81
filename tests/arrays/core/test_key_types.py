from types import EllipsisType
from typing import get_args

import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.core.key_types import UserItem

ITEMS = [2, slice(1, 3), ..., None, [0, 2], np.array([True, False, True, False]), dt.asarray([3])]


def test_every_kind_of_item_indexes():
    assert {slice, EllipsisType, type(None)} < set(get_args(UserItem))
    numbers = np.arange(4)
    for item in ITEMS:
        plain = item.compute() if isinstance(item, dt.Array) else item
        assert np.array_equal(dt.asarray(numbers)[item].compute(), numbers[plain])
