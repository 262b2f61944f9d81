"""Jobs as users write them, and the bound that an expert's plan would keep.

A bound is arithmetic on shapes, passes and surfaces: nothing here asks the planner. In each pass
the expert works through the data in blocks of a sixteenth of a thread's share of memory, several
of which are there at a time: tasks so work in a quarter of a worker. What has to wait for a later
step lies spread over all workers. An exchange of everything is two passes: blocks go out of some
tasks, in bulk, and into others. Each step of a loop that needs all of the one before is a pass.
Data that two passes need is read twice, or once and held between them: an expert may do either, so
such a job has two bounds, of which a plan need keep one, whole. Chunks are decoded whole, and a
task has one result: of cells around a block, which a stencil needs, whole chunks are read, or
blocks that have some of them cut these off, a task for each neighbour.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, prod
from typing import Any, Final, NamedTuple

import dask_tapestry as dt

GB: Final = 1e9
GIB: Final = 2**30
BLOCKS: Final = 16  # of a thread's share of memory: one is read, some are computed, one is sent
WAVES: Final = 4  # blocks a slot at least, so that reading and computing overlap
WORKING: Final = 1 / 4  # of a worker's memory that blocks in work take


class Bound(NamedTuple):
    """The most that a plan should take: bytes of all workers, bytes of one, and tasks.

    `instead` is that of an expert's other plan.
    """

    read: float
    moved: float
    peak: float
    tasks: float
    instead: Bound | None = None

    @property
    def each(self) -> tuple[Bound, ...]:
        """The bounds of which a plan should keep one."""
        return (self, *(() if self.instead is None else self.instead.each))


@dataclass(frozen=True)
class Cluster:
    """Workers, threads of each, and GiB of each."""

    workers: int
    threads: int
    gib: int

    @property
    def slots(self) -> int:
        return self.workers * self.threads

    @property
    def resources(self) -> dt.Resources:
        return dt.Resources(self.workers, self.threads, f"{self.gib} GiB", bandwidth="1 GB/s")

    def tasks(self, nbytes: float, passes: int = 1, block: float = 0.0) -> int:
        """Blocks of so many bytes, or stored ones if these are larger: some a slot and pass."""
        largest = max(self.gib * GIB / self.threads / BLOCKS, block)
        return max(passes * WAVES * self.slots, ceil(nbytes / largest))

    def bound(
        self,
        read: float,
        moved: float = 0.0,
        held: float = 0.0,
        *,
        block: float = 0.0,
        again: float = 0.0,
        passes: int = 1,
        work: float | None = None,
        peak: float | None = None,
        tasks: float | None = None,
    ) -> Bound:
        """The bound of a job.

        Parameters
        ----------
        read, moved
            Bytes from stores, and between workers.
        held
            Bytes that wait for a later step, or for the client, at a time.
        block
            Bytes of a stored chunk, and of what is computed with it: the least that a task reads.
        again
            Bytes of those read that a second pass reads again, or that are held for it.
        passes
            Through the data.
        work
            Bytes that tasks go through; by default what is read and moved.
        peak, tasks
            Of a worker, and of all, where they are known otherwise.
        """
        size = self.gib * GIB
        works = max(WORKING * size, 2 * self.threads * block)
        each = min(works + held / self.workers, size) if peak is None else peak
        every = self.tasks(read + moved if work is None else work, passes, block)
        count = every if tasks is None else tasks
        beside = min(each + again / self.workers, size)
        holding = Bound(read - again, moved, beside, count) if again else None
        return Bound(read, moved, each, count, holding)

    def stencil(
        self,
        shape: tuple[int, ...],
        chunks: tuple[int, ...],
        depth: int,
        *,
        itemsize: int,
        sides: int = 2,
        held: float = 0.0,
    ) -> Bound:
        """The bound of a job whose cells need those up to `depth` cells away.

        Either a tile a worker is read, with all chunks around it; or each chunk is read once and
        held, and blocks are computed of these and of the edges of all their neighbours.

        Parameters
        ----------
        sides
            Of a block along each dimension, from which it needs cells.
        held
            Bytes that wait for the client.
        """
        value, block = nbytes(*shape, itemsize=itemsize), nbytes(*chunks, itemsize=itemsize)
        side = _side(shape, self.workers)
        around = ((max(1.0, n / side) - 1) * c / n for n, c in zip(shape, chunks, strict=True))
        again = prod(1 + sides * part for part in around)
        count = self.tasks(value, block=block)
        edges = (1 + sides * depth / _side(shape, count)) ** len(shape) - 1
        tasks = (2 + (sides + 1) ** len(shape) - 1) * count  # read, cut for neighbours, computed
        handed = self.bound(value, value * edges, value + held, block=block, tasks=tasks)
        return self.bound(value * again, 0, held, block=block)._replace(instead=handed)


USUAL: Final = Cluster(64, 4, 16)
CLIMATE: Final = Cluster(50, 4, 16)
SMALL: Final = Cluster(16, 4, 8)


@dataclass(frozen=True)
class Job:
    """What a user writes, where it runs, and what it should take at most."""

    name: str
    cluster: Cluster
    bound: Bound
    write: Callable[[], Any]

    def roots(self) -> tuple[Any, ...]:
        """What is computed, on tensors that need not exist."""
        made = self.write()
        return tuple(made) if isinstance(made, list | tuple) else (made,)


class Jobs(dict[str, Job]):
    """Jobs by name, in the order in which they are written down."""

    def job(
        self, name: str, cluster: Cluster, bound: Bound
    ) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
        """A decorator for what writes a job."""

        def add(write: Callable[[], Any]) -> Callable[[], Any]:
            self[name] = Job(name, cluster, bound, write)
            return write

        return add


def nbytes(*shape: int, itemsize: int = 8) -> float:
    """Bytes of an array."""
    return float(prod(shape)) * itemsize


def merged(cluster: Cluster, table: float) -> float:
    """Bytes moved if each worker sends what it has found to one of the others."""
    return (cluster.workers - 1) * table


def sent(cluster: Cluster, table: float) -> float:
    """Bytes moved if a table goes from one worker to each of the others."""
    return (cluster.workers - 1) * table


def exchanged(cluster: Cluster, value: float) -> float:
    """Bytes moved if all workers need a like part of what each has."""
    return value * (1 - 1 / cluster.workers)


def _side(shape: tuple[int, ...], count: int) -> float:
    """The side of as many like tiles of an array, which have as little surface as can be."""
    return float((prod(shape) / count) ** (1 / len(shape)))


def halo(shape: tuple[int, int], tile: int, depth: int) -> float:
    """Times a square tile's cells that are read if it needs `depth` cells around it."""
    sides = [min(n, tile) for n in shape]
    return prod((s + 2 * depth) / s if s < n else 1.0 for s, n in zip(sides, shape, strict=True))


def stored(y: Any, chunks: tuple[int, ...] | None = None, name: str = "nowhere") -> Any:
    """A write to Zarr."""
    return dt.to_zarr(y, name, chunks=chunks or "auto", compute=False)
