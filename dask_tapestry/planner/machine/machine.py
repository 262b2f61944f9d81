"""Machine: what the cost model knows of the workers that a plan is for.

`Machine.of` joins the declared or live resources with the rates in force: how much there is, and
how fast it is. Everything else in the cost model is structural.
"""

from __future__ import annotations

from dataclasses import field, replace
from functools import cached_property, lru_cache
from math import inf
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.machine.calibrate import rates_in_force
from dask_tapestry.planner.machine.codec_paces import codec_pace
from dask_tapestry.planner.machine.device_rates import shipped_device_rates
from dask_tapestry.planner.machine.rates import Rates
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.machine.worker_group import WorkerGroup
from dask_tapestry.planner.tuning import DEVICE_BLOCKS, HUGE_PAGE, REQUESTS
from dask_tapestry.steps.piece_cuts import piece_bytes_of
from dask_tapestry.teg import PLAIN_CODEC, USUAL_CODEC


class Codecs(NamedTuple):
    """The names of what encodes stored cells that a step reads, and those that it writes."""

    read: str = USUAL_CODEC
    written: str = USUAL_CODEC


USUAL_CODECS: Final = Codecs()


@dataclass(frozen=True)
class Machine:
    """Workers and their rates; a value, made by `Machine.of`.

    Attributes
    ----------
    workers, threads, slots
        Worker processes, threads of each, and blocks that are computed at the same time.
    cores
        Threads of each worker, with those that compute no block, but decode and encode chunks.
    local
        Whether the one worker is this process: values move between its threads for nothing.
    memory_limit, usable, task_bytes
        Bytes of memory of a worker, those that a plan may fill, and those for one task.
    memory
        Bytes a second that a thread reads and writes while all threads do.
    fresh, fresh_pages
        Bytes a second of memory that comes fresh from the system: of large arrays, and by pages.
    row
        Seconds by which a row of memory delays a thread that does not follow the one before.
    network, latency
        Bytes a second into a worker from other hosts, and seconds a message.
    network_all
        Bytes a second that all workers together take from each other.
    host_network, within_hosts
        Bytes a second into a worker from others of its host, and the share of what moves between
        workers that comes from there.
    store, store_all
        Bytes a second between a worker and stores, and of all workers together: their own limit.
    decode, encode
        Bytes a second of a thread that reads cells from stores, and that writes some: of those that
        are encoded by zstd, and of plain ones.
    store_latency, requests
        Seconds that a thread waits for a request to a store, and how many are under way at a time.
    task, edge, slice
        Seconds of the scheduler, which does one at a time: for a task, for a value that a task
        reads, for a task that slices a value where it lies.
    worker_task
        Seconds of a worker's thread for a task, besides computing it.
    call
        Seconds that calling one operator of a block takes, however few its cells are.
    limits
        How much there is of the resources that users named: (name, amount), sorted.
    place, hosts
        The group of workers that alone computes, and how many these are; "" and all of them where
        any may. Values lie on all `workers` nevertheless.
    speed
        How many times as fast as the rates say threads compute.
    places
        The machine at each place, where workers are not alike.
    alone
        Whether a worker computes one block at a time, of all steps of a plan that say so.
    device
        The device that computes inside each worker, as a user names it: ``"cuda"`` for any of its
        own, ``"cuda:1"`` for one of them; "" for its threads.
    host
        The machine that feeds the device; None where threads compute.
    link
        Bytes a second between the memory of a worker and that of its device.
    in_flight
        Blocks that are under way for one that its device computes: more has no room there. There
        is no such limit for threads.
    device_workers, devices, device_bytes
        Workers that have devices, how many each of them has, and bytes of the memory of one that a
        plan may fill.
    in_bulk
        Whether workers send each other parts of blocks in bulk, where slices would be many.
    rates
        What the rates of kernels are looked up in.
    """

    workers: int
    threads: int
    cores: int
    slots: int
    local: bool
    memory_limit: int
    usable: int
    task_bytes: int
    memory: float
    fresh: float
    fresh_pages: float
    row: float
    network: float
    network_all: float
    latency: float
    host_network: float
    within_hosts: float
    store: float
    store_all: float
    decode: tuple[float, float]
    encode: tuple[float, float]
    store_latency: float
    requests: int
    task: float
    edge: float
    slice: float
    worker_task: float
    call: float
    hosts: int
    limits: tuple[tuple[str, float], ...] = ()
    place: str = ""
    speed: float = 1.0
    places: tuple[Machine, ...] = ()
    alone: bool = False
    device: str = ""
    host: Machine | None = field(default=None, repr=False)
    link: float = inf
    in_flight: float = inf
    device_workers: int = 0
    devices: int = 1
    device_bytes: int = 0
    in_bulk: bool = False
    rates: Rates = field(kw_only=True, repr=False)

    @staticmethod
    def of(resources: Resources, rates: Rates | None = None) -> Machine:
        """The machine of `resources`, at `rates` or those in force.

        Examples
        --------
        >>> from dask_tapestry.planner.machine.resources import Resources
        >>> Machine.of(Resources(workers=4, threads=8, memory="64 GiB")).slots
        32
        """
        memory = resources.memory_bytes, resources.usable_bytes, resources.task_bytes
        known = rates or resources.rates or rates_in_force()
        assert isinstance(known, Rates)
        return _machine(resources, memory, known)

    def at(self, place: str) -> Machine:
        """The machine at a place; itself for ""."""
        return next((m for m in self.places if m.place == place), self)

    def on(self, device: str) -> Machine:
        """The machine whose workers' device computes, as a user names it; itself for "".

        Each computes one block at a time, while it gets the cells of another if there is a thread
        for it.
        """
        if not device or self.device:
            return self
        found = self._of_devices.get(device)
        if found is None:
            found = self._of_devices[device] = self._on(device)
        return found

    @cached_property
    def _of_devices(self) -> dict[str, Machine]:
        return {}

    def _on(self, device: str) -> Machine:
        device_rates, device_bytes = shipped_device_rates(), self.device_bytes
        devices = 1 if ":" in device else self.devices
        hosts, at_once = min(self.hosts, self.device_workers), min(devices, self.threads)
        return replace(
            self,
            device=device,
            devices=devices,
            host=self,
            threads=at_once,
            slots=hosts * at_once,
            in_flight=min(DEVICE_BLOCKS * at_once, self.threads) / at_once,
            hosts=hosts,
            memory_limit=device_bytes,
            usable=device_bytes,
            task_bytes=max(1, device_bytes // (2 * DEVICE_BLOCKS)),
            memory=device_rates.memory,
            fresh=device_rates.memory,
            fresh_pages=device_rates.memory,
            row=0.0,
            call=device_rates.launch + self.call,
            speed=1.0,
            in_bulk=False,
            rates=device_rates.of_kernels(self.rates),
        )

    @cached_property
    def in_slices(self) -> Machine:
        """The machine whose workers send each other nothing in bulk."""
        return replace(self, in_bulk=False)

    @cached_property
    def one_by_one(self) -> Machine:
        """The machine whose workers compute one block at a time: fewer hold memory together."""
        memory = self.rates.memory
        in_flight = 1.0 if self.device else inf
        return replace(
            self, alone=True, threads=1, slots=self.hosts, memory=memory, in_flight=in_flight
        )

    @property
    def piece_bytes(self) -> int | None:
        """Bytes of the pieces in which a task computes its block; None where it may take many."""
        return piece_bytes_of(self.task_bytes)

    @property
    def device_memory(self) -> str:
        """The device whose memory it fills; ``"cuda"`` where each of several has a share.

        The one that a process with one uses by itself is its first.
        """
        return "cuda:0" if self.device == "cuda" and self.devices == 1 else self.device

    @property
    def reading(self) -> int:
        """Blocks that may be read at a time."""
        return self.slots if self.host is None else round(self.slots * self.in_flight)

    def seconds(self, kernel: str, dtype: np.dtype[Any], flops: float, bytes: float) -> float:
        """Seconds that a thread takes for `flops` operations of `kernel` that touch `bytes`.

        Parameters
        ----------
        kernel
            Its name; one without a rate of its own has the rate of all others.
        dtype
            Of the cells that it reads, or makes if it reads none.
        flops
            Operations, as operators count them.
        bytes
            Bytes that it reads from memory and writes to it.
        """
        speed = self.speed * self.rates.operations_a_second(kernel, dtype)
        return max(flops / speed, bytes / (self.speed * self.memory))

    def codec_seconds(self, read: float, written: float, codecs: Codecs) -> float:
        """Seconds of a thread to decode what it has read, and to encode what it writes."""
        decoding, encoding = codec_pace(codecs.read).decode, codec_pace(codecs.written).encode
        seconds = read / decoding / self.decode[codecs.read == PLAIN_CODEC]
        seconds += written / encoding / self.encode[codecs.written == PLAIN_CODEC]
        return seconds / self.speed

    def network_seconds(self, moved: float) -> float:
        """Seconds in which `moved` bytes come into one worker from others, on its host and beyond.

        Blocks lie with any worker as likely as with any other, so that a share of what a worker
        takes is on its own host.
        """
        within = self.within_hosts * moved
        return within / self.host_network + (moved - within) / self.network

    def fresh_seconds(self, bytes: float) -> float:
        """Seconds until an array of so many bytes has its memory from the system.

        NumPy asks for huge pages where arrays are large; what lies before the first one and behind
        the last one comes by small ones.
        """
        paged = min(bytes, HUGE_PAGE)
        return paged / self.fresh_pages + (bytes - paged) / self.fresh


@lru_cache(maxsize=64)
def _machine(resources: Resources, bytes: tuple[int, int, int], rates: Rates) -> Machine:
    local = resources.local
    limit, usable, task_bytes = bytes  # which settings change
    memory = rates.memory if resources.threads == 1 else rates.memory_shared
    carried, told = resources.bandwidth_bytes, resources.host_bandwidth
    host_network = carried if told is None else float(told)
    latency = rates.latency if resources.latency is None else float(resources.latency)
    all_told = resources.total_bandwidth
    store = inf if resources.store_bandwidth is None else float(resources.store_bandwidth)
    connection = resources.worker_bandwidth
    machine = Machine(
        workers=resources.workers,
        hosts=resources.workers,
        threads=resources.threads,
        cores=resources.threads,
        slots=resources.slots,
        local=local,
        memory_limit=limit,
        usable=usable,
        task_bytes=task_bytes,
        memory=memory,
        fresh=rates.fresh,
        fresh_pages=rates.fresh_pages,
        row=rates.row,
        network=inf if local else carried,
        network_all=inf if local or all_told is None else float(all_told),
        latency=0.0 if local else latency,
        host_network=inf if local else host_network,
        within_hosts=_share_within_hosts(resources.workers, resources.workers_per_host),
        store=float(connection or (inf if local else carried)),
        store_all=store,
        decode=(rates.store_read / rates.threads, rates.store_plain / rates.threads),
        encode=(rates.store_write / rates.threads, rates.store_plain_write / rates.threads),
        store_latency=_request_seconds(resources, rates),
        requests=1 if _opens_files(resources) else REQUESTS,
        task=rates.local_task if local else rates.scheduler_task,
        edge=rates.local_edge if local else rates.scheduler_edge,
        slice=rates.local_slice if local else rates.scheduler_slice,
        worker_task=0.0 if local else rates.worker_task,
        call=rates.call,
        limits=tuple(resources.limits.items()),
        speed=min(kind.speed for kind in resources.kinds),
        link=resources.link_bytes,
        device_workers=resources.device_workers,
        devices=max(1, resources.gpus),
        device_bytes=resources.device_bytes,
        in_bulk=resources.workers > 1 and not local,
        rates=rates,
    )
    if not resources.groups:
        return machine
    return replace(
        machine,
        places=tuple(_machine_of_group(machine, group, resources) for group in resources.kinds),
    )


def _share_within_hosts(workers: int, each: int) -> float:
    """The share of pairs of workers that are on one host, of which each has so many.

    Examples
    --------
    >>> _share_within_hosts(4, 2), _share_within_hosts(4, 1), _share_within_hosts(3, 8)
    (0.3333333333333333, 0.0, 1.0)
    """
    if workers < 2:
        return 0.0
    full, rest = divmod(workers, each)
    pairs = full * each * (each - 1) + rest * (rest - 1)
    return pairs / (workers * (workers - 1))


def _opens_files(resources: Resources) -> bool:
    """Whether a request is the opening of a file by this process, one at a time."""
    return resources.local and resources.store_latency is None


def _request_seconds(resources: Resources, rates: Rates) -> float:
    """Seconds that a thread waits for a request to a store, of which the rates say those of all."""
    if resources.store_latency is not None:
        return float(resources.store_latency)
    return rates.store_latency * (resources.threads if resources.local else 1)


def _machine_of_group(machine: Machine, group: WorkerGroup, resources: Resources) -> Machine:
    """The machine whose group of workers alone computes."""
    usable, shared = resources.usable_by(group), group.threads > 1
    memory = machine.rates.memory_shared if shared else machine.rates.memory
    return replace(
        machine,
        place=group.place,
        hosts=group.workers,
        threads=group.threads,
        cores=group.threads,
        slots=group.workers * group.threads,
        memory_limit=int(group.memory),
        usable=usable,
        task_bytes=max(1, usable // (2 * group.threads)),
        memory=memory,
        speed=group.speed,
    )
