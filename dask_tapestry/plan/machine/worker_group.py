"""Groups of workers that are alike."""

from __future__ import annotations

from dataclasses import dataclass

from dask.utils import format_bytes, parse_bytes


@dataclass(frozen=True)
class WorkerGroup:
    """Workers that are alike, of a cluster whose workers are not all so.

    Parameters
    ----------
    workers, threads
        Number of worker processes, and threads of each.
    memory
        Memory of each worker, in bytes or as text such as ``"64 GiB"``.

    Examples
    --------
    >>> WorkerGroup(2, 8, "1 GiB")
    WorkerGroup(workers=2, threads=8, memory=1073741824)
    """

    workers: int
    threads: int
    memory: int | str

    def __post_init__(self) -> None:
        object.__setattr__(self, "memory", int(parse_bytes(self.memory)))
        if min(self.workers, self.threads, int(self.memory)) < 1:
            raise ValueError(f"workers, threads and memory of a group must be at least 1: {self}")

    def __str__(self) -> str:
        return f"{workers_text(self.workers, self.threads)}, {format_bytes(int(self.memory))} each"


def workers_text(workers: int, threads: int) -> str:
    """``4 workers, 1 thread``."""
    return f"{workers} worker{'s' * (workers != 1)}, {threads} thread{'s' * (threads != 1)}"
