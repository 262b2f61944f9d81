"""Joined sources: stored arrays one behind the other, or in a stack, that are read as one.

A plan of a thousand files is then that of one array in chunks: no step has an instruction for each.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from functools import cached_property, partial
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.idle_threads import by_idle_threads
from dask_tapestry.io.chunks.chunk_costs import touched_chunk_cells
from dask_tapestry.io.sources.chunked_source import ChunkedSource
from dask_tapestry.io.tuning import MOST_SPACED
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Source, TensorType
from dask_tapestry.teg.node import form_of
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.tuning import MOST_CHUNK_EDGES
from dask_tapestry.zspace import Cuts, ZRange


class _Met(NamedTuple):
    """A part that a box meets: its number, its cells there, and where these are in the box."""

    part: int
    box: ZRange
    place: tuple[slice | int, ...]


@dataclass(frozen=True)
class JoinedSource(ChunkedSource):
    """The cells of several sources that are stored alike, but for lengths along the axis.

    Attributes
    ----------
    joined
        The sources, in order.
    axis
        Along which they lie one behind the other.
    stacked
        Whether they have no such axis: each is one place along it.
    starts, ends
        Where each begins and ends along the axis; cells between them are zeros, of no store.
    stored_as
        The chunks along each axis; None where any part can be read alone.
    read_as
        What is read as a whole, along each axis.
    """

    name = "joined"
    fills = True
    joined: tuple[Source, ...]
    axis: int
    stacked: bool
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    type: TensorType
    stored_as: tuple[Cuts, ...] | None
    read_as: tuple[Cuts, ...] | None

    def __getstate__(self) -> dict[str, Any]:
        """The fields: hashes of texts differ in other processes."""
        return {field.name: self.__dict__[field.name] for field in fields(self)}

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Found once: programs are looked up by what they read."""
        return hash((self.joined, self.axis, self.stacked, self.type))

    @cached_property
    def joined_forms(self) -> tuple[str, ...]:  # type: ignore[override]  # found once
        own = [one.joined_forms or (form_of(one),) for one in self.joined]
        return tuple([form for forms in own for form in forms])

    @property
    def label(self) -> str:
        return self.joined[0].label

    @property
    def may_change(self) -> bool:  # type: ignore[override]  # as of the parts, which are alike
        return self.joined[0].may_change

    @property
    def is_plain(self) -> bool:
        return self.joined[0].is_plain

    @property
    def codec(self) -> str:
        return self.joined[0].codec

    @property
    def chunks(self) -> tuple[int, ...] | None:
        return _longest(self.stored_as)

    @property
    def chunk_cuts(self) -> tuple[Cuts, ...] | None:
        return self.stored_as

    @property
    def read_sides(self) -> tuple[int, ...] | None:
        return _longest(self.read_as)

    @property
    def read_cuts(self) -> tuple[Cuts, ...] | None:
        return self.read_as

    def with_joined(self, sources: Sequence[Source]) -> JoinedSource:
        return replace(self, joined=tuple(sources))

    def for_run(self, run: str) -> Source:
        return self.with_joined([part.for_run(run) for part in self.joined])

    @property
    def stamp(self) -> str:
        stamps = [part.stamp for part in self.joined]
        return " ".join(stamps) if any(stamps) else ""

    def origin(self) -> str:
        parts = " ".join([part.origin() for part in self.joined])
        return f"{self.type} {self.axis} {self.stacked} {parts}"

    def confirm(self, boxes: Iterable[ZRange]) -> None:
        read: dict[int, list[ZRange]] = {}
        for met in [met for box in boxes for met in self._met(box)]:
            read.setdefault(met.part, []).append(met.box)
        for number, own in read.items():
            self.joined[number].confirm(own)

    def slot(self, number: int, identity: str = "") -> JoinedSource | None:
        slots = [part.slot(at, f"{number} {identity}") for at, part in enumerate(self.joined)]
        found = [slot for slot in slots if slot is not None]
        return self.with_joined(found) if len(found) == len(slots) else None

    def stored_bytes(self, box: ZRange) -> int:
        if self.read_as is None or box.is_empty:
            return box.size * self.type.dtype.itemsize
        axis = self.axis
        if self._grid is not None:
            return touched_chunk_cells(box, self._grid, self.type.shape) * self.type.dtype.itemsize
        if self.has_gaps:
            box = box.replace(axis, *self._between_gaps(box.lo[axis], box.hi[axis]))
            if box.is_empty:
                return 0
        spans = [c.whole(*span) for c, *span in zip(self.read_as, box.lo, box.hi, strict=True)]
        sides = [end - begin for begin, end in spans]
        if self.has_gaps:
            begin, end = spans[axis]
            sides[axis] = self._stored_before(end) - self._stored_before(begin)
        return prod(sides) * self.type.dtype.itemsize

    @cached_property
    def _grid(self) -> tuple[int, ...] | None:
        """Sides of what is read as a whole, where these are all alike."""
        cuts = self.read_as or ()
        is_one = not self.has_gaps and all(c.lead == c.step and not c.edges for c in cuts)
        return self.read_sides if is_one else None

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Of one part, as they are read one after the other: of those of a kind alike."""
        found, numbers = 0, self._numbers(box)
        is_strided = len(numbers) > 1 and any(n > 1 for n in box.shape[: self.axis])
        for number in self._kinds_met(numbers):
            if met := self._of_part(number, box):
                one, own = self.joined[number], met.box
                beside = one.strided_scratch_bytes(own) if is_strided else None
                found = max(found, one.scratch_bytes(inputs, own) if beside is None else beside)
        return found

    def strided_scratch_bytes(self, box: ZRange) -> int:
        met = [self._of_part(number, box) for number in self._kinds_met(self._numbers(box))]
        return max([self.joined[m.part].strided_scratch_bytes(m.box) for m in met if m], default=0)

    @cached_property
    def helper_bytes(self) -> int | None:
        most = [part.helper_bytes for part in self.joined]
        return None if None in most else max(one or 0 for one in most)

    def _kinds_met(self, numbers: range) -> Iterable[int]:
        """One part of each kind that is met whole, and those at the ends if none is of theirs.

        Of a thousand files there are few kinds.
        """
        if len(numbers) <= 2:
            return numbers
        first, last = numbers[0], numbers[-1]
        whole = dict[int, int]()
        for kind, alike in enumerate(self._alike):
            at = bisect_left(alike, first + 1)
            if at < len(alike) and alike[at] < last:
                whole[kind] = alike[at]
        return [*whole.values(), *[n for n in (first, last) if self._kinds[n] not in whole]]

    @cached_property
    def _kinds(self) -> tuple[int, ...]:
        """The kind of each part: of one kind reading all along the axis takes as much memory."""
        known: dict[object, int] = {}
        shapes = [(part.infer().shape, part.chunks) for part in self.joined]
        return tuple([known.setdefault(shape, len(known)) for shape in shapes])

    @cached_property
    def _alike(self) -> tuple[list[int], ...]:
        """The numbers of the parts of each kind."""
        found: list[list[int]] = [[] for _ in set(self._kinds)]
        for number, kind in enumerate(self._kinds):
            found[kind].append(number)
        return tuple(found)

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        return self.read_some(box, out, 1)

    def read_some(self, box: ZRange, out: Block | None, every: int) -> Block:
        cells = np.empty(box.shape, self.type.dtype) if out is None else out
        if self.has_gaps:
            for gap in self._gaps(box.lo[self.axis], box.hi[self.axis]):
                cells[(slice(None),) * self.axis + (gap,)] = self.type.dtype.type()
        # Along the first axis the rows that are needed begin elsewhere in each part.
        pace = every if self.axis or self.stacked else 1
        reads = [partial(self._read_part, met, cells[met.place], pace) for met in self._met(box)]
        by_idle_threads(reads, together=1 if self.helper_bytes else max(1, len(reads)))
        return cells

    def _read_part(self, met: _Met, memory: Block, every: int) -> None:
        made = self.joined[met.part].read_some(met.box, memory, every)
        if made is not memory:
            memory[...] = made

    def _met(self, box: ZRange) -> Iterator[_Met]:
        """What a box meets of each part."""
        for number in self._numbers(box):
            if met := self._of_part(number, box):
                yield met

    def _numbers(self, box: ZRange) -> range:
        """The parts that a box meets, and those without cells between them."""
        lo, hi = box.lo[self.axis], box.hi[self.axis]
        first = 0 if box.is_empty else bisect_right(self.ends, lo)
        return range(first, 0 if box.is_empty else bisect_left(self.starts, hi))

    def _of_part(self, number: int, box: ZRange) -> _Met | None:
        """What a box meets of a part; None for no cells."""
        axis, lo, hi = self.axis, box.lo[self.axis], box.hi[self.axis]
        others = (slice(None),) * axis
        if self.stacked:
            own = ZRange(*[(*side[:axis], *side[axis + 1 :]) for side in (box.lo, box.hi)])
            return _Met(number, own, (*others, number - lo))
        start = self.starts[number]
        first, last = max(lo, start), min(hi, self.ends[number])
        if first >= last:
            return None
        own = box.replace(axis, first - start, last - start)
        return _Met(number, own, (*others, slice(first - lo, last - lo)))

    @cached_property
    def has_gaps(self) -> bool:
        """Whether parts are not all one behind the other."""
        return self._stored_ends[-1] < self.ends[-1]

    @cached_property
    def _stored_ends(self) -> tuple[int, ...]:
        """How many cells along the axis the parts have up to each."""
        return tuple(accumulate([e - s for s, e in zip(self.starts, self.ends, strict=True)]))

    def _stored_before(self, place: int) -> int:
        """How many places along the axis lie before one and in no gap."""
        number = bisect_right(self.starts, place) - 1
        behind = max(0, self.ends[number] - place)
        return self._stored_ends[number] - behind

    def _between_gaps(self, lo: int, hi: int) -> tuple[int, int]:
        """The places from `lo` to `hi` without gaps at either end."""
        first, last = bisect_right(self.ends, lo), bisect_left(self.starts, hi) - 1
        if first > last:
            return lo, lo
        return max(lo, self.starts[first]), min(hi, self.ends[last])

    def _gaps(self, lo: int, hi: int) -> Iterator[slice]:
        """Places between `lo` and `hi`, counted from there, that no part has."""
        place = lo
        for number in range(bisect_right(self.ends, lo), len(self.ends)):
            start = self.starts[number]
            if start >= hi:
                break
            if place < start:
                yield slice(place - lo, start - lo)
            place = self.ends[number]
        if place < hi:
            yield slice(place - lo, hi - lo)

    @cached_property
    def spaced(self) -> JoinedSource | None:
        """The source of these cells with gaps, so that all chunks have one length.

        Reductions fold what is stored in a chunk by itself, and such chunks are alike. None where
        they are now, where parts have chunks of several lengths, or gaps would be long.
        """
        axis, cuts, read = self.axis, self.stored_as, self.read_as
        if self.stacked or self.has_gaps or cuts is None or read is None or not cuts[axis].edges:
            return None
        own = [one.chunk_cuts[axis] for one in self.joined if one.chunk_cuts is not None]
        side = max([c.step for c in own])
        if any(c.edges or c.lead < c.step or (c.count > 1 and c.step < side) for c in own):
            return None
        starts = tuple(accumulate([-(-c.extent // side) * side for c in own], initial=0))[:-1]
        ends = tuple([start + c.extent for start, c in zip(starts, own, strict=True)])
        read_side = read[axis].longest
        if side % read_side or ends[-1] > MOST_SPACED * self.ends[-1]:
            return None
        type_ = self.type._replace(shape=self.type.box.replace(axis, 0, ends[-1]).hi)
        stored, parts = (
            (*one[:axis], Cuts.regular(ends[-1], n), *one[axis + 1 :])
            for one, n in ((cuts, side), (read, read_side))
        )
        return replace(self, starts=starts, ends=ends, type=type_, stored_as=stored, read_as=parts)

    @cached_property
    def places(self) -> np.ndarray[Any, Any]:
        """Of each place along the axis that is of a part, the number among all."""
        pairs = zip(self.starts, self.ends, strict=True)
        return np.concatenate([np.arange(start, end) for start, end in pairs])

    def text(self) -> str:
        how = "stacked" if self.stacked else "joined"
        more = len(self.joined) - 1
        return f"{self.joined[0].text()} and {more} more {how} along axis {self.axis}"


def joined_source(
    parts: Sequence[Source], axis: int, stacked: bool, type_: TensorType
) -> JoinedSource | None:
    """The source of the cells of all `parts`; None where they are not stored alike.

    Their chunks lie as those of one array: of one shape but for their lengths along the axis.

    Parameters
    ----------
    axis
        Along which they lie one behind the other, a new one if they are `stacked`.
    type_
        Of all cells.
    """
    if any(part.external or part.layout is not None for part in parts):
        return None
    if len({_kind(part, -1 if stacked else axis) for part in parts}) > 1:
        return None
    lengths = [1 if stacked else part.infer().shape[axis] for part in parts]
    try:
        stored, read = (
            _cuts_of_all([getattr(part, name) for part in parts], axis, stacked)
            for name in ("chunk_cuts", "read_cuts")
        )
    except _ManyError:
        return None
    starts = tuple(accumulate(lengths, initial=0))
    return JoinedSource(tuple(parts), axis, stacked, starts[:-1], starts[1:], type_, stored, read)


def _kind(part: Source, axis: int) -> tuple[object, ...]:
    """What parts have in common that are stored alike but for their lengths along an axis."""
    type_ = part.infer()
    known = part.infer().shape, part.chunk_cuts, part.read_cuts
    sides = [s and tuple(n for a, n in enumerate(s) if a != axis) for s in known]
    return type(part), type_.dtype, part.is_plain, part.fills, *sides


class _ManyError(Exception):
    """Chunks lie unevenly, and are too many to be listed."""


def _cuts_of_all(
    cuts: Sequence[tuple[Cuts, ...] | None], axis: int, stacked: bool
) -> tuple[Cuts, ...] | None:
    """The chunks of all along each axis, of parts with these; None where they have none."""
    own = [one for one in cuts if one is not None]
    if not own:
        return None
    before, after = own[0][:axis], own[0][axis + (not stacked) :]
    along = (
        Cuts.regular(len(own), 1)
        if stacked
        else Cuts.in_a_row([one[axis] for one in own], MOST_CHUNK_EDGES)
    )
    if along is None:
        raise _ManyError
    return (*before, along, *after)


def _longest(cuts: tuple[Cuts, ...] | None) -> tuple[int, ...] | None:
    return None if cuts is None else tuple([one.longest for one in cuts])
