"""Real draws are distributed as NumPy's, and as SciPy says where that is installed."""

import numpy as np
import pytest

from tests.kernels.cpu.variates.samples import COUNT, apart, drawn

CASES = [
    ("gamma", (2.5,), "standard_gamma", ("gamma", (2.5,))),
    ("gamma", (1.0,), "standard_gamma", ("gamma", (1.0,))),
    ("gamma", (0.2,), "standard_gamma", ("gamma", (0.2,))),
    ("gamma", (1e4,), "standard_gamma", ("gamma", (1e4,))),
    ("beta", (2.0, 3.0), "beta", ("beta", (2.0, 3.0))),
    ("beta", (0.5, 0.3), "beta", ("beta", (0.5, 0.3))),
    ("beta", (0.5, 3.0), "beta", ("beta", (0.5, 3.0))),
    ("chisquare", (3.0,), "chisquare", ("chi2", (3.0,))),
    ("noncentral_chisquare", (3.0, 2.0), "noncentral_chisquare", ("ncx2", (3.0, 2.0))),
    ("noncentral_chisquare", (0.5, 2.0), "noncentral_chisquare", ("ncx2", (0.5, 2.0))),
    ("noncentral_chisquare", (2.0, 0.0), "noncentral_chisquare", ("chi2", (2.0,))),
    ("f", (4.0, 7.0), "f", ("f", (4.0, 7.0))),
    ("noncentral_f", (4.0, 7.0, 2.0), "noncentral_f", ("ncf", (4.0, 7.0, 2.0))),
    ("standard_t", (2.5,), "standard_t", ("t", (2.5,))),
    ("wald", (2.0, 3.0), "wald", ("invgauss", (2 / 3, 0, 3.0))),
    ("vonmises", (0.0, 2.0), "vonmises", ("vonmises", (2.0,))),
    ("vonmises", (0.0, 1e-5), "vonmises", ("uniform", (-np.pi, 2 * np.pi))),
    ("vonmises", (3.0, 4.0), "vonmises", None),
    ("vonmises", (0.5, 1e7), "vonmises", ("norm", (0.5, 1e-7**0.5))),
]


@pytest.mark.parametrize(("name", "given", "numpy", "scipy"), CASES)
def test_draws_are_distributed_as_numpys(name, given, numpy, scipy):
    found = drawn(name, *given)
    assert apart(found, getattr(np.random.default_rng(8), numpy)(*given, COUNT)) < 1.95


@pytest.mark.few(9)  # as unlike as so many can be
@pytest.mark.parametrize(("name", "given", "numpy", "scipy"), [c for c in CASES if c[3]])
def test_draws_are_distributed_as_scipy_says(name, given, numpy, scipy):
    stats = pytest.importorskip("scipy.stats")
    distribution = getattr(stats, scipy[0])(*scipy[1])
    assert stats.kstest(drawn(name, *given), distribution.cdf).statistic * COUNT**0.5 < 1.95


def test_logarithms_are_those_of_gamma_draws():
    for shape in (0.3, 4.0):
        same = np.exp(drawn("log_gamma", shape)), drawn("gamma", shape)
        np.testing.assert_allclose(*same, rtol=1e-10)
    assert drawn("log_gamma", 1e-300).max() < -1e290
    assert (drawn("log_gamma", 0.0, count=3) == -np.inf).all()


def test_ends_of_the_parameters():
    assert (drawn("gamma", 0.0, count=3) == 0).all()
    assert (drawn("gamma", np.inf, count=3) == np.inf).all()
    tiny = drawn("beta", 1e-300, 1e-300, count=1000)
    assert set(tiny) == {0.0, 1.0}
    assert abs(tiny.mean() - 0.5) < 0.1
    for name, given in (
        ("gamma", (np.nan,)),
        ("beta", (np.nan, 1.0)),
        ("chisquare", (np.nan,)),
        ("noncentral_chisquare", (1.0, np.nan)),
        ("noncentral_f", (1.0, 1.0, np.nan)),
        ("f", (1.0, np.nan)),
        ("standard_t", (np.nan,)),
        ("wald", (np.nan, 1.0)),
        ("vonmises", (np.nan, 1.0)),
        ("vonmises", (0.0, np.nan)),
    ):
        assert np.isnan(drawn(name, *given, count=5)).all(), name
    angles = drawn("vonmises", 100.0, 1.0)
    assert abs(angles).max() <= np.pi
