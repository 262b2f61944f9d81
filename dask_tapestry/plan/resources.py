"""Resources: the machines a plan is made for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import dask
from dask.system import CPU_COUNT
from dask.utils import format_bytes, parse_bytes

from dask_tapestry.config import setting

USABLE: Final = 0.7  # of a worker's memory; at .7 Dask writes to disk, at .8 it pauses
MOST_KEPT: Final = 2**30  # bytes of freed arrays that a process keeps
KEPT_PART: Final = 10  # it keeps at most a tenth of its memory


@dataclass(frozen=True)
class Resources:
    """Workers that a plan may count on; all fields are optional.

    Parameters
    ----------
    workers
        Number of worker processes.
    threads
        Threads of each worker.
    memory
        Memory of each worker, in bytes or as text such as ``"64 GiB"``.
    bandwidth
        Between workers and from storage, in bytes a second or as text such as ``"25 GB/s"``.
    gpus
        GPUs of each worker.
    local
        Whether the one worker is this process, whose memory results stay in.

    Examples
    --------
    >>> Resources(workers=4, threads=8, memory="64 GiB").slots
    32
    """

    workers: int = 1
    threads: int = CPU_COUNT
    memory: int | str = 0
    bandwidth: int | str = "1 GB/s"
    gpus: int = 0
    local: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        if self.workers < 1 or self.threads < 1 or self.gpus < 0:
            raise ValueError(f"workers and threads must be at least 1, gpus at least 0: {self}")
        memory = parse_bytes(self.memory) if self.memory else machine_memory() // self.workers
        rate = str(self.bandwidth).removesuffix("/s")
        object.__setattr__(self, "memory", int(memory))
        object.__setattr__(self, "bandwidth", int(parse_bytes(rate)))

    @property
    def slots(self) -> int:
        """Blocks that can be computed at the same time."""
        return self.workers * self.threads

    @property
    def memory_bytes(self) -> int:
        """Memory of a worker that a plan may use: the declared one, or a lower limit in force."""
        limit = setting("memory-limit")
        given = int(self.memory)
        return given if limit is None else min(given, int(parse_bytes(limit)))

    @property
    def usable_bytes(self) -> int:
        """Memory of a worker that a plan may fill: Dask pauses workers that fill four fifths."""
        return self.memory_bytes if self.local else int(USABLE * self.memory_bytes)

    @property
    def task_bytes(self) -> int:
        """Memory that one task may take: half of the worker's memory is left to held values."""
        return max(1, self.usable_bytes // (2 * self.threads))

    @property
    def kept_bytes(self) -> int:
        """Bytes of freed arrays that a worker may keep to use again."""
        return kept_bytes(int(self.memory))

    @property
    def bandwidth_bytes(self) -> int:
        """Bandwidth in bytes a second."""
        return int(self.bandwidth)

    def __str__(self) -> str:
        workers = "this machine" if self.local else f"{self.workers} worker"
        workers += "s" * (not self.local and self.workers != 1)
        threads = f"{self.threads} thread{'s' * (self.threads != 1)}"
        return f"{workers}, {threads}, {format_bytes(self.memory_bytes)} each"


def kept_bytes(memory: int) -> int:
    """Bytes of freed arrays that a process with `memory` bytes may keep to use again."""
    chosen = setting("kept-memory")
    return min(MOST_KEPT, memory // KEPT_PART) if chosen is None else int(parse_bytes(chosen))


def process_memory() -> int:
    """Bytes that this process may use: the limit of its worker, or the machine's memory."""
    worker_module = sys.modules.get("distributed.worker")
    if worker_module is None:
        return machine_memory()
    try:
        limit = worker_module.get_worker().memory_manager.memory_limit
    except (ValueError, AttributeError):
        return machine_memory()
    return int(limit or machine_memory())


def machine_memory() -> int:
    """Bytes of memory of this machine."""
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def this_machine() -> Resources:
    """Return the threads and memory of this machine."""
    return Resources(workers=1, threads=CPU_COUNT, local=True)


def live_client() -> Any:
    """Return the Dask client that will compute, if any; never imports distributed."""
    if dask.config.get("scheduler", None) not in (None, "dask.distributed", "distributed"):
        return None
    worker_module = sys.modules.get("distributed.worker")
    if worker_module is None:
        return None
    try:
        client = worker_module.get_client()
    except (ValueError, RuntimeError, AttributeError):
        return None
    return client if client.status == "running" else None


def runs_elsewhere() -> bool:
    """Whether what is computed now runs in other processes than this one."""
    processes = dask.config.get("scheduler", None) in ("processes", "multiprocessing")
    return processes or live_client() is not None


@contextmanager
def computing_with(scheduler: Any) -> Iterator[None]:
    """Plan for the scheduler that a ``compute(scheduler=...)`` names, if it names one."""
    if isinstance(scheduler, str):
        with dask.config.set(scheduler=scheduler):
            yield
    else:
        yield


def current() -> Resources:
    """Resources in force: configured, else the live client's workers, else this machine."""
    declared = setting("resources")
    if declared is not None:
        return declared if isinstance(declared, Resources) else Resources(**declared)
    client = live_client()
    if client is None:
        return this_machine()
    workers = list(client.scheduler_info(n_workers=-1).get("workers", {}).values())
    if not workers:
        return this_machine()
    return Resources(
        workers=len(workers),
        threads=max(1, sum(w["nthreads"] for w in workers) // len(workers)),
        memory=min(w["memory_limit"] or machine_memory() for w in workers),
    )
