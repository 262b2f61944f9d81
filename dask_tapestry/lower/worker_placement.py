"""Placement: which of a cluster's workers the tasks of a step may run on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from dask_tapestry.config import setting
from dask_tapestry.errors import PlanError
from dask_tapestry.teg import Node

Workers = Mapping[str, Mapping[str, Any]]  # what a scheduler says of each, by address


def workers_of(client: Any) -> Workers:
    """Return the workers that a client's cluster has now; none where that is not known."""
    if client is None:
        return {}
    found = client.scheduler_info(n_workers=-1)
    workers: Workers = found.get("workers", {})
    known = found.get("n_workers", len(workers)) == len(workers)  # inside its loop, maybe a few
    return workers if known else {}


def placement(node: Node, client: Any) -> dict[str, Any] | None:
    """Return the Dask annotations that keep a step on the workers that its operator names.

    Where a client's cluster has no worker yet, its workers are waited for.

    Raises
    ------
    PlanError
        If one of those named is not there, and others will not do: its name may be misspelt, and
        if none is there Dask would wait for ever.
    """
    named = node.operator.workers
    if not named:
        return None
    relaxed, workers = bool(setting("relax-placement")), workers_of(client)
    found = {name: [a for a, w in workers.items() if _is_named(a, w, name)] for name in named}
    unknown = [name for name, addresses in found.items() if not addresses]
    if workers and unknown and not relaxed:
        texts = [f"{worker.get('name')} at {address}" for address, worker in workers.items()]
        raise PlanError(
            f"{node.operator.name} is placed on {', '.join(unknown)}, but the workers are "
            f"{', '.join(sorted(texts))}; config(relax_placement=True) makes a place a preference"
        )
    there = list(dict.fromkeys(address for addresses in found.values() for address in addresses))
    return {"workers": there or list(named), "allow_other_workers": relaxed}


def _is_named(address: str, worker: Mapping[str, Any], name: str) -> bool:
    """Whether `name` is a worker's name, address or host."""
    place = urlsplit(address)
    return name in {str(worker.get("name")), address, place.netloc, place.hostname}
