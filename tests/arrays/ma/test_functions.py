import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import KINDS, agree, ours, sample


@pytest.mark.parametrize("kind", KINDS)
def test_parts(kind):
    x = sample(kind)
    agree(dt.ma.getdata(ours(x)), x.data)
    agree(dt.ma.getmaskarray(ours(x)), x.mask)
    agree(dt.ma.getmask(ours(x)), x.mask)
    agree(dt.ma.getmaskarray(x.data), np.zeros(x.shape, bool))
    agree(dt.ma.filled(ours(x), 1), x.filled(1))
    agree(dt.ma.filled(x.data), x.data)
    agree(dt.ma.compressed(ours(x)), x.compressed())
    agree(dt.ma.count(ours(x), 0), np.ma.count(x, 0))
    assert dt.ma.getmask(x.data) is np.ma.nomask
    assert dt.ma.is_masked(ours(x)) is True
    assert dt.ma.is_masked(x.data) is False
    for made, wanted in zip(dt.ma.nonzero(ours(x)), np.ma.nonzero(x), strict=True):
        agree(made, wanted)


def test_fill_values_are_set():
    x = ours(sample("i4"))
    dt.ma.set_fill_value(x, 3)
    assert x.fill_value == 3
    dt.ma.set_fill_value(np.ones(3), 3)


@pytest.mark.parametrize("kind", ["i4", "f8"])
def test_choices(kind):
    condition, x, y = sample("?", seed=3), sample(kind), sample("f4", (5,), 1)
    agree(dt.ma.where(ours(condition), ours(x), ours(y)), np.ma.where(condition, x, y))
    agree(np.where(ours(condition), ours(x), 1), np.ma.where(condition, x, 1))
    agree(dt.ma.where(condition, np.ma.masked, x), np.ma.where(condition, np.ma.masked, x))
    (only,) = dt.ma.where(ours(condition[0]))
    agree(only, np.ma.where(condition[0])[0])
    with pytest.raises(dt.ArgumentError, match="both or neither"):
        dt.ma.where(condition, x)
