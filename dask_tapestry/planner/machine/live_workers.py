"""The workers that a scheduler says it has: kinds of them, their hosts and their GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from dask_tapestry.memory.process_memory import machine_memory
from dask_tapestry.planner.machine.worker_group import WorkerGroup

GPU: Final = "GPU"  # what dask-cuda and others call the resource of workers that have one
TOTAL: Final = "memory-total"  # what Dask calls the bytes of a GPU, where pynvml tells them


def live_groups(known: Mapping[str, Any]) -> list[WorkerGroup]:
    """The workers of a scheduler, each a group.

    An asynchronous client cannot wait for the list of them, and knows their number and what they
    have together: these are taken to be alike.
    """
    workers, count = known.get("workers", {}).values(), known.get("n_workers", 0)
    if workers or not count:
        return [
            WorkerGroup(1, w["nthreads"], w["memory_limit"] or machine_memory())
            for w in workers
            if w["nthreads"]
        ]
    threads, memory = known["total_threads"] // count, known["total_memory"] // count
    return [WorkerGroup(count, max(threads, 1), memory or machine_memory())]


def live_gpus(workers: Mapping[str, Any]) -> dict[str, Any]:
    """What workers say of their GPUs, as arguments of `Resources`: the most of a worker counts.

    The memory of a card is told where workers have pynvml; the least of several counts.

    Examples
    --------
    >>> live_gpus({"tcp://a:1": {"resources": {"GPU": 2}}, "tcp://b:1": {}})
    {'gpus': 2, 'gpu_workers': 1}
    """
    counts = [int((w.get("resources") or {}).get(GPU, 0)) for w in workers.values()]
    having = [w for w, count in zip(workers.values(), counts, strict=True) if count]
    found: dict[str, Any] = {"gpus": max(counts, default=0), "gpu_workers": len(having) or None}
    least = min([int((w.get("gpu") or {}).get(TOTAL) or 0) for w in having], default=0)
    if least:
        found["gpu_memory"] = least
    return found


def live_workers_per_host(workers: Mapping[str, Any]) -> int:
    """How many workers the hosts of so many have, the last of them perhaps fewer.

    Examples
    --------
    >>> live_workers_per_host(dict.fromkeys(["tcp://a:1", "tcp://a:2", "tcp://b:1"]))
    2
    """
    hosts = {urlsplit(str(address)).hostname or address for address in workers}
    return -(-len(workers) // len(hosts)) if hosts else 1
