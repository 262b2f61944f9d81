import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.random import bounds

from .samples import rng


def later(values):
    return dt.asarray(np.array(values)) + 0


BAD = [
    ("standard_gamma", (-1.0,)),
    ("standard_gamma", (-0.0,)),
    ("gamma", (1.0, -1.0)),
    ("beta", (0.0, 1.0)),
    ("beta", (1.0, -1.0)),
    ("chisquare", (0.0,)),
    ("f", (0.0, 1.0)),
    ("f", (1.0, 0.0)),
    ("standard_t", (0.0,)),
    ("noncentral_chisquare", (0.0, 1.0)),
    ("noncentral_chisquare", (1.0, -1.0)),
    ("noncentral_f", (1.0, 1.0, -1.0)),
    ("vonmises", (0.0, -1.0)),
    ("wald", (0.0, 1.0)),
    ("wald", (1.0, 0.0)),
    ("poisson", (-1.0,)),
    ("poisson", (np.nan,)),
    ("poisson", (1e19,)),
    ("binomial", (-1, 0.5)),
    ("binomial", (1, 2.0)),
    ("binomial", (1, np.nan)),
    ("geometric", (0.0,)),
    ("negative_binomial", (0.0, 0.5)),
    ("negative_binomial", (1.0, 0.0)),
    ("negative_binomial", (np.nan, 0.5)),
    ("hypergeometric", (1, 1, -1)),
    ("hypergeometric", (1, 1, 3)),
    ("hypergeometric", (10**9, 1, 1)),
    ("logseries", (1.0,)),
    ("zipf", (1.0,)),
    ("normal", (0.0, -1.0)),
    ("weibull", (-1.0,)),
    ("power", (0.0,)),
]


def refusal(call):
    with pytest.raises(ValueError, match=r"[<>]|too large|NaN|less than") as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize(("name", "given"), BAD)
def test_numbers_and_arrays_are_refused_with_numpys_words(name, given):
    numpy, arrays = np.random.default_rng(), [np.array([g, g]) for g in given]
    assert refusal(lambda: getattr(rng(), name)(*given)) == refusal(
        lambda: getattr(numpy, name)(*given)
    )
    if not (name == "poisson" and np.isnan(given[0])):  # NumPy finds it too large
        assert refusal(lambda: getattr(rng(), name)(*arrays)) == refusal(
            lambda: getattr(numpy, name)(*arrays)
        )


@pytest.mark.parametrize(
    ("name", "given", "text"),
    [
        ("poisson", ([1.0, -2.0],), "lam < 0 or lam contains NaNs"),
        ("normal", (0.0, [1.0, -1.0]), "scale < 0"),
        ("hypergeometric", ([3, 4], 1, 5), "ngood . nbad < nsample"),
        ("negative_binomial", ([1.0, 1e18], 1e-10), "n too large or p too small"),
        ("multinomial", (3, [[0.5, 0.5], [2.0, 0.0]]), "pvals < 0, pvals > 1"),
        ("uniform", (0.0, [1.0, -1.0]), "high - low < 0"),
        ("uniform", (0.0, [1.0, np.inf]), "range exceeds valid bounds"),
    ],
)
def test_what_is_computed_later_is_refused_then_with_its_box(name, given, text):
    arrays = [later(g) if isinstance(g, list) else g for g in given]
    x = getattr(rng(), name)(*arrays)
    with pytest.raises(ValueError, match=f"(?s){text}.*block"):
        x.compute()


def test_cells_that_are_computed_later_may_be_right():
    lam = later([[1.0], [100.0]])
    known = np.array([[1.0], [100.0]])
    same = rng().poisson(lam, (2, 50)).compute(), rng().poisson(known, (2, 50)).compute()
    np.testing.assert_array_equal(*same)


def test_counts_are_integers():
    assert bounds.count_parameter(3, "n") == 3
    for bad in (np.array([1.5]), np.array([1], "u8"), later([1.5])):
        with pytest.raises(TypeError, match="integers that fit int64"):
            bounds.count_parameter(bad, "n")
    with pytest.raises(dt.DTypeError, match="real numbers"):
        bounds.real_parameter(dt.ones(2, "c8"))
