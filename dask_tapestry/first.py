"""The first of some candidates, one of which there must be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from dask_tapestry.errors import PlanError

T = TypeVar("T")


def first_of(candidates: Iterable[T], what: str) -> T:
    """Return the first of candidates, of which there is one by construction.

    A bare ``next`` would raise `StopIteration` where there is none after all, which ends a loop or
    a generator somewhere above without a word.

    Parameters
    ----------
    candidates
        Those that fit.
    what
        They are, for the text of the error.

    Raises
    ------
    PlanError
        If there is none.

    Examples
    --------
    >>> first_of((n for n in (7, 8, 9) if n % 2 == 0), "even number")
    8
    """
    for found in candidates:
        return found
    raise PlanError(f"there is no {what}: this is an error of the library")
