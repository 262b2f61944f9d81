"""Prefetched inputs: blocks of the client's arrays are sent to workers before their graph.

They are sent straight to workers under the keys of the graph, whose tasks ask for a block. Dask
takes such a task for done; if its worker dies, the task runs elsewhere and asks. So nothing else
depends on what is sent ahead: what has no room, or no way, is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any
from weakref import ref

import numpy as np

from dask_tapestry.first import first_of
from dask_tapestry.imports import asyncio
from dask_tapestry.lower.dask_private import put_on_worker, release, tell_scheduler
from dask_tapestry.lower.symbolic_layer import Key
from dask_tapestry.lower.tuning import (
    FULL_MEMORY,
    GRAPH_LOOK_SECONDS,
    LATEST_SECONDS,
    REACH_SECONDS,
)
from dask_tapestry.lower.worker_placement import Workers, workers_of

Block = np.ndarray[Any, Any]
Blocks = Sequence[tuple[Key, Block]]
_waiting: set[Any] = set()  # coroutines, which nobody else holds
_unreached: dict[str, set[str]] = {}  # by client, workers that cannot be reached from here


def send_ahead(client: Any, arrays: Sequence[Blocks], result: Key, lease: Any) -> None:
    """Send the blocks of arrays to a client's workers; return once those have them.

    They stay there until the graph is known, of which `result` is a key, and its tasks have read
    them; or until the lease ends, and nobody wants `result`.
    """
    if client.asynchronous:  # it runs in this thread, and could not wait for itself
        return
    shares = blocks_by_worker(arrays, workers_of(client))
    if shares:
        with suppress(OSError):  # a client whose scheduler is gone says so when it submits
            client.sync(_send, client, shares, result, ref(lease))


def blocks_by_worker(
    arrays: Sequence[Blocks], workers: Workers
) -> dict[str, list[tuple[Key, Block]]]:
    """Which blocks each worker is sent: neighbours together, as many as it has threads and room.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = [(("x", i), np.ones(10)) for i in range(6)]
    >>> one = {"status": "running", "nthreads": 1, "memory_limit": 0}
    >>> workers = {"a": one, "b": one | {"nthreads": 2}, "c": one | {"status": "paused"}}
    >>> {worker: len(found) for worker, found in blocks_by_worker([blocks], workers).items()}
    {'a': 2, 'b': 4}
    """
    running = {a: w for a, w in workers.items() if w.get("status") == "running"}
    rooms = {address: _free_bytes(worker) for address, worker in running.items()}
    ends = list(accumulate(worker["nthreads"] for worker in running.values()))
    by_worker: dict[str, list[tuple[Key, Block]]] = {}
    for blocks in arrays:
        for number, (key, cells) in enumerate(blocks if ends else ()):
            place = ends[-1] * (number + 0.5) / len(blocks)
            there = (a for a, end in zip(running, ends, strict=True) if place <= end)
            address = first_of(there, "worker with a thread")
            if cells.nbytes <= rooms[address]:
                rooms[address] -= cells.nbytes
                by_worker.setdefault(address, []).append((key, cells))
    return by_worker


def _free_bytes(worker: Mapping[str, Any]) -> float:
    """Bytes that a worker may be sent."""
    limit = worker.get("memory_limit")
    taken = (worker.get("metrics") or {}).get("memory", 0)
    return FULL_MEMORY * limit - taken if limit else float("inf")


async def _send(client: Any, shares: Mapping[str, Blocks], result: Key, lease: Any) -> None:
    sending = [_to_worker(client, address, blocks) for address, blocks in shares.items()]
    found = await asyncio.gather(*sending)
    sizes = {address: size for address, size in zip(shares, found, strict=True) if size}
    keys = [key for size in sizes.values() for key in size]
    if not keys:
        return
    who_has = {key: [address] for address, size in sizes.items() for key in size}
    nbytes = {key: n for size in sizes.values() for key, n in size.items()}
    if not await tell_scheduler(client, who_has, nbytes):
        return
    waiting = asyncio.ensure_future(_release_sent(client, keys, result, lease))
    _waiting.add(waiting)
    waiting.add_done_callback(_waiting.discard)


async def _to_worker(client: Any, address: str, blocks: Blocks) -> dict[Key, int]:
    """Send blocks to a worker, one a message, so that each one's memory is free when it goes."""
    sizes: dict[Key, int] = {}
    with suppress(OSError, TimeoutError):  # it has died, or cannot be reached from here
        if await reaches(client, address):
            for key, cells in blocks:
                await asyncio.wait_for(put_on_worker(client, address, key, cells), LATEST_SECONDS)
                sizes[key] = cells.nbytes
    return sizes


async def reaches(client: Any, address: str) -> bool:
    """Whether a client can talk to a worker itself, rather than by way of the scheduler."""
    unreached = _unreached.setdefault(client.id, set())
    if address in unreached:
        return False
    try:
        comm = await asyncio.wait_for(client.rpc.connect(address), REACH_SECONDS)
    except (OSError, TimeoutError):
        unreached.add(address)
        return False
    client.rpc.reuse(address, comm)
    return True


async def _release_sent(client: Any, keys: list[Key], result: Key, lease: Any) -> None:
    """Release sent blocks when the tasks that read them, if there are any, hold them."""
    with suppress(OSError):
        while client.status == "running" and (lease() is not None or result in client.futures):
            status = await client.scheduler.get_task_status(keys=[result])
            if status[result] is not None:
                break
            await asyncio.sleep(GRAPH_LOOK_SECONDS)
    release(client, keys)
