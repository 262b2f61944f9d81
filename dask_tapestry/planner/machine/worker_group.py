"""Groups of workers that are alike."""

from __future__ import annotations

from dask.utils import format_bytes, parse_bytes

from dask_tapestry.late_dataclass import dataclass


@dataclass(frozen=True)
class WorkerGroup:
    """Workers that are alike, of a cluster whose workers are not all so.

    Parameters
    ----------
    workers, threads
        Number of worker processes, and threads of each.
    memory
        Memory of each worker, in bytes or as text such as ``"64 GiB"``.
    name
        By which it is a place for steps; by default what its workers have. Of a live cluster those
        workers are meant that have a Dask resource of that name, or whose own names begin with it;
        if none has, those with as many threads and as much memory.
    speed
        How many times as fast as the rates say its threads compute.

    Examples
    --------
    >>> WorkerGroup(2, 8, "1 GiB").place, WorkerGroup(2, 8, "1 GiB", "big").place
    ('8 threads, 1.00 GiB', 'big')
    """

    workers: int
    threads: int
    memory: int | str
    name: str = ""
    speed: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "memory", int(parse_bytes(self.memory)))
        if min(self.workers, self.threads, int(self.memory)) < 1:
            raise ValueError(f"workers, threads and memory of a group must be at least 1: {self}")
        if not self.speed > 0:
            raise ValueError(f"the speed of a group must be above 0: {self}")

    @property
    def place(self) -> str:
        """The name of the place that these workers are."""
        return self.name or f"{_threads_text(self.threads)}, {format_bytes(int(self.memory))}"

    def __str__(self) -> str:
        text = f"{workers_text(self.workers, self.threads)}, {format_bytes(int(self.memory))} each"
        return f"{self.name}: {text}" if self.name else text


def workers_text(workers: int, threads: int) -> str:
    """``4 workers, 1 thread``."""
    return f"{workers} worker{'s' * (workers != 1)}, {_threads_text(threads)}"


def _threads_text(threads: int) -> str:
    return f"{threads} thread{'s' * (threads != 1)}"
