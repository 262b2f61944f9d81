"""Adaptive clusters: how many workers there may be, for plans made while there are fewer.

A plan is made for as many workers as the cluster may have: Dask asks for more while tasks queue or
memory fills up. Where there are none yet, they are as the cluster would make them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

from dask.system import CPU_COUNT
from dask.utils import parse_bytes

from dask_tapestry.memory.process_memory import machine_memory
from dask_tapestry.planner.machine.worker_group import WorkerGroup


class Growth(NamedTuple):
    """What a cluster may become.

    Attributes
    ----------
    most
        Workers that it may have.
    options
        What its new workers are made with, as far as it says.
    """

    most: float
    options: Mapping[str, Any]


_looks: list[Callable[[Any], Growth | None]] = []


def set_growth_probe(look: Callable[[Any], Growth | None]) -> None:
    """Have `look` say of a client's cluster what it may become: that is Dask's private matter."""
    _looks[:] = [look]


def grown_groups(client: Any, groups: Sequence[WorkerGroup]) -> list[WorkerGroup]:
    """The workers of a client's cluster, of one each, and those that may still come."""
    growth = _looks[0](client) if _looks else None
    if growth is None or not isfinite(growth.most):
        return list(groups)
    missing = int(growth.most) - len(groups)
    if missing < 1:
        return list(groups)
    kind = groups[-1] if groups else _made_with(growth)
    return [*groups, WorkerGroup(missing, kind.threads, kind.memory)]


def _made_with(growth: Growth) -> WorkerGroup:
    """A worker as the cluster would start it; a share of this machine if that is unknown."""
    threads = growth.options.get("nthreads") or max(1, CPU_COUNT // int(growth.most))
    try:
        memory = int(parse_bytes(growth.options["memory_limit"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        memory = 0  # none is said, or "auto", or a share
    return WorkerGroup(1, int(threads), memory or machine_memory() // int(growth.most))
