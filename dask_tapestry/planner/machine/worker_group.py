"""Groups of workers that are alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from dask.utils import format_bytes

from dask_tapestry.amounts import bytes_of, positive, whole_number
from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.late_dataclass import dataclass

GIVEN: Final = range(3, 6)  # workers, threads, memory, name, speed


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
        checked = {
            "workers": whole_number("workers of a group", self.workers),
            "threads": whole_number("threads of a group", self.threads),
            "memory": bytes_of("memory of a group", self.memory),
            "speed": positive("speed of a group", self.speed),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        if not isinstance(self.name, str):
            raise ArgumentTypeError(f"name of a group must be text, not {self.name!r}")

    @property
    def place(self) -> str:
        """The name of the place that these workers are."""
        return self.name or f"{_threads_text(self.threads)}, {format_bytes(int(self.memory))}"

    def __str__(self) -> str:
        text = f"{workers_text(self.workers, self.threads)}, {format_bytes(int(self.memory))} each"
        return f"{self.name}: {text}" if self.name else text


def worker_groups(given: Iterable[Any]) -> list[WorkerGroup]:
    """The groups `given`, each a `WorkerGroup` or a sequence of what makes one.

    Examples
    --------
    >>> [str(group) for group in worker_groups([(4, 8, "64 GiB", "large")])]
    ['large: 4 workers, 8 threads, 64.00 GiB each']
    """
    wanted = "groups must be a list of (workers, threads, memory) or of WorkerGroup"
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ArgumentTypeError(f"{wanted}, not {given!r}")
    return [_group(one, wanted) for one in given]


def _group(given: Any, wanted: str) -> WorkerGroup:
    if isinstance(given, WorkerGroup):
        return given
    if not isinstance(given, tuple | list) or len(given) not in GIVEN:
        raise ArgumentTypeError(f"{wanted}, not of {given!r}")
    return WorkerGroup(*given)


def workers_text(workers: int, threads: int) -> str:
    """``4 workers, 1 thread``."""
    return f"{workers} worker{'s' * (workers != 1)}, {_threads_text(threads)}"


def _threads_text(threads: int) -> str:
    return f"{threads} thread{'s' * (threads != 1)}"
