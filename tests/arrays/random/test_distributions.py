"""Statistics of every distribution, with fixed seeds and bounds of five standard deviations."""

from math import erf, log

import numpy as np
import pytest

import dask_tapestry as dt

from .samples import COUNT, deviates, gap, rng


def normal_share(x):
    return 0.5 * (1 + np.vectorize(erf)(x / 2**0.5))


CONTINUOUS = {
    "random": (lambda g: g.random(COUNT), lambda x: x),
    "random f4": (lambda g: g.random(COUNT, "f4"), lambda x: x),
    "uniform": (lambda g: g.uniform(-2, 6, COUNT), lambda x: (x + 2) / 8),
    "normal": (lambda g: g.normal(3, 2, COUNT), lambda x: normal_share((x - 3) / 2)),
    "normal f4": (lambda g: g.standard_normal(COUNT, "f4"), normal_share),
    "lognormal": (lambda g: g.lognormal(1, 2, COUNT), lambda x: normal_share((np.log(x) - 1) / 2)),
    "exponential": (lambda g: g.exponential(3, COUNT), lambda x: 1 - np.exp(-x / 3)),
    "exponential f4": (lambda g: g.standard_exponential(COUNT, "f4"), lambda x: 1 - np.exp(-x)),
}


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize(("draw", "share"), CONTINUOUS.values(), ids=CONTINUOUS)
def test_values_are_distributed_as_they_should_be(draw, share):
    g = rng()
    first, second = draw(g).compute(), draw(g).compute()
    assert gap(first, share) < 1.95
    uniform, other = share(first.astype(float)), share(second.astype(float))
    assert abs(np.corrcoef(uniform, other)[0, 1]) < 4 / COUNT**0.5
    for lag in (1, 2, 3, 4, 5, 64, 1000):
        assert abs(np.corrcoef(uniform[lag:], uniform[:-lag])[0, 1]) < 4 / COUNT**0.5
    pairs = (uniform[1:] * 32).astype(int) * 32 + (uniform[:-1] * 32).astype(int)
    counts = np.bincount(np.minimum(pairs, 1023), minlength=1024)
    assert deviates(counts, (COUNT - 1) / 1024) < 5


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_moments_of_the_normal_distribution(dtype):
    x = rng().standard_normal(COUNT, dtype).compute().astype(float)
    for power, mean, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96), (6, 15, 10170)):
        assert abs((x**power).mean() - mean) < 5 * (variance / COUNT) ** 0.5
    assert 4 < abs(x).max() < 6
    assert abs((abs(x) < 0.01).mean() - 0.0079787) < 5 * (0.008 / COUNT) ** 0.5


def test_half_precision_is_rounded_from_single(shardings):
    single, half = (rng().standard_normal((50, 40), dtype) for dtype in ("f4", "f2"))
    whole = half.compute()
    assert np.array_equal(whole, single.compute().astype("f2"))
    even = rng().random((50, 40), "f2").compute()
    assert np.array_equal(even * 2048, np.floor(rng().random((50, 40)).compute() * 2048))
    double = rng().standard_exponential((50, 40)).compute()
    assert np.array_equal(rng().standard_exponential((50, 40), "f2").compute(), double.astype("f2"))
    with shardings.tiny(64):
        assert np.array_equal(rng().standard_normal((50, 40), "f2").compute(), whole)
        assert np.array_equal(
            rng().standard_normal((50, 40), "f2")[::-7, 3].compute(), whole[::-7, 3]
        )


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_ends_of_the_unit_interval(dtype):
    x = rng().random(COUNT, dtype).compute()
    assert x.min() >= 0
    assert x.max() < 1
    assert x.dtype == dtype
    e = rng().standard_exponential(COUNT, dtype).compute()
    assert e.dtype == dtype
    assert e.min() >= 0
    assert log(COUNT) - 3 < e.max() < log(COUNT) + 7


def test_parameters_are_arrays_of_every_kind():
    loc, scale = np.array([[-10.0], [10.0]]), dt.asarray([1.0, 2.0, 3.0])
    x = rng().normal(loc, scale, (5000, 2, 3)).compute()
    assert abs(x.mean(axis=0) - loc).max() < 5 * 3 / 5000**0.5
    assert abs(x.std(axis=0) / [1, 2, 3] - 1).max() < 5 / 10_000**0.5
    assert rng().normal(loc, scale).shape == (2, 3)
    assert rng().exponential([1, 2]).shape == (2,)


REFUSED = [
    (lambda g: g.random(3, "c8"), TypeError, "Unsupported dtype dtype\\('complex64'\\) for random"),
    (lambda g: g.standard_normal(3, "i8"), TypeError, "Unsupported dtype"),
    (lambda g: g.standard_exponential(3, "c8"), TypeError, "Unsupported dtype"),
    (lambda g: g.standard_exponential(3, method="no"), ValueError, "method"),
    (lambda g: g.random(3, out=np.empty(3)), TypeError, "out"),
    (lambda g: g.integers(0, 2, 3, "f8"), TypeError, "Unsupported dtype"),
    (lambda g: g.integers(0, 2, 3, "M8[s]"), TypeError, "Unsupported dtype"),
    (lambda g: g.integers(5, 5), ValueError, "low >= high"),
    (lambda g: g.normal(0, -1), ValueError, "scale < 0"),
    (lambda g: g.normal(0, [1, -0.0]), ValueError, "scale < 0"),
    (lambda g: g.lognormal(0, -1), ValueError, "sigma < 0"),
    (lambda g: g.exponential([-1]), ValueError, "scale < 0"),
    (lambda g: g.uniform(1, 0), ValueError, "high - low < 0"),
    (lambda g: g.uniform("a", 0), ValueError, "could not convert"),
    (lambda g: g.uniform(1j, 0), TypeError, "real number"),
    (lambda g: g.normal(dt.ones(2, "c8")), TypeError, "real numbers"),
    (lambda g: g.normal([1, 2], size=3), ValueError, "broadcast"),
    (lambda g: g.permutation(5.0), IndexError, "axis 0 is out of bounds"),
    (lambda g: g.permutation([[1, 2]], axis=2), ValueError, "axis 2 is out of bounds"),
    (lambda g: g.choice(0), ValueError, "positive integer"),
    (lambda g: g.choice([], 2), ValueError, "unless no samples"),
    (lambda g: g.choice(5, 6, replace=False), ValueError, "larger sample"),
    (lambda g: g.choice(5.0), ValueError, "sequence or an integer"),
    (lambda g: g.choice(3, 2, p=[0.5, 0.5]), ValueError, "same size"),
    (lambda g: g.choice(3, 3, False, [0.5, 0.5, 0]), ValueError, "Fewer non-zero entries"),
]


@pytest.mark.parametrize(("call", "error", "text"), REFUSED)
def test_what_numpy_refuses_is_refused_when_it_is_built(call, error, text):
    with pytest.raises(error, match=text):
        call(rng())


def test_numbers_that_are_no_numbers_stay_so():
    assert np.isnan(rng().normal(0, np.nan, 3).compute()).all()
