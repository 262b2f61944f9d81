"""How many examples a property is tried on: few in each run, many at night."""

from typing import Any

from hypothesis import settings

USUAL = 50  # examples of a property that names no number
SHARE = 0.2  # of its examples a property is tried on in `make test`: the same ones each time
NIGHTLY = 40.0  # times as many at night: other ones


def examples(number: int, **others: Any) -> settings:
    """Settings with the profile's share of `number` examples, at least one.

    Parameters
    ----------
    number
        Examples by which properties are weighed: of one that finds more, or costs less, more.
    others
        Further settings of hypothesis.

    Examples
    --------
    >>> examples(60).max_examples * USUAL == settings().max_examples * 60
    True
    """
    return settings(max_examples=max(1, number * settings().max_examples // USUAL), **others)
