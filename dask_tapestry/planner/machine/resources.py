"""Resources: the machines a plan is made for."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, cast

import dask
from dask.system import CPU_COUNT
from dask.utils import format_bytes, parse_bytes

from dask_tapestry.amounts import (
    amounts_by_name,
    bytes_a_second,
    bytes_of,
    real,
    refuse_unknown,
    seconds,
    truth,
    whole_number,
)
from dask_tapestry.errors import ArgumentError, ArgumentTypeError
from dask_tapestry.imports import lazy_import
from dask_tapestry.io.stores.temporary_folder import lies_in_memory, temporary_root
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.memory.process_memory import kept_bytes, machine_memory
from dask_tapestry.planner.machine.adaptive import grown_groups
from dask_tapestry.planner.machine.calibrate import chosen_rates, rates_in_force
from dask_tapestry.planner.machine.cluster_rates import cluster_rates, shared_core_bandwidth
from dask_tapestry.planner.machine.device_rates import shipped_device_rates
from dask_tapestry.planner.machine.live_workers import (
    live_gpus,
    live_groups,
    live_workers_per_host,
)
from dask_tapestry.planner.machine.rates import Rates
from dask_tapestry.planner.machine.worker_group import WorkerGroup, worker_groups, workers_text
from dask_tapestry.planner.tuning import (
    DEVICE_USABLE,
    FILLED_PROCESS_SHARE,
    LEAST_PROCESS_BYTES,
    LEAST_WITH_PROCESS,
    MOST_HELD_SHARE,
    PAUSING_MEMORY,
    PROCESS_BYTES,
    USABLE_MEMORY,
)
from dask_tapestry.settings import checked_by, of_dask, setting


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
        Between workers, in bytes a second of a worker or as text such as ``"25 GB/s"``; from
        storage, too, if ``worker_bandwidth`` is not given.
    gpus
        GPUs of each worker; one where arrays are on a device and none is told of.
    workers_per_host
        Workers on each host, as dask-cuda has one for each GPU; the last host may have fewer. For a
        live cluster this is found.
    host_bandwidth
        Between workers of one host, in bytes a second or as text; by default their bandwidth.
    total_bandwidth
        Most that all workers together take from each other, in bytes a second or as text: what a
        switch that they share lets through, or cores that they share handle. By default each worker
        has its bandwidth for itself; for a live cluster on this machine it is found.
    local
        Whether the one worker is this process, whose memory results stay in.
    store_bandwidth
        Most that storage gives or takes for all workers together, in bytes a second or as text;
        by default each worker has its bandwidth for itself.
    store_latency
        Of a request to storage, in seconds or as text such as ``"20 ms"``; a task has some of them
        under way at a time. By default as measured, see `calibrate`.
    worker_bandwidth
        Most that one worker gets from storage or brings there, in bytes a second or as text; by
        default its bandwidth.
    latency
        Of a message between workers, in seconds or as text; by default as measured.
    limits
        How much there is of resources that users' operators name in their ``costs``.
    groups
        Workers that are not alike: for each kind ``(workers, threads, memory)``, or a
        `WorkerGroup` with a name and a speed. Then ``workers`` is their sum, ``threads`` the most
        of a worker and ``memory`` the least of one, since Dask may run any block anywhere. Each
        kind is a place too, to which a plan keeps steps that need its memory or its speed.
    gpu_memory
        Memory of each GPU, in bytes or as text such as ``"80 GiB"``; by default that of the card
        whose rates ship with the library.
    link_bandwidth
        Between the memory of a worker and that of its GPU, in bytes a second or as text; by default
        that of the same card.
    gpu_workers
        Workers that have GPUs, if not all have.
    temporary_store
        Whether there is a folder or URL that all workers reach, where a plan may put what they
        cannot hold, see the setting ``temporary-store``. For a live cluster this is found.
    rates
        How fast these machines compute, as in ``config(rates=...)``; by default what that says.
    held
        Share of each worker's memory that is taken by what no plan counts, such as persisted
        arrays that a job does not read; for a live cluster this is found.
    filled
        Whether a plan may take what small workers take themselves, which Dask may pause for it.

    Examples
    --------
    >>> Resources(workers=4, threads=8, memory="64 GiB").slots
    32
    >>> print(Resources(groups=[(4, 8, "64 GiB"), (2, 2, "16 GiB")]))
    4 workers, 8 threads, 64.00 GiB each; 2 workers, 2 threads, 16.00 GiB each
    """

    workers: int = 1
    threads: int = CPU_COUNT
    memory: int | str = 0
    bandwidth: int | str = "1 GB/s"
    gpus: int = 0
    local: bool = field(default=False, repr=False)
    workers_per_host: int = field(default=1, kw_only=True)
    host_bandwidth: int | str | None = field(default=None, kw_only=True)
    total_bandwidth: int | str | None = field(default=None, kw_only=True)
    store_bandwidth: int | str | None = field(default=None, kw_only=True)
    store_latency: float | str | None = field(default=None, kw_only=True)
    worker_bandwidth: int | str | None = field(default=None, kw_only=True)
    latency: float | str | None = field(default=None, kw_only=True)
    limits: Mapping[str, float] = field(default_factory=dict, kw_only=True, hash=False)
    groups: Sequence[WorkerGroup | tuple[Any, ...]] = field(default=(), kw_only=True)
    rates: Rates | Mapping[str, Any] | str | None = field(default=None, kw_only=True, repr=False)
    held: float = field(default=0.0, kw_only=True)
    gpu_memory: int | str | None = field(default=None, kw_only=True)
    link_bandwidth: int | str | None = field(default=None, kw_only=True)
    gpu_workers: int | None = field(default=None, kw_only=True)
    temporary_store: bool = field(default=True, repr=False, kw_only=True)
    filled: bool = field(default=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        counts = ("workers", 1), ("threads", 1), ("gpus", 0), ("workers_per_host", 1)
        for name, least in counts:
            self._set(**{name: whole_number(name, getattr(self, name), least)})
        shared = self.memory is None or (type(self.memory) is int and self.memory == 0)
        memory = machine_memory() // self.workers if shared else bytes_of("memory", self.memory)
        self._set(memory=max(memory, 1), local=truth("local", self.local))
        self._set(temporary_store=truth("temporary_store", self.temporary_store))
        self._set(filled=truth("filled", self.filled))
        self._set(bandwidth=bytes_a_second("bandwidth", self.bandwidth))
        self._join_groups()
        for name, check in (
            ("host_bandwidth", bytes_a_second),
            ("total_bandwidth", bytes_a_second),
            ("store_bandwidth", bytes_a_second),
            ("worker_bandwidth", bytes_a_second),
            ("store_latency", seconds),
            ("latency", seconds),
            ("gpu_memory", bytes_of),
            ("link_bandwidth", bytes_a_second),
            ("gpu_workers", whole_number),
        ):
            if getattr(self, name) is not None:
                self._set(**{name: check(name, getattr(self, name))})
        if self.rates is not None:
            self._set(rates=chosen_rates(self.rates))
        self._set(limits=amounts_by_name(self.limits))
        if not 0 <= real("held", self.held) <= MOST_HELD_SHARE:
            raise ArgumentError(
                f"held must be a share of 0 to {MOST_HELD_SHARE}, not {self.held!r}"
            )

    def _set(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _join_groups(self) -> None:
        groups = worker_groups(self.groups)
        alike: dict[tuple[int, int, str, float], int] = {}
        for group in groups:
            kind = group.threads, int(group.memory), group.name, group.speed
            alike[kind] = alike.get(kind, 0) + group.workers
        joined = [WorkerGroup(n, *kind) for kind, n in sorted(alike.items(), reverse=True)]
        twice = [place for place, n in Counter(g.place for g in joined).items() if n > 1]
        if twice:
            raise ArgumentError(f"two groups of workers that are not alike are called {twice[0]}")
        self._set(groups=tuple(joined) if len(joined) > 1 else ())
        if joined:
            workers, least = sum(alike.values()), min(int(g.memory) for g in joined)
            self._set(workers=workers, threads=max(g.threads for g in joined), memory=least)

    @cached_property
    def kinds(self) -> tuple[WorkerGroup, ...]:
        """The groups of workers that are alike; one where all are."""
        alone = (WorkerGroup(self.workers, self.threads, self.memory),)
        return cast(tuple[WorkerGroup, ...], self.groups) or alone

    @property
    def slots(self) -> int:
        """Blocks that can be computed at the same time."""
        return sum(kind.workers * kind.threads for kind in self.kinds)

    @property
    def memory_bytes(self) -> int:
        """Memory of a worker that a plan may use: the declared one, or a lower limit in force."""
        return _limited(int(self.memory))

    @property
    def total_bytes(self) -> int:
        """Memory of all workers together."""
        return sum(kind.workers * _limited(int(kind.memory)) for kind in self.kinds)

    @property
    def usable_bytes(self) -> int:
        """Memory of a worker that a plan may fill besides its process."""
        return self._usable(self.memory_bytes)

    @property
    def task_bytes(self) -> int:
        """Memory that one task may take: half of a worker's memory is left to held values."""
        return max(1, min(self.usable_by(kind) // (2 * kind.threads) for kind in self.kinds))

    def usable_by(self, kind: WorkerGroup) -> int:
        """Memory of a worker of a kind that a plan may fill."""
        return self._usable(_limited(int(kind.memory)))

    def _usable(self, memory: int) -> int:
        left = min(USABLE_MEMORY, PAUSING_MEMORY - self._process_share(memory))
        return max(1, int(((1.0 if self.local else left) - self.held) * memory))

    def _process_share(self, memory: int) -> float:
        """Share of a worker's memory that is left to its process."""
        share = min(PROCESS_BYTES / memory, FILLED_PROCESS_SHARE)
        is_left = memory >= LEAST_WITH_PROCESS and not self.filled
        return max(share, LEAST_PROCESS_BYTES / memory) if is_left else share

    @property
    def has_more(self) -> bool:
        """Whether a plan may take more of some worker where these are `filled`."""
        return any(replace(self, filled=True).usable_by(k) > self.usable_by(k) for k in self.kinds)

    @property
    def device_bytes(self) -> int:
        """Memory of a device that a plan may fill."""
        memory = shipped_device_rates().capacity if self.gpu_memory is None else self.gpu_memory
        return max(1, int(DEVICE_USABLE * int(memory)))

    @property
    def device_workers(self) -> int:
        """Workers that have a device."""
        return min(self.workers, self.gpu_workers or self.workers)

    @property
    def link_bytes(self) -> float:
        """Bytes a second between a worker's memory and its device's."""
        told = self.link_bandwidth
        return shipped_device_rates().link if told is None else float(told)

    @property
    def kept_bytes(self) -> int:
        """Bytes of freed arrays that a worker may keep to use again."""
        return kept_bytes(int(self.memory))

    @property
    def bandwidth_bytes(self) -> int:
        """Bandwidth in bytes a second."""
        return int(self.bandwidth)

    def __str__(self) -> str:
        text = f", {self.held:.0%} of it held by other arrays" if self.held else ""
        if 1 < self.workers_per_host < self.workers:
            text += f", {self.workers_per_host} on each host"
        if self.gpus:
            text += f", {self.gpus} GPU{'s' * (self.gpus != 1)} a worker"
        if self.groups:
            return "; ".join(map(str, self.groups)) + text
        threads = f"{self.threads} thread{'s' * (self.threads != 1)}"
        who = f"this machine, {threads}" if self.local else workers_text(self.workers, self.threads)
        return f"{who}, {format_bytes(self.memory_bytes)} each{text}"


def _limited(memory: int) -> int:
    """`memory`, or a lower limit in force."""
    limit = setting("memory-limit")
    return memory if limit is None else min(memory, int(parse_bytes(limit)))


@checked_by("resources")
def _declared(name: str, value: Any) -> Resources | None:
    """The resources `value` for the setting `name`, which may be a dictionary of their fields."""
    if value is None or isinstance(value, Resources):
        return value
    if not isinstance(value, Mapping):
        raise ArgumentTypeError(f"{name} must be Resources or a dictionary of them, not {value!r}")
    refuse_unknown("Resources", value, [field.name for field in fields(Resources)])
    return Resources(**value)


def this_machine() -> Resources:
    """Return the threads and memory of this machine."""
    return _machine_of(CPU_COUNT, machine_memory(), not lies_in_memory(temporary_root()))


@lru_cache(maxsize=16)
def _machine_of(threads: int, memory: int, has_store: bool) -> Resources:
    return Resources(1, threads, memory, local=True, temporary_store=has_store)


def live_client() -> Any:
    """Return the Dask client that will compute, if any; never imports distributed."""
    if of_dask("scheduler") not in (None, "dask.distributed", "distributed"):
        return None
    worker_module = sys.modules.get("distributed.worker")
    if worker_module is None:
        return None
    try:
        client = worker_module.get_client()
    except (ValueError, RuntimeError, AttributeError):
        return None
    return client if client.status == "running" else None


def runs_in_processes() -> bool:
    """Whether Dask's scheduler of processes computes, which are heard of when they end alone."""
    return of_dask("scheduler") in ("processes", "multiprocessing")


def runs_elsewhere() -> bool:
    """Whether what is computed now runs in other processes than this one."""
    return runs_in_processes() or live_client() is not None


def computing_with(scheduler: Any) -> AbstractContextManager[Any]:
    """Inside a ``with`` block, plan for the scheduler that a ``compute(scheduler=...)`` names.

    Another block changes nothing.
    """
    if isinstance(scheduler, str):
        return dask.config.set(scheduler=scheduler)
    return nullcontext()


def current() -> Resources:
    """Resources in force: configured, else the live client's workers, else this machine.

    Of an adaptive cluster with a maximum they are that many workers.
    """
    declared, client = _declared("resources", setting("resources")), live_client()
    if declared is not None:
        lacks = declared.temporary_store and client is not None and not has_temporary_store(client)
        return replace(declared, temporary_store=False) if lacks else declared
    found = None if client is None else workers_of(client)
    return this_machine() if found is None else found


def workers_of(client: Any) -> Resources | None:
    """The workers of a client's cluster, with those that it may still get by adapting.

    None if it has none.
    """
    known = client.scheduler_info(n_workers=-1)
    groups, workers = grown_groups(client, live_groups(known)), known.get("workers", {})
    if not groups:
        return None
    rates = cluster_rates(client)
    carried = (rates or rates_in_force()).network
    return Resources(
        groups=groups,
        bandwidth=int(carried),
        total_bandwidth=shared_core_bandwidth(workers, carried),
        rates=rates,
        workers_per_host=live_workers_per_host(workers),
        **live_gpus(workers),
        temporary_store=has_temporary_store(client),
    )


def has_temporary_store(client: Any) -> bool:
    """Whether a client's workers all reach one folder or URL for what they cannot hold.

    They do where the setting names one, or where a cluster on this machine makes them all, whose
    folder is none in memory.
    """
    if setting("temporary-store") is not None:
        return True
    local = lazy_import("distributed").LocalCluster
    return isinstance(getattr(client, "cluster", None), local) and not lies_in_memory(
        temporary_root()
    )
