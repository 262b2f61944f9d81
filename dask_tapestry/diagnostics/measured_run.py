"""The last run of a plan as measured: laid over its page, and turned into rates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from dask_tapestry.diagnostics.profile import Profile, StepProfile, profile_of
from dask_tapestry.diagnostics.tuning import LEAST_MEASURED_SECONDS, MOST_RATE_CHANGE
from dask_tapestry.errors import PlanError
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.machine.calibrate import keep_rates, rates_in_force
from dask_tapestry.planner.machine.cluster_rates import keep_cluster_rates
from dask_tapestry.planner.machine.rates import Rates, rounded
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.settings import setting

COMPUTING: Final = ("memory", "memory_shared", "fresh", "fresh_pages")
STORES: Final = ("store_read", "store_write", "store_plain", "store_plain_write")


def measured_run(plan: PlannedGraph) -> dict[int, tuple[float, float, float]]:
    """Seconds, bytes and peak of each step in the last run, by number from 1; {} without a run."""
    try:
        found = profile_of(plan)
    except PlanError:
        return {}
    return {
        number: (step.seconds, float(step.bytes), float(step.peak))
        for number, step in enumerate(found.steps, start=1)
        if step.done
    }


def recalibrate(plan: PlannedGraph) -> Rates:
    """Have later plans count with what the last run showed; return the rates.

    Raises
    ------
    PlanError
        If no run of the plan is known, or the last one is not done, or the setting ``rates`` names
        others than those that are measured.
    """
    if (named := setting("rates")) != "measured":
        raise PlanError(
            f"plans count with the rates that the setting rates={named!r} names: recalibrate with "
            "dask_tapestry.config(rates='measured')"
        )
    found = profile_of(plan)
    if found.state != "done":
        raise PlanError(f"rates can only be taken from a finished run, this one is {found.state}")
    known = plan.resources.rates
    base = known if isinstance(known, Rates) else rates_in_force()
    rates = scaled(base, times_slower(plan, found))
    client = live_client()
    if client is None:
        keep_rates(rates)
    else:
        keep_cluster_rates(client, rates)
    return rates


def times_slower(plan: PlannedGraph, found: Profile) -> dict[str, float]:
    """How many times as long as predicted computing and stores took.

    Tasks read, compute and write at once, so a step tells of what most of its seconds are
    predicted for. What is too short to be measured tells nothing.
    """
    slots = plan.resources.slots
    sums: dict[str, list[float]] = {"compute": [0.0, 0.0], "store": [0.0, 0.0]}
    for kind, predicted, measured in _limited(plan.steps.values(), found.steps, slots):
        sums[kind][0] += predicted
        sums[kind][1] += measured
    return {
        kind: min(MOST_RATE_CHANGE, max(1 / MOST_RATE_CHANGE, measured / predicted))
        for kind, (predicted, measured) in sums.items()
        if predicted and measured >= LEAST_MEASURED_SECONDS
    }


def _limited(
    steps: Iterable[Step], found: Iterable[StepProfile], slots: int
) -> Iterator[tuple[str, float, float]]:
    """For each step of threads the resource that limits it, predicted and measured seconds."""
    for step, one in zip(steps, found, strict=False):
        cost = step.estimate
        predicted = cost.compute + cost.store
        if one.done and predicted and not step.machine.device:
            kind = "store" if cost.store > cost.compute else "compute"
            yield kind, predicted, one.thread_seconds / min(slots, max(1, one.tasks))


def scaled(rates: Rates, slower: Mapping[str, float]) -> Rates:
    """Rates of a machine whose resources are so many times as slow.

    Examples
    --------
    >>> from dask_tapestry.planner.machine.rates import shipped_rates
    >>> before = shipped_rates()
    >>> after = scaled(before, {"store": 2.0})
    >>> before.store_write / after.store_write, before.memory / after.memory
    (2.0, 1.0)
    """
    compute, store = slower.get("compute", 1.0), slower.get("store", 1.0)
    changed: dict[str, Any] = {name: rounded(getattr(rates, name) / compute) for name in COMPUTING}
    changed |= {name: rounded(getattr(rates, name) / store) for name in STORES}
    operations = tuple([(name, rounded(rate / compute)) for name, rate in rates.operations])
    return replace(
        rates,
        operations=operations,
        row=rounded(rates.row * compute),
        store_latency=rounded(rates.store_latency * store),
        **changed,
    )
