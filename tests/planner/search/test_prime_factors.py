"""Prime factors."""

from math import prod

import pytest

from dask_tapestry.planner.search.prime_factors import prime_factors


@pytest.mark.parametrize("number", [1, 2, 12, 97, 100])
def test_prime_factors(number):
    factors = list(prime_factors(number))
    assert prod(factors) == number
    assert all(f > 1 and all(f % d for d in range(2, f)) for f in factors)
    assert factors == sorted(factors, reverse=True)
