"""A work as a user writes it, in names that dask and dask_tapestry share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np


class Session(NamedTuple):
    """Where a work runs.

    Attributes
    ----------
    xp
        `dask.array` or `dask_tapestry`.
    load
        Gives a stored array by its name.
    dataset
        Gives a stored Dataset of xarray's by its name.
    target
        A path at which nothing is yet.
    """

    xp: Any
    load: Callable[[str], Any]
    dataset: Callable[[str], Any]
    target: str


class Workload(NamedTuple):
    """A work, and what it was written after.

    Attributes
    ----------
    run
        Computes it; its value is what is compared.
    data
        Names of the stores that it reads.
    source
        Where the expression comes from.
    """

    run: Callable[[Session], Any]
    data: tuple[str, ...]
    source: str


WORKLOADS: Final[dict[str, Workload]] = {}


def workload(source: str, *data: str) -> Callable[[Callable[[Session], Any]], Any]:
    """Let a function be a work, under its own name with spaces."""

    def decorate(run: Callable[[Session], Any]) -> Callable[[Session], Any]:
        WORKLOADS[run.__name__.replace("_", " ")] = Workload(run, data, source)
        return run

    return decorate


def cells(value: Any) -> list[np.ndarray]:
    """The arrays of a value: of a Dataset each variable's, of tuples each."""
    if hasattr(value, "data_vars"):
        return [np.asarray(value[name].values) for name in sorted(value.data_vars)]
    if isinstance(value, tuple | list):
        return [x for one in value for x in cells(one)]
    return [np.asarray(value)]
