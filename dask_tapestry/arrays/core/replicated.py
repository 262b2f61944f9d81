"""Replicated arrays: persisted ones of which several workers hold each block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dask import base

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.errors import PlanError
from dask_tapestry.planner.long_jobs import plan_to_run
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.planner.verify import replicas_fit
from dask_tapestry.scheduler.plugin_registration import register


def persist_replicated(
    collections: Sequence[Any], replicas: int, options: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Persist collections, each block of which `replicas` workers then hold.

    Raises
    ------
    MemoryLimitError
        If workers cannot hold the arrays among them so many times.
    PlanError
        Without a Dask client, or with fewer workers than copies.
    """
    from distributed import futures_of  # noqa: PLC0415  (there is a client then)

    client = live_client()
    if client is None:
        raise PlanError("replicas are held by other workers: they need a Dask client")
    plan = plan_to_run([x.node for x in collections if type(x) is Array])
    if plan.resources.workers < replicas:
        raise PlanError(
            f"{replicas} replicas need that many workers; there are {plan.resources.workers}"
        )
    replicas_fit(plan, replicas)
    held = base.persist(*collections, **options)
    client.sync(_keep, client, [future.key for future in futures_of(held)], replicas)
    return tuple(held)


async def _keep(client: Any, keys: Sequence[Any], replicas: int) -> None:
    from dask_tapestry.scheduler.replicas import ReplicaKeeper  # noqa: PLC0415  (distributed)

    await register(client, ReplicaKeeper())
    client._send_to_scheduler({"op": "tapestry-replicas", "keys": keys, "replicas": replicas})
