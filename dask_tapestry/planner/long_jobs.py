"""Plans to be run, for which this machine is measured first where that is worth its seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from logging import getLogger
from threading import Lock
from typing import Final

from dask_tapestry.planner.cache import plan_of
from dask_tapestry.planner.machine.calibrate import measured_rates
from dask_tapestry.planner.plan import Plan
from dask_tapestry.settings import setting
from dask_tapestry.teg import Node

LONG: Final = 60.0  # seconds; measuring takes three, a twentieth, and once for all
_measuring = Lock()
_ways: list[Callable[[], object]] = []  # to measure, until one was used


def measures(measure: Callable[[], object]) -> None:
    """Have `measure` called before the first long job on this machine: it stands on the planner."""
    _ways[:] = [measure]


def plan_to_run(roots: Sequence[Node]) -> Plan:
    """Plan the values `roots` together, after measuring this machine if they take long on it."""
    plan = plan_of(roots)
    return plan_of(roots) if _is_worth_it(plan) and _measured() else plan


def _is_worth_it(plan: Plan) -> bool:
    if not _ways or not plan.resources.local or setting("rates") != "measured":
        return False
    seconds = sum(step.estimate.seconds for step in plan.steps.values())
    return seconds > LONG and measured_rates() is None


def _measured() -> bool:
    """Measure, unless another thread does already; whether there are other rates now."""
    if not _measuring.acquire(blocking=False):
        return False
    try:
        while _ways:
            _ways.pop()()
    except Exception as error:  # the job runs as well with shipped rates
        getLogger(__name__).warning("this machine cannot be measured: %r", error)
    finally:
        _measuring.release()
    return measured_rates() is not None
