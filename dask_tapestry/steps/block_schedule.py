"""Courses: how a block is computed, with the values of it that are computed in turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise, product
from math import prod

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.late_named_tuple import NamedTuple
from dask_tapestry.steps.peak import Key, Peak, TurnPeak, peak_bytes, peak_of
from dask_tapestry.steps.program import Program, Schedule
from dask_tapestry.steps.windows import Window
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Streamed:
    """The cells of one box of a value, computed in turns.

    Attributes
    ----------
    program
        What a piece takes; its last inputs are those that `windows` show, and before them what is
        carried.
    inputs
        For each other input of that, the value of the whole program that it is.
    box
        The box of the program's output that the pieces tile.
    edges
        Where pieces begin along each dimension, and the end.
    then
        Computes the value from what all pieces yield; None where they are the value.
    adds
        Whether pieces are added to the value.
    fits
        Whether a piece is computed as a whole.
    takes
        Bytes.
    each
        Operators that a piece calls.
    ahead
        Whether what the next piece reads from stores is read while a piece is computed. Products
        take long enough for that.
    windows
        Stored values of which consecutive pieces share cells.
    carried
        The boxes of what each piece takes from those before, and leaves to the next ones.
    """

    program: Program
    inputs: tuple[int, ...]
    box: ZRange
    edges: tuple[tuple[int, ...], ...]
    then: Program | None
    adds: bool
    fits: bool
    takes: TurnPeak
    each: int
    ahead: bool = False
    windows: tuple[Window, ...] = ()
    carried: tuple[ZRange, ...] = ()

    @property
    def pieces(self) -> Iterator[ZRange]:
        """The boxes of the program's output, in C order."""
        for spans in product(*[pairwise(line) for line in self.edges]):
            yield ZRange([a for a, _ in spans], [b for _, b in spans])

    @property
    def count(self) -> int:
        """Number of pieces."""
        return prod([len(line) - 1 for line in self.edges])

    @property
    def calls(self) -> int:
        """Operators that are called."""
        return self.count * self.each + (self.then is not None)

    @property
    def bytes(self) -> int:
        """Bytes of the value, and of all beside it at most."""
        return self.takes.cells + self.takes.beside.all


class BlockSchedule(NamedTuple):
    """How a block is computed.

    Attributes
    ----------
    schedule
        Its computations; of a value that is computed in turns one, which reads what its part does.
    streamed
        The values that are.
    """

    schedule: Schedule
    streamed: Mapping[Key, Streamed]

    def peak(self, program: Program, box: ZRange) -> Peak:
        """Bytes that the block takes."""
        if not self.streamed:
            return peak_of(program, box)
        takes = {key: streamed.takes for key, streamed in self.streamed.items()}
        return peak_bytes(program, self.schedule, takes)

    @property
    def ahead(self) -> int:
        """Pieces of which the next one is read while one is computed; 1 where none is."""
        return max([one.count for one in self.streamed.values() if one.ahead], default=1)

    @property
    def pieces(self) -> int:
        """Pieces of the value that has most; 1 where all is computed whole."""
        return max([one.count for one in self.streamed.values()], default=1)

    @property
    def calls(self) -> int:
        """Operators that are called."""
        others = len(self.schedule.works) - len(self.streamed)
        return others + sum([one.calls for one in self.streamed.values()])
