"""The bottleneck of a job: one sentence with figures."""

from __future__ import annotations

from typing import Final

from dask.utils import format_bytes

from dask_tapestry.diagnostics.plan_summary import PlanSummary
from dask_tapestry.diagnostics.step_text import counted, duration
from dask_tapestry.diagnostics.tuning import EQUALLY_LIMITING, NEARLY_FULL_MEMORY

NAMES: Final = ("compute", "the network", "the store", "the scheduler", "the link to devices")


def limit(plan: PlanSummary) -> str:
    """The resource that takes longest, with what it does in that time; memory if that is short.

    Examples
    --------
    >>> from dask_tapestry.diagnostics.plan_summaries import plan_summary
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((10**6, 1000), "f8", stored_chunks=(10**4, 1000))
    >>> plan = dt.plan(x.sum(), resources=dt.Resources(workers=4, threads=2))
    >>> limit(plan_summary(plan.core))[:22]
    'Limited by the store: '
    """
    seconds = [sum(step.kinds[k] for step in plan.steps) for k in range(len(NAMES))]
    most = max(seconds, default=0.0)
    if not plan.steps or not most:
        return "Nothing limits this job: there is nothing to do."
    first, second, *_ = sorted(range(len(NAMES)), key=lambda k: -seconds[k])
    names = NAMES[first]
    if seconds[second] >= EQUALLY_LIMITING * most:
        names += f" and {NAMES[second]}"
    share = sum(seconds) and 100 * most / sum(seconds)
    text = (
        f"Limited by {names}: {duration(most)} to {_activity(plan, first)}, "
        f"{share:.0f} % of the time that all resources take together."
    )
    return f"{text}{_memory(plan)}"


def _activity(plan: PlanSummary, kind: int) -> str:
    cost = plan.cost
    read, written, moved = (
        format_bytes(int(cost[f"bytes_{what}"])) for what in ("read", "written", "moved")
    )
    tasks = counted(int(cost["tasks"]), "task")
    stored = " and ".join(
        f"{verb} {amount}"
        for verb, amount, size in (
            ("read", read, cost["bytes_read"]),
            ("write", written, cost["bytes_written"]),
        )
        if size >= 1
    )
    activities = (
        "run kernels",
        f"move {moved}",
        stored or "reach it",
        f"handle {tasks}",
        "cross it",
    )
    return activities[kind]


def _memory(plan: PlanSummary) -> str:
    peak, usable = plan.cost["peak_worker_bytes"], plan.memory_bytes
    memory_bound = [n for n, step in enumerate(plan.steps, start=1) if step.decided == "memory"]
    text = ""
    if memory_bound:
        shown = ", ".join(map(str, memory_bound[:6])) + (", …" if len(memory_bound) > 6 else "")
        text = f" Memory decided how step{'s' * (len(memory_bound) > 1)} {shown} are cut."
    if usable and peak >= NEARLY_FULL_MEMORY * usable:
        text += (
            f" A worker holds {format_bytes(int(peak))} of the {format_bytes(int(usable))} "
            "that a plan may fill."
        )
    return text
