"""`calibrate`: measuring how fast this machine is."""

from __future__ import annotations

import warnings
from time import perf_counter
from typing import Any

import dask
from dask.system import CPU_COUNT

from dask_tapestry.arrays.calibration.cluster import calibrate_cluster
from dask_tapestry.arrays.calibration.kernel_rates import kernel_rates
from dask_tapestry.arrays.calibration.memory_rates import memory_rates
from dask_tapestry.arrays.calibration.processors_got import processors_got
from dask_tapestry.arrays.calibration.store_rates import store_rates
from dask_tapestry.arrays.calibration.task_rates import task_rates
from dask_tapestry.arrays.tuning import LEAST_GOT, PROCESS_BUDGET_SECONDS
from dask_tapestry.planner.machine.calibrate import keep_rates, processor
from dask_tapestry.planner.machine.rates import Rates, rates_of, rounded
from dask_tapestry.planner.machine.resources import this_machine
from dask_tapestry.teg.users_line import users_level

__all__ = ["calibrate"]


def calibrate(client: Any = None) -> Rates:
    """Measure how fast this machine computes, moves and schedules, and keep that for all plans.

    It takes about three seconds. The first time, when kernels must be compiled, those that are not
    reached in that time are compared with the others; call it again for their own rates. What is
    measured is kept in the directory of compiled kernels for machines of this kind, and is in force
    at once and in later processes, unless ``config(rates=...)`` says otherwise. Until then plans
    are made with rates that ship with the library, up to the first job that is expected to take a
    minute on this machine: it is measured before that. Let nothing else run meanwhile: where other
    work takes a fifth of the processors, what was measured is returned with a warning, and is not
    kept.

    {Parameters} client: A Dask client, to measure its cluster instead: a worker of each kind, the
        way between two workers, and the scheduler. The slowest kind counts. It is kept as long as
        the client.
    {Returns} Rates: What was measured; it prints as a table, and ``config(rates=...)`` takes it.
    {See Also} Resources, config
    {Examples}
    >>> rates = dt.calibrate()  # doctest: +SKIP
    >>> rates.network, rates.latency  # doctest: +SKIP
    (1000000000.0, 0.001)
    """
    if client is not None:
        return calibrate_cluster(client)
    got = processors_got()
    end = perf_counter() + PROCESS_BUDGET_SECONDS
    with dask.config.set(scheduler="threads"):  # not on a cluster, if there is one
        found = memory_rates() | store_rates()
        found |= {f"local_{name}": value for name, value in task_rates(this_machine()).items()}
        operations = kernel_rates(end - perf_counter())
    rates = rates_of(
        {name: rounded(value) for name, value in found.items()}
        | {"machine": processor(), "threads": CPU_COUNT}
        | {"operations": {name: rounded(value) for name, value in operations.items()}}
    )
    if (got := min(got, processors_got())) >= LEAST_GOT:
        keep_rates(rates)
    else:
        _tell_of_other_work(got)
    return rates


def _tell_of_other_work(got: float) -> None:
    warnings.warn(
        f"only {got:.0%} of the processors were free while this machine was measured, so the rates "
        "are not kept: measure it again when nothing else runs, or take them nevertheless with "
        "config(rates=...)",
        RuntimeWarning,
        stacklevel=users_level(),
    )
