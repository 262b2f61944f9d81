import numpy as np
import pytest

import dask_tapestry as dt

from .samples import COUNT, deviates, gap, rng


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("low", "count"),
    [(0, 2), (-3, 7), (5, 1000), (0, 3 * 2**30), (-9 * 10**18, 3 * 2**62), (-(2**63), 2**64)],
)
def test_integers_are_equally_likely(low, count):
    x = rng().integers(low, low + count, COUNT).compute()
    assert x.min() >= low
    assert x.max() < low + count
    boxes = min(count, 1000)
    place = ((x.astype(object) - low) * boxes // count).astype(int)
    assert deviates(np.bincount(place, minlength=boxes), COUNT / boxes) < 5
    if count < 1000:
        pairs = (x[1:] - low) * count + x[:-1] - low
        assert deviates(np.bincount(pairs, minlength=count**2), (COUNT - 1) / count**2) < 5
    rest = (x.astype(object) - low) % 7
    if count > 10**6:
        assert deviates(np.bincount(rest.astype(int), minlength=7), COUNT / 7) < 5


def test_integers_of_arrays_of_bounds():
    high = np.array([1, 2, 10, 2**40, 2**63 - 1])
    x = rng().integers(0, high, (20_000, 5)).compute()
    assert (x >= 0).all()
    assert (x < high).all()
    assert (
        abs(x[:, 2:].mean(axis=0) / (high[2:] - 1) - 0.5).max() < 5 * 12**-0.5 / 20_000**0.5 + 0.06
    )
    later = rng().integers(0, dt.asarray(high), (20_000, 5)).compute()
    np.testing.assert_array_equal(x, later)
    whole = rng().integers([0], [2**64], (20_000, 1), "u8").compute() / 2.0**64
    assert gap(whole, lambda x: x) < 1.95


def test_integers_of_bounds_that_are_computed_later():
    low, high = dt.asarray(np.array([-5, 3], "i2")), dt.arange(2, dtype="u1") + 7
    x = rng().integers(low, high, (5000, 2), endpoint=True).compute()
    assert x.min(axis=0).tolist() == [-5, 3]
    assert x.max(axis=0).tolist() == [7, 8]


def test_choices():
    p = np.array([0.1, 0, 0.3, 0.25, 0.35])
    counts = np.bincount(rng().choice(5, COUNT, p=p).compute(), minlength=5)
    assert counts[1] == 0
    assert (abs(counts - p * COUNT) <= 5 * (p * COUNT) ** 0.5).all()
    rows = rng().choice(np.eye(3), 9000, axis=1).compute()
    assert rows.shape == (3, 9000)
    assert abs(rows.sum(axis=1) - 3000).max() < 5 * 2000**0.5
    once = rng().choice(100, (5, 20), replace=False).compute()
    assert sorted(once.ravel()) == list(range(100))
    assert rng().choice([], 0).shape == (0,)
    assert 0 <= int(rng().choice(3)) < 3


def test_permutations():
    x = np.arange(30.0).reshape(5, 6)
    rows = rng().permutation(x).compute()
    assert sorted(map(tuple, rows)) == sorted(map(tuple, x))
    columns = rng().permutation(dt.asarray(x), axis=1).compute()
    np.testing.assert_array_equal(np.sort(columns, axis=1), x)
    assert (columns[0] != x[0]).any()
    assert rng().permutation(-3).shape == (0,)
    for n in (0, 1, 2):
        assert sorted(rng().permutation(n).compute()) == list(range(n))
