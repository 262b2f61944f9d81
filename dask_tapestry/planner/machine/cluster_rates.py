"""Rates of a live cluster: how fast values go from one of its workers to another, measured once.

Two workers send each other some megabytes in their event loops, so that busy threads do not make
the first plan wait. That takes a tenth of a second. Where workers, scheduler and client share
the cores of this machine, handling tasks takes so much longer.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from time import perf_counter
from typing import Any, Final
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import numpy as np
from dask.system import CPU_COUNT

from dask_tapestry.imports import asyncio
from dask_tapestry.planner.machine.calibrate import rates_in_force
from dask_tapestry.planner.machine.rates import Rates, rates_of, rounded
from dask_tapestry.planner.tuning import (
    BESIDE_WORKERS,
    ECHOES,
    MESSAGE_BYTES,
    RATES_PATIENCE_SECONDS,
    SLOW_MESSAGE_SECONDS,
)
from dask_tapestry.settings import setting

HANDLING: Final = ("scheduler_task", "scheduler_edge", "scheduler_slice", "worker_task")
HERE: Final = ("inproc://", "tcp://127.0.0.1:", "tcp://localhost:", "tls://127.0.0.1:")

_known: WeakKeyDictionary[Any, Rates] = WeakKeyDictionary()  # by client


def cluster_rates(client: Any) -> Rates | None:
    """The rates of a client's cluster; None where the setting ``rates`` names others."""
    if setting("rates") != "measured":
        return None
    if client not in _known:
        base = rates_in_force()
        _known[client] = rates_of(_measured(client, base), base)
    return _known[client]


def keep_cluster_rates(client: Any, rates: Rates) -> None:
    """Plan for a client's cluster with `rates` from now on."""
    _known[client] = rates


def network_rates(client: Any) -> dict[str, float]:
    """Measure bytes a second between two workers, and seconds a message; {} with one worker.

    Raises
    ------
    TimeoutError
        If they do not answer in time.
    """
    pair = two_workers(_workers(client))
    if pair is None:
        return {}
    asked, peer = pair
    found = client.run(probe_peer, peer, workers=[asked], callback_timeout=RATES_PATIENCE_SECONDS)[
        asked
    ]
    return {name: rounded(value) for name, value in found.items()}


def shared_core_rates(workers: Mapping[str, Any], base: Rates) -> dict[str, float]:
    """The rates at which tasks are handled where all workers share the cores of this machine.

    Every thread of a worker wants a core, the scheduler and the client want one as well. With two
    workers on two cores, each of 1000 tasks that do nothing took 1.7 ms; the shipped rates say .65.
    """
    if not _are_here(workers):
        return {}
    each = _wanting_each_core(workers)
    return {name: rounded(getattr(base, name) * each) for name in HANDLING}


def least_network(workers: Mapping[str, Any], base: Rates) -> float:
    """Bytes a second that workers send each other at least; 0 where they are not all here.

    On this machine that is copying, whatever else it does while they are asked: of eight times
    that two workers were on two busy cores, the first one said 6 MB a second, the others 84 to 300.
    """
    return base.network / _wanting_each_core(workers) if _are_here(workers) else 0.0


def _wanting_each_core(workers: Mapping[str, Any]) -> float:
    """How many threads want each core of this machine: those of workers, and of others beside."""
    threads = sum(int(one.get("nthreads", 1)) for one in workers.values())
    return max(1.0, (threads + BESIDE_WORKERS) / CPU_COUNT)


def shared_core_bandwidth(workers: Mapping[str, Any], network: float) -> int | None:
    """Bytes a second that all workers together take from each other; None where each has its own.

    On this machine the two ends of a transfer keep a core each.
    """
    return round(network * max(1.0, CPU_COUNT / 2)) if _are_here(workers) else None


def two_workers(workers: Mapping[str, Any]) -> tuple[str, str] | None:
    """Addresses of two workers, on two hosts if there are several; None for fewer workers."""
    addresses = list(workers)
    if len(addresses) < 2:
        return None
    first = addresses[0]
    others = [a for a in addresses[1:] if urlsplit(a).hostname != urlsplit(first).hostname]
    return first, (others or addresses[1:])[0]


async def probe_peer(peer: str, dask_worker: Any) -> dict[str, float]:
    """What a worker finds of the way to another one at the address `peer`."""
    remote = dask_worker.rpc(peer)
    latency = await _least(lambda: remote.echo(data=b""), ECHOES)
    for size in MESSAGE_BYTES:
        code = _pickled(np.empty, size, np.uint8)  # cells to send are there, none is written
        took = await _least(lambda code=code: remote.run(**code), ECHOES)
        if took > SLOW_MESSAGE_SECONDS:
            break
    return {"latency": latency, "network": size / max(took - latency, took / 10)}


def _pickled(function: Any, *arguments: Any) -> dict[str, Any]:
    """What a worker's handler of ``run`` takes."""
    dumps = sys.modules["distributed.protocol.pickle"].dumps
    return {"function": dumps(function), "args": dumps(arguments)}


async def _least(send: Any, repeats: int) -> float:
    """Least seconds of several messages, each answered; of slow ones, fewer are sent."""
    times = []
    for _ in range(repeats + 1):  # the first one connects
        start = perf_counter()
        await asyncio.wait_for(send(), RATES_PATIENCE_SECONDS)
        times.append(perf_counter() - start)
        if len(times) > 1 and sum(times) > ECHOES * SLOW_MESSAGE_SECONDS:
            break
    return min(times[1:])


def _measured(client: Any, base: Rates) -> dict[str, float]:
    """What can be measured here and now; {} from inside an event loop or a task."""
    if client.asynchronous or _in_task():
        return {}
    workers = _workers(client)
    found = shared_core_rates(workers, base)
    try:
        found |= network_rates(client)
    except (OSError, TimeoutError, KeyError, ValueError):
        return found
    if "network" in found:
        found["network"] = rounded(max(found["network"], least_network(workers, base)))
    return found


def _workers(client: Any) -> Mapping[str, Any]:
    """What the scheduler tells of each worker, by address."""
    found: Mapping[str, Any] = client.scheduler_info(n_workers=-1).get("workers", {})
    return found


def _are_here(workers: Mapping[str, Any]) -> bool:
    """Whether all workers of a list run on this machine."""
    return bool(workers) and all(str(address).startswith(HERE) for address in workers)


def _in_task() -> bool:
    try:
        sys.modules["distributed.worker"].get_worker()
    except (KeyError, ValueError):
        return False
    return True
