"""Blockwise: a function of whole blocks, on which its value depends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.functions.formatted_function import takes_formats
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.teg import Operator, Progression, Region, TensorType
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.teg.regularity import ANYWHERE, Regular, Regularity
from dask_tapestry.zspace import Cuts, ZRange, block_box, block_range
from dask_tapestry_kernels.block_format import BlockFormat


@dataclass(frozen=True)
class BlocksOf:
    """Which blocks of an input a block of the output reads.

    Attributes
    ----------
    cuts
        How the input is cut.
    axes
        For each axis of the input, the output's axis with the same block number; -1 for all blocks.
    spans
        For each axis, how many blocks one of the output's reads.
    lists
        Whether several blocks are passed as nested lists; else as one array.
    """

    cuts: tuple[Cuts, ...]
    axes: tuple[int, ...]
    spans: tuple[int, ...]
    lists: bool = False

    @property
    def listed(self) -> tuple[int, ...]:
        """Axes along which blocks come in lists."""
        several = (
            a
            for a, (axis, n) in enumerate(zip(self.axes, self.spans, strict=True))
            if axis < 0 or n > 1
        )
        return tuple(several) if self.lists else ()

    def numbers(self, place: Sequence[int]) -> tuple[range, ...]:
        """Block numbers along each axis, for the output's block at `place`."""
        block_numbers = []
        for cuts, axis, span in zip(self.cuts, self.axes, self.spans, strict=True):
            if axis < 0:
                block_numbers.append(range(cuts.count))
            elif cuts.count == 1:
                block_numbers.append(range(1))
            else:
                first = place[axis] * span
                block_numbers.append(range(first, min(first + span, cuts.count)))
        return tuple(block_numbers)

    def box(self, numbers: Sequence[range]) -> ZRange:
        """The cells of blocks."""
        lo = [c.block(r.start)[0] for c, r in zip(self.cuts, numbers, strict=True)]
        hi = [c.block(r.stop - 1)[1] for c, r in zip(self.cuts, numbers, strict=True)]
        return ZRange(lo, hi)


@dataclass(frozen=True)
class Blockwise(Operator):
    """Block (i, j, ...) of the output is `function` of the blocks that `reads` names of the inputs.

    Attributes
    ----------
    function
        Called with a block of each input.
    cuts
        How the output is cut.
    reads
        Which blocks of each input belong to a block of the output.
    dtype
        Of the output.
    told
        Keyword arguments the function takes: ``block_id``, ``block_info``.
    first
        Number of the first block along each axis, where only some are computed.
    whole, frame
        For ``block_info``, of the whole output: the inputs' numbers and blocks, and its cuts.
    format
        Of what the function returns.
    """

    name = "blockwise"
    kernel = "blockwise"
    any_cells = True
    calls = True
    multithreaded = True
    category = "block"
    fills = True
    holds = True
    function: UserFunction
    cuts: tuple[Cuts, ...]
    reads: tuple[BlocksOf, ...]
    dtype: np.dtype[Any]
    told: tuple[str, ...] = ()
    first: tuple[int, ...] = ()
    whole: tuple[tuple[int, BlocksOf], ...] = ()
    frame: tuple[Cuts, ...] = ()
    format: BlockFormat | None = None

    @property
    def label(self) -> str:
        return self.function.label

    @property
    def any_format(self) -> bool:  # type: ignore[override]  # it depends on the function
        return takes_formats(self.function)

    @property
    def layout(self) -> tuple[Cuts, ...]:
        return self.cuts

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(tuple(c.extent for c in self.cuts), self.dtype)

    def granularity(self, inputs: Types) -> tuple[int, ...]:
        return tuple(0 if c.count == 1 < c.extent else 1 for c in self.cuts)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        places = [r or range(1) for r in block_range(self.cuts, box)]
        boxes = []
        for read in self.reads:
            first = read.box(read.numbers([r.start for r in places]))
            boxes.append(first.hull(read.box(read.numbers([r.stop - 1 for r in places]))))
        return tuple(boxes)

    def regularity(self, inputs: Types) -> Regularity:
        """Regular by blocks; the first and the last of an axis may have another length."""
        return tuple([self._rule(axis, c) for axis, c in enumerate(self.cuts)])

    def _rule(self, axis: int, cuts: Cuts) -> Regular | None:
        if cuts.count == 1:
            return ANYWHERE
        followed = [c for r in self.reads for c, a in zip(r.cuts, r.axes, strict=True) if a == axis]
        if cuts.edges or any(c.edges for c in followed):
            return None
        return Regular(cuts.step, (cuts.block(0)[1], cuts.block(cuts.count - 1)[0]))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        works = []
        for block_number in product(*block_range(self.cuts, box)):
            block = block_box(self.cuts, block_number)
            pieces = [
                self._pieces(block_number, r, b) for r, b in zip(self.reads, boxes, strict=True)
            ]
            at = tuple(
                slice(a - o, b - o) for a, b, o in zip(block.lo, block.hi, box.lo, strict=True)
            )
            works.append((at, block.shape, pieces, self.told_at(block_number)))
        return {
            "function": self.function,
            "shape": box.shape,
            "dtype": self.dtype,
            "works": [] if box.is_empty else _clipped(works, box.shape),
            "foreign": self.format is not None,
        }

    def _pieces(self, place: tuple[int, ...], read: BlocksOf, held: ZRange) -> Any:
        """Where a block lies in what is held; nested lists of such, where it reads several."""
        numbers = read.numbers(place)
        return self._nested(read, list(numbers), list(read.listed), held)

    def _nested(self, read: BlocksOf, numbers: list[range], listed: list[int], held: ZRange) -> Any:
        if not listed:
            return read.box(numbers).slices(held)
        axis, *rest = listed
        return [
            self._nested(read, [*numbers[:axis], range(n, n + 1), *numbers[axis + 1 :]], rest, held)
            for n in numbers[axis]
        ]

    def told_at(self, place: tuple[int, ...]) -> dict[str, Any]:
        """Keyword arguments of the function for one block."""
        at = tuple(a + b for a, b in zip(place, self.first, strict=True)) if self.first else place
        told: dict[str, Any] = {}
        if "block_id" in self.told:
            told["block_id"] = at
        if "block_info" in self.told:
            told["block_info"] = self._info(at)
        return told

    def _info(self, at: tuple[int, ...]) -> dict[int | None, dict[str, Any]]:
        info: dict[int | None, dict[str, Any]] = {}
        for number, blocks in self.whole:
            chosen = blocks.numbers(at)
            box = blocks.box(chosen)
            counts = tuple(
                1 if axis < 0 else c.count for c, axis in zip(blocks.cuts, blocks.axes, strict=True)
            )
            info[number] = {
                "shape": tuple(c.extent for c in blocks.cuts),
                "num-chunks": counts,
                "array-location": list(zip(box.lo, box.hi, strict=True)),
                "chunk-location": tuple(r.start for r in chosen),
            }
        result_box = block_box(self.frame, at)
        info[None] = {
            "shape": tuple(c.extent for c in self.frame),
            "num-chunks": tuple(c.count for c in self.frame),
            "array-location": list(zip(result_box.lo, result_box.hi, strict=True)),
            "chunk-location": at,
            "chunk-shape": result_box.shape,
            "dtype": self.dtype,
        }
        return info

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Only the blocks that the region meets."""
        box = ZRange([p.start for p in region], [max(p.stop, p.start) for p in region])
        ranges = block_range(self.cuts, box)
        if box.is_empty or all(len(r) == c.count for r, c in zip(ranges, self.cuts, strict=True)):
            return None
        regions, reads = [], []
        for input_blocks in self.reads:
            numbers = [
                _joined(
                    input_blocks.numbers([r.start for r in ranges])[i],
                    input_blocks.numbers([r.stop - 1 for r in ranges])[i],
                )
                for i in range(len(input_blocks.axes))
            ]
            regions.append(Region.box(input_blocks.box(numbers)))
            cuts = tuple(_window(c, r) for c, r in zip(input_blocks.cuts, numbers, strict=True))
            reads.append(replace(input_blocks, cuts=cuts))
        first = self.first or (0,) * len(self.cuts)
        operator = replace(
            self,
            cuts=tuple(_window(c, r) for c, r in zip(self.cuts, ranges, strict=True)),
            reads=tuple(reads),
            first=tuple(a + r.start for a, r in zip(first, ranges, strict=True)),
        )
        result_box = ZRange(
            [c.block(r.start)[0] for c, r in zip(self.cuts, ranges, strict=True)],
            [c.block(r.stop - 1)[1] for c, r in zip(self.cuts, ranges, strict=True)],
        )
        sides = [
            Progression(a, 1, b - a) for a, b in zip(result_box.lo, result_box.hi, strict=True)
        ]
        return Restriction(operator, tuple(regions), Region(sides))

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size

    def text(self) -> str:
        return f"{self.function.name}, {', '.join(map(str, self.cuts))}"


def _joined(first: range, last: range) -> range:
    return range(first.start, last.stop)


def _window(cuts: Cuts, numbers: range) -> Cuts:
    lengths = [b - a for a, b in map(cuts.block, numbers)]
    return Cuts.of_lengths(lengths)


def _clipped(works: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """For each block where its cells go, and which of them are inside the box."""
    clipped = []
    for target, lengths, pieces, arguments in works:
        clipped_target = tuple(
            slice(max(0, s.start), min(n, s.stop)) for s, n in zip(target, shape, strict=True)
        )
        keep = tuple(
            slice(i.start - s.start, i.stop - s.start)
            for i, s in zip(clipped_target, target, strict=True)
        )
        clipped.append((clipped_target, lengths, keep, pieces, arguments))
    return clipped
