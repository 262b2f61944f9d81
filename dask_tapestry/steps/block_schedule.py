"""Block schedules: what a worker runs, in order, to compute a block of a step.

An entry calls one instruction, or computes one value in a loop over pieces, or the formulas at the
end in tiles. What a loop runs for each piece is a block schedule too. `streaming` decides which
values have loops; the walk of `lower/schedule_walk.py` runs the entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod
from typing import NamedTuple

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.steps.formula_part import FormulaPart, formula_part, part_that_fits
from dask_tapestry.steps.instruction_schedule import InstructionSchedule, Key, Work
from dask_tapestry.steps.merges import Merges
from dask_tapestry.steps.peak import Peak, TurnPeak, peak_bytes, peak_of
from dask_tapestry.steps.piece_alignment import stored_and_work
from dask_tapestry.steps.piece_cuts import usual_piece
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.tuning import LARGE_WINDOW_BYTES
from dask_tapestry.steps.window import Window
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class PieceLoop:
    """How the cells of one box of a value are computed piece by piece.

    Attributes
    ----------
    program
        What a piece takes; its last inputs are those that `windows` show, and before them what is
        carried.
    box
        The box of the program's output that the pieces tile.
    edges
        Where pieces begin along each dimension, and the end.
    then
        Computes the value from what all pieces yield; None where they are the value.
    adds
        Whether pieces are added to the value.
    merges
        How what pieces yield is merged as it comes; None where it is kept until the end.
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
    merges: Merges | None = None

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
    def shown(self) -> int:
        """Number of stored values that windows show."""
        return len({window.number for window in self.windows})

    @property
    def is_plain(self) -> bool:
        """Whether pieces are the value's cells, and have nothing in common."""
        done = self.then is None and self.merges is None and not self.adds
        return done and not self.windows and not self.carried

    @property
    def calls(self) -> int:
        """Operators that are called."""
        merges = 0 if self.merges is None else self.count
        return self.count * self.each + merges + (self.then is not None)

    @property
    def work_times(self) -> float:
        """Times the operations of the whole that pieces take which share large windows.

        Others compute a few cells again at most.
        """
        if sum([window.nbytes for window in self.windows]) <= LARGE_WINDOW_BYTES:
            return 1.0
        piece = usual_piece(self.edges)
        (_, whole), (_, work) = (stored_and_work(self.program, b) for b in (self.box, piece))
        each = work / max(1, piece.size)
        return max(1.0, each * self.box.size / max(1, whole))

    @property
    def bytes(self) -> int:
        """Bytes of the value, and of all beside it at most."""
        return self.takes.cells + self.takes.beside.all


class PieceCut(NamedTuple):
    """How cells are cut into pieces.

    Attributes
    ----------
    program
        What a piece takes.
    windows
        What of that pieces share.
    carried
        The boxes of what they hand on.
    edges
        Where pieces end.
    piece
        The largest, or hardly smaller.
    inner
        How it is computed in turns; None where it is not.
    fits
        Whether it is computed as a whole; else in turns, or values are that it is made of.
    each
        Operators that it calls.
    beside
        Bytes that it takes beside its cells.
    """

    program: Program
    windows: tuple[Window, ...]
    carried: tuple[ZRange, ...]
    edges: tuple[tuple[int, ...], ...]
    piece: ZRange
    inner: PieceLoop | None
    fits: bool
    each: int
    beside: Peak

    def loop(self, box: ZRange, takes: TurnPeak) -> PieceLoop:
        """The cells `box` in these pieces."""
        return PieceLoop(
            self.program,
            box,
            self.edges,
            then=None,
            adds=False,
            fits=self.fits,
            takes=takes,
            each=self.each,
            windows=self.windows,
            carried=self.carried,
        )


class LoopEntry(NamedTuple):
    """A value that is computed in a loop over pieces.

    Attributes
    ----------
    work
        The value, its box, and what the pieces read together.
    loop
        The pieces.
    inputs
        For each input of the loop's program that is neither carried nor shown by a window, the
        value of the block's program that it is.
    """

    work: Work
    loop: PieceLoop
    inputs: tuple[int, ...]


class TileEntry(NamedTuple):
    """The formulas at the end of a program, computed in tiles.

    Attributes
    ----------
    work
        The last of them, and its box.
    part
        The program up to it, and which of its values are computed so.
    """

    work: Work
    part: FormulaPart


Entry = Work | LoopEntry | TileEntry


def _value(entry: Work | LoopEntry) -> int:
    return entry.work.value if isinstance(entry, LoopEntry) else entry.value


class BlockSchedule(NamedTuple):
    """How a block is computed.

    Attributes
    ----------
    program
        What is computed; the block is a box of its output.
    schedule
        The boxes of its values, and the computations; of a value that is computed in pieces one,
        which reads what the pieces do.
    entries
        What is run for each of these computations: itself, or a loop.
    """

    program: Program
    schedule: InstructionSchedule
    entries: tuple[Work | LoopEntry, ...]

    @classmethod
    def whole(cls, program: Program, box: ZRange) -> BlockSchedule:
        """Each value of the block is computed by one call."""
        schedule = program.schedule(box)
        return cls(program, schedule, schedule.works)

    @property
    def box(self) -> ZRange:
        """The cells of the output that are computed."""
        (box,) = self.schedule.boxes[-1]
        return box

    @property
    def in_tiles(self) -> tuple[Entry, ...] | None:
        """The entries where blocks are arrays and all inputs are there; None without tiles."""
        if len(self.entries) < 2 and not self.loops:
            return None
        part = formula_part(self.program.anywhere)
        if part is None or len(self.schedule.boxes[part.goal]) != 1:
            return None
        within = [e for e in self.entries if _value(e) >= min(part.values) and type(e) is LoopEntry]
        if within and not self._are_formulas(within, part):
            return None  # its pieces have tiles
        if not self.loops:
            part = part_that_fits(part, self.program, self.box)
        if part is None:
            return None
        entries: list[Entry] = []
        for entry in self.entries:
            if _value(entry) not in part.values:
                entries.append(entry)
            elif _value(entry) == part.goal:
                work = entry.work if isinstance(entry, LoopEntry) else entry
                entries.append(TileEntry(work, part))
        return tuple(entries)

    def _are_formulas(self, loops: Sequence[LoopEntry], part: FormulaPart) -> bool:
        """Whether all that loops compute is a part's formulas: tiles of the whole take less memory.

        Of a second difference of 36 M cells, telling the tiles of 18 pieces took 13 of 55 ms.
        """
        if [entry.work.value for entry in loops] != [part.goal] or not loops[0].loop.is_plain:
            return False
        held = {*range(len(self.program.inputs)), *map(_value, self.entries)} - part.values
        read = {x for value in part.values for x in self.program.instruction(value).inputs}
        return read - part.values <= held

    @property
    def loops(self) -> dict[Key, PieceLoop]:
        """The loops, by the value and the box that each computes."""
        entries = [entry for entry in self.entries if type(entry) is LoopEntry]
        return {(entry.work.value, entry.work.box): entry.loop for entry in entries}

    @property
    def peak(self) -> Peak:
        """Bytes that the block takes."""
        takes = {key: loop.takes for key, loop in self.loops.items()}
        if not takes:
            return peak_of(self.program, self.box)
        return peak_bytes(self.program, self.schedule, takes)

    @property
    def ahead(self) -> int:
        """Pieces of which the next one is read while one is computed; 1 where none is."""
        return max([loop.count for loop in self.loops.values() if loop.ahead], default=1)

    @property
    def pieces(self) -> int:
        """Pieces of the value that has most; 1 where all is computed whole."""
        return max([loop.count for loop in self.loops.values()], default=1)

    @property
    def work_times(self) -> float:
        """Times the operations of the whole that its loops take, as they compute cells again."""
        return max([loop.work_times for loop in self.loops.values()], default=1.0)

    @property
    def calls(self) -> int:
        """Operators that are called."""
        loops = self.loops.values()
        return len(self.entries) - len(loops) + sum([loop.calls for loop in loops])
