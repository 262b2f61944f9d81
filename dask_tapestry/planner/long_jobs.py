"""Long jobs: measures this machine before one where that is worth it, and warns of months.

Of one that is predicted to take months its user is told.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from logging import getLogger
from threading import Lock
from typing import Final

from dask_tapestry.planner.cache import plan_of
from dask_tapestry.planner.machine.calibrate import measured_rates
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.tuning import LONG_JOB_SECONDS
from dask_tapestry.settings import setting
from dask_tapestry.teg import Node
from dask_tapestry.teg.users_line import users_level

DAY: Final = 86_400.0  # seconds
YEAR: Final = 365  # days
ENDLESS: Final = 30 * DAY
_measuring = Lock()
_ways: list[Callable[[], object]] = []  # to measure, until one was used


def measures(measure: Callable[[], object]) -> None:
    """Have `measure` called before the first long job on this machine: it stands on the planner."""
    _ways[:] = [measure]


def plan_to_run(roots: Sequence[Node]) -> PlannedGraph:
    """Plan the values `roots` together, after measuring this machine if they take long on it."""
    plan = plan_of(roots)
    if _is_worth_it(plan) and _measured():
        plan = plan_of(roots)
    _tell_if_endless(plan)
    return plan


def _seconds(plan: PlannedGraph) -> float:
    return sum(step.estimate.seconds for step in plan.steps.values())


def _is_worth_it(plan: PlannedGraph) -> bool:
    if not _ways or not plan.resources.local or setting("rates") != "measured":
        return False
    return _seconds(plan) > LONG_JOB_SECONDS and measured_rates() is None


def _tell_if_endless(plan: PlannedGraph) -> None:
    """Warn of a plan that nobody may want to wait for, and say what of it takes longest."""
    seconds = _seconds(plan)
    if seconds < ENDLESS:
        return
    longest = max(plan.steps.values(), key=lambda step: step.estimate.seconds)
    where = f" ({longest.node.line})" if longest.node.line else ""
    days = seconds / DAY
    term = f"{days:,.0f} days" if days < YEAR else f"{days / YEAR:,.0f} years"
    warnings.warn(
        f"this is predicted to take {term} on {plan.resources}, most of it for "
        f"{longest.node.operator.label} {longest.node.type}{where}; `dt.plan(x).explain()` says "
        "why, and an interrupt stops it",
        RuntimeWarning,
        stacklevel=users_level(),
    )


def _measured() -> bool:
    """Measure, unless another thread does already; whether there are other rates now."""
    if not _measuring.acquire(blocking=False):
        return False
    try:
        while _ways:
            getLogger(__name__).warning(
                "this machine is measured before its first long job, which takes about 3 s, once"
            )
            _ways.pop()()
    except Exception as error:  # the job runs as well with shipped rates
        getLogger(__name__).warning("this machine cannot be measured: %r", error)
    finally:
        _measuring.release()
    return measured_rates() is not None
