import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.folding import check
from tests.arrays.parity import agreed

X = np.random.default_rng(0).normal(size=(3, 9))
Y = np.random.default_rng(1).normal(size=(2, 9))
COUNTS = np.arange(9) % 3 + 1
WEIGHTS = np.linspace(0.5, 2, 9)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bias": True},
        {"ddof": 0},
        {"ddof": 9},
        {"fweights": COUNTS},
        {"aweights": WEIGHTS},
        {"fweights": COUNTS, "aweights": WEIGHTS},
        {"aweights": WEIGHTS, "bias": True},
        {"y": Y},
        {"y": Y[0]},
        {"dtype": "f4"},
        {"rowvar": False},
        {"y": X, "rowvar": False},
    ],
    ids=lambda o: " ".join(o),
)
def test_cov_is_numpys(options):
    rtol = 1e-5 if "dtype" in options else 1e-12
    check(lambda: dt.cov(X, **options), lambda: np.cov(X, **options), rtol)


def test_vectors_scalars_and_nothing():
    for x in (X[0], np.arange(5), 3.0, np.ones((0, 3))):
        check(lambda x=x: dt.cov(x), lambda x=x: np.cov(x))
    check(lambda: dt.corrcoef(X[0]), lambda: np.corrcoef(X[0]))
    check(lambda: dt.cov(X[0], rowvar=False), lambda: np.cov(X[0], rowvar=False))


def test_corrcoef_is_numpys():
    for x in (X, X + 1j * X[::-1]):
        check(lambda x=x: dt.corrcoef(x), lambda x=x: np.corrcoef(x))
    check(lambda: dt.corrcoef(X, Y), lambda: np.corrcoef(X, Y))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="two dimensions"):
        dt.cov(np.ones((2, 2, 2)))
    with pytest.raises(ValueError, match="samples and aweights"):
        dt.cov(X, aweights=[1.0])
    with pytest.raises(TypeError, match="integer"):
        dt.cov(X, fweights=WEIGHTS)
    with pytest.raises(ValueError, match="integer"):
        dt.cov(X, ddof=0.5)


@pytest.mark.parametrize("name", ["fweights", "aweights"])
def test_negative_weights_are_refused(name):
    samples = dt.asarray([[1.0, 2, 3], [2, 4, 1]])
    with pytest.raises(ValueError, match=f"{name} cannot be negative"):
        dt.cov(samples, **{name: [1, -1, 1]})
    lazy = dt.cov(samples, **{name: dt.asarray([1, -1, 1])})
    with pytest.raises(ValueError, match=f"{name} cannot be negative"):
        lazy.compute()
    agreed(lambda np, a: np.cov(a([[1.0, 2, 3], [2, 4, 1]]), **{name: a([2, 1, 1])}))
