"""Simulation: what a simulated run of a plan shows."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from dask.utils import format_bytes, format_time

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.memory.simulation_picture import Picture, draw


class StepTimes(NamedTuple):
    """When a step runs.

    Attributes
    ----------
    name
        Operators and type of the value.
    begin, end
        Seconds from the start at which its first block begins and its last one ends.
    busy
        Seconds of all threads together that it takes.
    blocks
        Number of its blocks.
    """

    name: str
    begin: float
    end: float
    busy: float
    blocks: int

    @property
    def seconds(self) -> float:
        """From its first block to its last one."""
        return self.end - self.begin


class Moment(NamedTuple):
    """What goes on from some second on, until the next moment.

    Attributes
    ----------
    seconds
        Since the start.
    running
        Blocks that are computed.
    held, working
        Bytes of values that a worker holds, and of the blocks that its threads compute.
    """

    seconds: float
    running: int
    held: float
    working: float

    @property
    def bytes(self) -> float:
        """All bytes of a worker."""
        return self.held + self.working


@dataclass(frozen=True)
class Simulation:
    """A simulated run of a plan.

    Attributes
    ----------
    seconds
        How long it takes, from the first block to the last.
    steps
        When each step runs, producers first.
    moments
        What goes on when.
    slots
        Blocks that can run at a time.
    memory_bytes
        Memory of a worker that a plan may fill.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((100_000, 1000), "f8", (1000, 1000))
    >>> found = dt.plan(x.sum(), resources=dt.Resources(workers=4, threads=2)).simulate()
    >>> len(found.steps), 0 < found.utilisation < 1
    (2, True)
    """

    seconds: float
    steps: tuple[StepTimes, ...]
    moments: tuple[Moment, ...]
    slots: int
    memory_bytes: int

    @property
    def utilisation(self) -> float:
        """Share of all threads' time in which blocks are computed, from 0 to 1."""
        total = self.seconds * self.slots
        return sum(step.busy for step in self.steps) / total if total else 0.0

    @property
    def memory(self) -> tuple[tuple[float, float], ...]:
        """Bytes of a worker over time: (seconds, bytes), each until the next."""
        return tuple((moment.seconds, moment.bytes) for moment in self.moments)

    @property
    def peak_worker_bytes(self) -> float:
        """The most bytes of a worker at a time."""
        return max((moment.bytes for moment in self.moments), default=0.0)

    def at(self, seconds: float) -> Moment:
        """What goes on at a time.

        Parameters
        ----------
        seconds
            Since the start; not before it.
        """
        return self.moments[bisect_right(self.moments, seconds, key=lambda m: m.seconds) - 1]

    def plot(self) -> Picture:
        """Draw steps, threads and memory over time.

        Returns
        -------
        Picture
            An SVG image, which notebooks show; its `save` writes a file.
        """
        rows = [(step.name, step.begin, step.end) for step in self.steps]
        running = [(moment.seconds, float(moment.running)) for moment in self.moments]
        return draw(
            self.seconds, rows, (running, self.slots), (list(self.memory), self.memory_bytes)
        )

    def __str__(self) -> str:
        lines = [
            f"{format_time(self.seconds)}, threads {self.utilisation:.0%} busy, "
            f"at most {format_bytes(round(self.peak_worker_bytes))} a worker"
        ]
        for step in self.steps:
            when = f"{format_time(step.begin)} to {format_time(step.end)}"
            lines.append(f"  {step.name}: {when}, {step.blocks:,} blocks")
        return "\n".join(lines)
