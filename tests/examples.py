"""How many examples a property is tried on: few in each run, many at night."""

from typing import Any

from hypothesis import settings

USUAL = 50  # examples of the profile "usual"; another profile's share scales every number


def examples(number: int, **others: Any) -> settings:
    """Settings with `number` examples, or as many more as the profile has than the usual one.

    Parameters
    ----------
    number
        Examples in `make test`.
    others
        Further settings of hypothesis.

    Examples
    --------
    >>> examples(60).max_examples * USUAL == settings().max_examples * 60
    True
    """
    return settings(max_examples=number * settings().max_examples // USUAL, **others)
