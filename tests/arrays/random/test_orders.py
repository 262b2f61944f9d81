import numpy as np
import pytest

import dask_tapestry as dt

from .samples import deviates, rng


def test_each_lane_has_an_order_of_its_own(shardings):
    x = np.arange(60_000).reshape(2000, 30)
    found = rng().permuted(x, axis=1)
    whole = found.compute()
    np.testing.assert_array_equal(np.sort(whole, axis=1), x)
    counts = np.bincount((whole[:, 3] - x[:, 0]), minlength=30)
    assert deviates(counts, 2000 / 30) < 5
    with shardings.tiny(4096):
        np.testing.assert_array_equal(found.compute(), whole)
    columns = rng().permuted(x, axis=0).compute()
    np.testing.assert_array_equal(np.sort(columns, axis=0), x)
    mixed = rng().permuted(x).compute()
    assert mixed.shape == x.shape
    np.testing.assert_array_equal(np.sort(mixed, axis=None), x.ravel())


def test_shuffling_changes_the_array_alone():
    x = dt.asarray(np.arange(12).reshape(4, 3)) + 0
    before, view = x + 0, x
    rng().shuffle(x, axis=1)
    assert view is x
    np.testing.assert_array_equal(np.sort(x.compute(), axis=1), before.compute())
    for other in (np.arange(3), [1, 2]):
        with pytest.raises(TypeError, match="permutation"):
            rng().shuffle(other)
    with pytest.raises(ValueError, match="axis 2"):
        rng().shuffle(x, axis=2)


def test_bytes_have_the_length_asked_for():
    for length in (0, 1, 8, 9, 1000):
        found = rng().bytes(length)
        assert isinstance(found, bytes)
        assert len(found) == length
    assert deviates(np.bincount(list(rng().bytes(100_000)), minlength=256), 100_000 / 256) < 5
    with pytest.raises(ValueError, match="negative"):
        rng().bytes(-1)
    with pytest.raises(TypeError):
        rng().bytes(2.5)
    with pytest.raises(TypeError, match="out"):
        rng().permuted([1, 2], out=np.empty(2))


def test_choice_without_replacement_prefers_what_is_likelier():
    p = [0.5, 0.25, 0.125, 0.125, 0.0]
    first = [int(rng(seed).choice(5, 4, replace=False, p=p)[0]) for seed in range(300)]
    assert deviates(np.bincount(first, minlength=4), 300 * np.array(p[:4])) < 5
    taken = rng().choice(5, 4, replace=False, p=p).compute()
    assert sorted(taken) == [0, 1, 2, 3]
    rows = rng().choice(np.eye(5), (2, 2), False, p).compute()
    assert rows.shape == (2, 2, 5)
