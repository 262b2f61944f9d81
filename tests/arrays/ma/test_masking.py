import dask
import numpy as np
import pytest

import dask_tapestry as dt

from .masked_samples import agree, ours, sample

COMPARED = "equal not_equal greater greater_equal less less_equal".split()


@pytest.mark.parametrize("name", COMPARED)
@pytest.mark.parametrize("kind", ["?", "i1", "f8"])
def test_cells_are_hidden_by_comparison(name, kind):
    x = sample(kind)
    wanted = getattr(np.ma, f"masked_{name}")
    made = getattr(dt.ma, f"masked_{name}")
    agree(made(ours(x), 1), wanted(x, 1), beneath=True)
    agree(made(x.data, 1), wanted(x.data, 1), beneath=True)
    assert made(ours(x), 1).fill_value == wanted(x, 1).fill_value


@pytest.mark.parametrize("kind", ["?", "i1", "f8"])
def test_cells_are_hidden_that_equal_those_of_an_array(kind):
    x, y = sample(kind), sample(kind, seed=1).data
    wanted = np.ma.masked_where(x == y, x)  # as masked_equal, whose fill values are deprecated
    agree(dt.ma.masked_equal(ours(x), y), wanted, beneath=True)
    agree(dt.ma.masked_equal(ours(x), dt.asarray(y)), wanted, beneath=True)
    assert dt.ma.masked_equal(ours(x), y).fill_value == x.fill_value


def test_a_lazy_value_is_not_computed():
    def never():
        raise AssertionError("computed")

    value = dt.from_delayed(dask.delayed(never)(), (), float)
    made = dt.ma.masked_equal(dt.arange(4.0), value)
    assert made.shape == (4,)
    assert made.fill_value == np.ma.default_fill_value(1.0)


def test_a_condition_may_be_masked():
    x, condition = sample("i4"), sample("?", seed=1)
    agree(dt.ma.masked_where(ours(condition), ours(x)), np.ma.masked_where(condition, x))
    agree(dt.ma.masked_where(True, ours(x)), np.ma.masked_where(True, x))
    with pytest.raises(dt.IndexingError, match="Inconsistent shape"):
        dt.ma.masked_where([True, False], ours(x))
