"""Programs that read and write one Zarr array by its journal, and what may come of them.

The array has chunks of two cells, in a dictionary of which each look and each change is a point at
which others may have their turn, also in the middle of a listing. The cells of a write are its
number. A change of what is stored when another write has taken the cells, and the look that finds
this, are one moment: of a process that is killed between the two nobody can know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import combinations, count, permutations
from random import Random
from threading import Thread, current_thread
from typing import Any, NamedTuple
from uuid import uuid4

import zarr
from zarr.core.buffer import default_buffer_prototype

import dask_tapestry as dt
from dask_tapestry.io.journals.journal import Box
from dask_tapestry.io.journals.write_marks import write_marked
from dask_tapestry.io.journals.write_record import RecordedWrite
from dask_tapestry.io.journals.writer_id import WriterId
from dask_tapestry.io.journals.zarr_journal import (
    begin_write,
    end_write,
    is_begun,
    refuse_incomplete,
    unfinished_writes,
)
from dask_tapestry.io.journals.zarr_version import Version
from dask_tapestry.io.sinks.zarr_create import create_begun
from dask_tapestry.io.stores.stored_objects import FOLDER
from dask_tapestry.io.stores.zarr_location import Location
from tests.io.interleaving import point, undivided

CHUNK = 2
OPTIONS: dict[str, Any] = {
    "dtype": "u1", "chunks": (CHUNK,), "compressors": None, "zarr_format": 3, "fill_value": 0,
}  # fmt: skip
Span = tuple[int, int]


class Cells(dict[str, Any]):
    """A dictionary whose keys are listed in two parts, between which others may change it."""

    def __init__(self, random: Random) -> None:
        super().__init__()
        self.random = random
        self.changed: Callable[[str], None] = lambda key: None

    def __iter__(self) -> Iterator[str]:
        point()
        one, first = set(super().keys()), self.random.random() < 0.5
        point()
        other, salt = set(super().keys()), self.random.random()
        low = {key: Random(f"{key} {salt}").random() < 0.5 for key in one | other}
        return iter([key for key in low if key in (one if low[key] == first else other)])

    def __contains__(self, key: object) -> bool:
        point()
        return super().__contains__(key)

    def __setitem__(self, key: str, value: Any) -> None:
        point()
        super().__setitem__(key, value)
        self.changed(key)

    def get(self, key: str, default: Any = None) -> Any:
        point()
        return super().get(key, default)

    def pop(self, key: str, default: Any = None) -> Any:
        point()
        found = super().pop(key, default)
        self.changed(key)
        return found


class Told(NamedTuple):
    """What a program tells: a write of some cells by its number, or cells that were read."""

    number: int
    span: Span
    begin: float
    end: float
    outcome: str
    seen: tuple[int, ...] = ()

    @property
    def reach(self) -> Span:
        """Cells of the chunks that it changes."""
        return self.span[0] // CHUNK * CHUNK, -(-self.span[1] // CHUNK) * CHUNK


class World:
    """One array of `chunks` chunks, and what programs tell of it."""

    def __init__(self, chunks: int, seed: int = 0) -> None:
        self.extent = CHUNK * chunks
        self.cells = Cells(Random(seed))
        self.place = Location.of(zarr.storage.MemoryStore(self.cells), None, uuid4().hex)
        with undivided():
            zarr.create_array(self.place.store, shape=(self.extent,), **OPTIONS)
        self.clock, self.told = count(), dict[int, Told]()
        self.numbers, self.writes = count(1), dict[int, RecordedWrite]()
        self.repeats = False
        self.changing: dict[Thread, tuple[RecordedWrite, ExitStack]] = {}
        self.cells.changed = self._changed

    def region(self, lo: int, hi: int) -> Callable[[], None]:
        """A write of some cells: of those of a chunk that it does not write the old ones stay."""
        number = next(self.numbers)
        reach = ((lo // CHUNK * CHUNK, -(-hi // CHUNK) * CHUNK),)
        write = RecordedWrite(f"write {number}", f"run {number}", ((lo, hi),), chunks=reach)

        def steps() -> None:
            begin_write(self.place, write)
            self._store(write, number)
            end_write(self.place, write)

        self.writes[number] = write
        return lambda: self._tell(number, (lo, hi), steps)

    def again(self, number: int) -> Callable[[], None]:
        """The tasks of a write, done again by a worker that was taken for lost."""
        self.repeats = True

        def steps() -> None:
            with suppress(dt.StoreError):
                self._store(self.writes[number], number)

        return steps

    def begin_again(self, number: int) -> Callable[[], None]:
        """The beginning of a write, done again as the worker that did it is lost."""
        self.repeats = True

        def steps() -> None:
            with suppress(dt.StoreError):
                begin_write(self.place, self.writes[number])

        return steps

    def overwrite(self) -> Callable[[], None]:
        """A write that makes the array anew."""
        number = next(self.numbers)
        write = RecordedWrite(f"write {number}", f"run {number}", ((0, self.extent),))
        maker = WriterId(write.write, write.run)
        options = {**OPTIONS, "shape": (self.extent,)}

        def steps() -> None:
            with self._by(write):
                create_begun(self.place, write, maker, True, options)
            self._store(write, number)
            end_write(self.place, write)

        return lambda: self._tell(number, (0, self.extent), steps)

    def _store(self, write: RecordedWrite, number: int) -> None:
        (lo, hi), (first, last) = write.box[0], write.reach[0]
        for at in range(first, last, CHUNK):
            own = range(max(lo, at), min(hi, at + CHUNK))
            box, chunks = ((own.start, own.stop),), (1, (last - first) // CHUNK)
            with self._by(write):
                put = partial(self._put, own, number)
                write_marked(self.place, write, box, chunks, put, ((at, at + CHUNK),))

    def _put(self, own: range, number: int, place: Location) -> None:
        del place
        at = own.start // CHUNK
        held = list(self._chunk(at)) if len(own) < CHUNK else [0] * CHUNK
        for cell in own:
            held[cell - at * CHUNK] = number
        self.cells[f"c/{at}"] = default_buffer_prototype().buffer.from_bytes(bytes(held))

    @contextmanager
    def _by(self, write: RecordedWrite) -> Iterator[None]:
        """Within it `write` changes what is stored."""
        with ExitStack() as late:
            self.changing[current_thread()] = write, late
            yield
            del self.changing[current_thread()]

    def _changed(self, key: str) -> None:
        """Have a write that changes what is not its own any more go on to where it finds that."""
        write, late = self.changing.get(current_thread(), (None, None))
        if write is not None and FOLDER not in key:
            with undivided():
                try:
                    goes_on = is_begun(self.place, write)
                except dt.StoreError:
                    goes_on = False
            if not goes_on:
                late.enter_context(undivided())

    def _chunk(self, at: int) -> bytes:
        found = self.cells.get(f"c/{at}")
        return bytes(CHUNK) if found is None else found.to_bytes()

    def read(self, lo: int, hi: int) -> Callable[[], None]:
        """A read of some cells, of one version or an error."""
        number = -next(self.numbers)

        def steps() -> tuple[int, ...]:
            refuse_incomplete(self.place, (self.extent,))
            version = Version.of(self.place, f"run {number}")
            assert version is not None
            version.checked_metadata(self.place)
            held = [self._chunk(at) for at in range(lo // CHUNK, -(-hi // CHUNK))]
            version.confirm(self.place, [((lo, hi),)])
            return tuple(b"".join(held)[lo % CHUNK : lo % CHUNK + hi - lo])

        return lambda: self._tell(number, (lo, hi), steps)

    def _tell(self, number: int, span: Span, steps: Callable[[], tuple[int, ...] | None]) -> None:
        begin, outcome, seen = next(self.clock), "killed", ()
        try:
            seen, outcome = steps() or (), "done"
        except (dt.StoreError, dt.StoreNotFoundError):
            outcome = "failed"
        finally:
            end = next(self.clock)
            self.told[number] = Told(number, span, begin, end, outcome, seen)

    def defects(self) -> list[str]:
        """What is wrong in what programs have told, and in what they have left."""
        reads = [one for one in self.told.values() if one.seen]
        wrong = [f"read {one} of {self._writes()}" for one in reads if not self._is_some_order(one)]
        if self.has_array:
            wrong += self._defects_at_rest()
        return wrong + self._defects_of_healing()

    def _defects_at_rest(self) -> list[str]:
        """What is wrong with the array before and after what it calls incomplete is written."""
        boxes = self._incomplete()
        if boxes and not self.repeats and self._is_written_over():
            return [f"incomplete, and all of it was written: {self._writes()}"]
        for ((lo, hi),) in boxes:
            self.region(lo, min(hi, self.extent))()
        if self._incomplete():
            return [f"incomplete, and {boxes} were written: {self._writes()}"]
        held = b"".join(map(self._chunk, range(self.extent // CHUNK)))
        now = next(self.clock)
        rest = Told(0, (0, self.extent), now, now, "rest", tuple(held))
        return [] if self._is_some_order(rest) else [f"{rest} of {self._writes()}, {boxes} mended"]

    def _incomplete(self) -> list[Box]:
        whole = [((0, self.extent),)]
        found = [
            whole if boxes is None else boxes for boxes in unfinished_writes(self.place).values()
        ]
        return sorted({box for boxes in found for box in boxes})

    @property
    def has_array(self) -> bool:
        return "zarr.json" in self.cells

    def _writes(self) -> list[Told]:
        return [one for one in self.told.values() if one.number > 0]

    def _is_written_over(self) -> bool:
        """Whether nothing is left of writes that failed or were killed: others came later."""
        broken = [one for one in self._writes() if one.outcome != "done"]
        whole = [one for one in self._writes() if one.outcome == "done"]
        return all(
            any(o.begin > one.end and o.span[0] <= cell < o.span[1] for o in whole)
            for one in broken
            for cell in range(*one.reach)
        )

    def _is_some_order(self, read: Told) -> bool:
        """Whether writes that took effect one after the other make what was read."""
        sure = [o for o in self._writes() if o.outcome == "done" and o.end < read.begin]
        maybe = [
            o
            for o in self._writes()
            if o not in sure and o.outcome != "failed" and o.begin < read.end
        ]
        return any(
            self._seen_after(order, read)
            for size in range(len(maybe) + 1)
            for some in combinations(maybe, size)
            for order in permutations([*sure, *some])
        )

    def _seen_after(self, order: Sequence[Told], read: Told) -> bool:
        if any(a.begin > b.end for a, b in combinations(order, 2)):
            return False
        cells = [0] * self.extent
        for write in order:
            cells[slice(*write.span)] = [write.number] * (write.span[1] - write.span[0])
        return tuple(cells[slice(*read.span)]) == read.seen

    def _defects_of_healing(self) -> list[str]:
        """What is wrong with the array after all of it is written again, in two parts."""
        middle = self.extent // 2
        parts = [(0, middle), (middle, self.extent)] if self.has_array else []
        writes = [self.region(*part) for part in parts] or [self.overwrite()]
        for write in writes:
            write()
        numbers = list(self.told.values())[-len(writes) :]
        wrong = [f"cannot be written again: {one}" for one in numbers if one.outcome != "done"]
        if self._incomplete():
            wrong.append("written again, and incomplete")
        return wrong
