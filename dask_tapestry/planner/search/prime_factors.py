"""Prime factors of how many blocks there are to be."""

from __future__ import annotations

from collections.abc import Iterator


def prime_factors(number: int) -> Iterator[int]:
    """Factors of a number, the largest first.

    Examples
    --------
    >>> list(prime_factors(360)), list(prime_factors(1))
    ([5, 3, 3, 2, 2, 2], [])
    """
    factors, factor = [], 2
    while number > 1:
        while number % factor == 0:
            factors.append(factor)
            number //= factor
        factor += 1
    yield from reversed(factors)
