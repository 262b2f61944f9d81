import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import agree, ours, sample


@pytest.mark.parametrize("axis", [0, -1])
def test_masks_are_joined_too(axis):
    x, y = sample("i4"), sample("f4", seed=1)
    for other, theirs in ((ours(y), y), (y.data, y.data)):
        for name in ("concatenate", "stack"):
            wanted = getattr(np.ma, name)([x, theirs], axis)
            agree(getattr(dt.ma, name)([ours(x), other], axis), wanted, beneath=True)
            agree(getattr(np, name)([ours(x), other], axis), wanted)


def test_without_masks_there_is_none():
    assert dt.ma.concatenate([[1], [2]]).mask is np.ma.nomask


@pytest.mark.parametrize("join", [dt.concatenate, dt.stack, dt.ma.concatenate])
def test_an_array_in_place_of_an_axis_is_refused(join):
    x = ours(sample("i4"))
    with pytest.raises(dt.ArgumentTypeError, match="cannot be interpreted as an integer"):
        join(x, x)
