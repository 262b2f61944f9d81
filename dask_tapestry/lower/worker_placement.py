"""Placement: which of a cluster's workers the tasks of a step may run on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from dask.base import get_annotations

from dask_tapestry.errors import PlanError
from dask_tapestry.lower.tuning import ALIKE_MEMORY, FEW_TASKS
from dask_tapestry.planner.machine.live_workers import GPU
from dask_tapestry.planner.machine.worker_group import WorkerGroup
from dask_tapestry.planner.tuning import DEVICE_BLOCKS
from dask_tapestry.settings import setting
from dask_tapestry.teg import Node
from dask_tapestry.teg.annotations import HIGHEST, OTHERS_MAY, PLACING

Workers = Mapping[str, Mapping[str, Any]]  # what a scheduler says of each, by address


def workers_of(client: Any) -> Workers:
    """Return the workers that a client's cluster has now; none where that is not known."""
    if client is None:
        return {}
    found = client.scheduler_info(n_workers=-1)
    workers: Workers = found.get("workers", {})
    known = found.get("n_workers", len(workers)) == len(workers)  # inside its loop, maybe a few
    return workers if known else {}


def placement(
    node: Node, client: Any, groups: Sequence[WorkerGroup] = (), place: str = ""
) -> dict[str, Any] | None:
    """Return the Dask annotations that keep a step on the workers that its operator names.

    Where a client's cluster has no worker yet, its workers are waited for.

    Parameters
    ----------
    groups
        Those of the resources that were planned for; a place is the name of one, or of a worker.
    place
        Where the plan computes the step, if its operator names none.

    Raises
    ------
    PlanError
        If one of those named is not there, and others will not do: its name may be misspelt, and
        if none is there Dask would wait for ever.
    """
    named = node.operator.workers or ((place,) if place else ())
    if not named or (client is None and not node.operator.workers):
        return None
    relaxed, workers = bool(setting("relax-placement")), workers_of(client)
    kinds = {group.place: group for group in groups}
    if not workers and not relaxed and kinds.keys() & set(named):
        raise PlanError(
            f"{node.operator.name} is computed on {', '.join(named)}, and no worker is there yet "
            "to tell which these are: wait for workers, as with Client.wait_for_workers"
        )
    workers_by_name = {
        name: members(kinds[name], workers)
        if name in kinds
        else [a for a, w in workers.items() if _is_named(a, w, name)]
        for name in named
    }
    unknown = [name for name, addresses in workers_by_name.items() if not addresses]
    if workers and unknown and not relaxed:
        texts = [f"{worker.get('name')} at {address}" for address, worker in workers.items()]
        raise PlanError(
            f"{node.operator.name} is placed on {', '.join(unknown)}, but the workers are "
            f"{', '.join(sorted(texts))}; config(relax_placement=True) lets other workers run it"
        )
    there = list(
        dict.fromkeys(address for addresses in workers_by_name.values() for address in addresses)
    )
    return {"workers": there or list(named), "allow_other_workers": relaxed}


def device_resources(client: Any, said: Mapping[str, Any]) -> dict[str, Any]:
    """Annotations of tasks that use a device, where the workers that have one say so.

    Dask then gives a worker no more of them at a time than its devices have blocks.
    """
    workers = workers_of(client).values()
    if not any(GPU in (worker.get("resources") or {}) for worker in workers):
        return {}
    return {"resources": {GPU: 1 / DEVICE_BLOCKS, **said.get("resources", {})}}


def for_any_worker(annotations: Mapping[str, Any]) -> dict[str, Any]:
    """What holds of annotations for tasks beside a step's, which may run on any worker."""
    return {kind: annotations[kind] for kind in HIGHEST if kind in annotations}


def beside_blocks(client: Any, blocks: int) -> dict[str, Any]:
    """Annotations that have slices cut where their blocks are, of so many.

    The first tasks of a graph Dask gives to workers by turns, and slices of few blocks as if they
    were such: each worker then copies all blocks. A task that may run on some hosts alone it gives
    to a worker that has what the task reads, so that all hosts are named. Where there are fewer
    blocks than workers, some of these would have nothing to do.
    """
    if blocks >= FEW_TASKS or set(PLACING) & get_annotations().keys():
        return {}
    workers = workers_of(client).values()
    if len(workers) > blocks:
        return {}
    hosts = {str(worker.get("host")) for worker in workers}
    known = {host for host in hosts if ":" not in host}  # which would be read as a port
    if not known or known != hosts:
        return {}
    return {"workers": sorted(hosts), OTHERS_MAY: True}


def members(group: WorkerGroup, workers: Workers) -> list[str]:
    """Addresses of the workers that are of a group.

    They have a Dask resource of its name, or a name that begins with it; if none has, they are
    those with as many threads and about as much memory.
    """
    tests: list[Callable[[Mapping[str, Any]], bool]] = [lambda w: _is_alike(w, group)]
    if group.name:
        tests[:0] = [
            lambda w: group.name in (w.get("resources") or {}),
            lambda w: str(w.get("name")).startswith(group.name),
        ]
    found = ([a for a, w in workers.items() if test(w)] for test in tests)
    return next((some for some in found if some), [])


def _is_alike(worker: Mapping[str, Any], group: WorkerGroup) -> bool:
    memory = worker.get("memory_limit") or int(group.memory)  # without a limit: the machine's
    near = abs(memory - int(group.memory)) <= ALIKE_MEMORY * int(group.memory)
    return worker.get("nthreads") == group.threads and near


def _is_named(address: str, worker: Mapping[str, Any], name: str) -> bool:
    """Whether `name` is a worker's name, address or host."""
    place = urlsplit(address)
    return name in {str(worker.get("name")), address, place.netloc, place.hostname}
