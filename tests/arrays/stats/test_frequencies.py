import numpy as np
import pytest

import dask_tapestry as dt

from .conftest import chi_square_above

SEEN = np.array([[16.0, 0.0], [18.0, 6.0], [11.0, 3.0]])
WANTED = np.array([[15.0, 2.0], [20.0, 5.0], [10.0, 2.0]])


def agrees(found, statistic):
    values = found.compute()
    np.testing.assert_allclose(values.statistic, statistic, rtol=1e-12)
    np.testing.assert_allclose(values.pvalue, chi_square_above(2, values.statistic), rtol=1e-9)


def test_equal_frequencies_are_expected(special, shardings):
    mean = SEEN.mean(0)
    agrees(dt.stats.chisquare(SEEN), ((SEEN - mean) ** 2 / mean).sum(0))
    with shardings.tiny(16):
        agrees(dt.stats.chisquare(dt.asarray(SEEN).T, axis=1), ((SEEN - mean) ** 2 / mean).sum(0))
    flat = np.array([3, 5, 4, 4])
    agrees(dt.stats.chisquare(flat.reshape(2, 2), ddof=1, axis=None), ((flat - 4) ** 2 / 4).sum())


@pytest.mark.parametrize(
    ("power", "terms"),
    [
        ("pearson", lambda o, e: (o - e) ** 2 / e),
        ("log-likelihood", lambda o, e: 2 * np.where(o == 0, 0, o * np.log(np.maximum(o, 1) / e))),
        ("cressie-read", lambda o, e: o * ((o / e) ** (2 / 3) - 1) * 1.8),
        (2, lambda o, e: o * ((o / e) ** 2 - 1) / 3),
    ],
)
def test_powers(special, power, terms):
    found = dt.stats.power_divergence(SEEN, WANTED, lambda_=power)
    agrees(found, terms(SEEN, WANTED).sum(0))


def test_powers_of_what_is_expected(special):
    seen = SEEN + 1
    wanted = WANTED + 1
    agrees(
        dt.stats.power_divergence(seen, wanted, lambda_="mod-log-likelihood"),
        2 * (wanted * np.log(wanted / seen)).sum(0),
    )


def test_sums_that_do_not_agree(special):
    found = dt.stats.chisquare(SEEN, WANTED * 2)
    with pytest.raises(ValueError, match="must agree"):
        found.compute()
    with pytest.raises(ValueError, match="invalid string"):
        dt.stats.power_divergence(SEEN, lambda_="no")
