import pytest

from .samples import COUNT, rng

MOMENTS = {
    "chisquare": ((4.0,), 4, 8),
    "noncentral_chisquare": ((4.0, 1.0), 5, 12),
    "f": ((8.0, 20.0), 20 / 18, 0.6),
    "noncentral_f": ((8.0, 20.0, 2.0), 20 * 10 / 8 / 18, 0.9),
    "standard_t": ((9.0,), 0, 9 / 7),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name):
    given, mean, variance = MOMENTS[name]
    x = getattr(rng(), name)(*given, size=COUNT).compute()
    assert abs(x.mean() - mean) < 5 * (variance / COUNT) ** 0.5
    assert abs(x.var() / variance - 1) < 0.2
