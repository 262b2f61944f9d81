"""The state of a dry run, in which plans are reported instead of run; see `dry_run`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dask_tapestry.planner.memory.results import ResultMemory
    from dask_tapestry.planner.plan import PlannedGraph

    Told = Callable[[PlannedGraph, ResultMemory, bool], None]

_told: list[Told] = []


@contextmanager
def dry_run(told: Told) -> Iterator[None]:
    """Inside a ``with`` block, plans are told to `told` instead of run.

    It is given the plan, what is to become of its results, and whether its tasks are for Dask,
    which would run them itself; what it raises ends the compute.
    """
    _told.append(told)
    try:
        yield
    finally:
        _told.pop()


def is_dry_run() -> bool:
    """Whether nothing is to run.

    Examples
    --------
    >>> is_dry_run()
    False
    """
    return bool(_told)


def report_plan(plan: PlannedGraph, results: ResultMemory, for_dask: bool) -> None:
    """Tell of a plan that would run now."""
    _told[-1](plan, results, for_dask)
