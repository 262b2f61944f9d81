"""Sides of blocks on both sides of a value: of those that make it, and of those that read it.

Blocks that read it may overlap, as those of a stencil do: neighbours begin closer to each other
than they are long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from dask_tapestry.planner.search.moves import pulled_grid
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.steps.chunk_alignment import computed_together
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts, ZRange, largest_box

Sides = tuple[int, ...]


class ReadSides(NamedTuple):
    """Sides of what blocks of a step read of a value.

    Attributes
    ----------
    sides
        Of the largest box.
    apart
        How far boxes of neighbours begin from each other: less where these overlap.
    """

    sides: Sides
    apart: Sides


class BlockSides(NamedTuple):
    """Sides of blocks on both sides of a value.

    Attributes
    ----------
    written, read
        Of blocks that make it, and of those that read it.
    together
        Cells that are made together, as those of a window: no block has a part of them.
    """

    written: Sides
    read: ReadSides
    together: Sides = ()


def least_of(reads: Iterable[ReadSides]) -> ReadSides:
    """The shortest sides that any of several steps reads.

    Examples
    --------
    >>> least_of([ReadSides((12, 9), (10, 9)), ReadSides((20, 5), (20, 5))])
    ReadSides(sides=(12, 5), apart=(10, 5))
    """
    sides, apart = zip(*reads, strict=True)
    return ReadSides(tuple(map(min, *sides, sides[0])), tuple(map(min, *apart, apart[0])))


def sides_held(node: Node, reader: PricedGroup) -> ReadSides:
    """Sides of what a block of a step reads of a value that is held: no more than all its boxes.

    The largest block may read none of it, where others do.
    """
    pulled = largest_box(pulled_grid(node, reader)).shape
    number = reader.group.inputs.index(node)
    program = reader.group.program
    read = _read_by(reader, lambda box: program.input_boxes(box)[number])
    if read is None:
        return ReadSides(pulled, pulled)
    return ReadSides(*[tuple(map(min, pulled, sides)) for sides in read])


def sides_read(node: Node, priced: PricedGroup) -> ReadSides | None:
    """Sides of what a block of a step reads of a source that it reads itself."""
    program = priced.group.program
    value = len(program.inputs) + priced.group.members.index(node)
    return _read_by(priced, lambda box: program.schedule(box).boxes[value])


def sides_together(priced: PricedGroup) -> Sides:
    """Cells along each dimension that a step makes together."""
    program = priced.group.program
    return tuple([max(1, computed_together(program, dim)) for dim in range(len(priced.grid))])


def _read_by(priced: PricedGroup, read: Callable[[ZRange], Sequence[ZRange]]) -> ReadSides | None:
    """Sides of the hull of what blocks read; None where the largest one reads nothing."""
    largest = largest_box(priced.grid)
    boxes = read(largest)
    if not boxes:
        return None
    hull = _hull(boxes)
    sides = tuple([max(1, hi - lo) for lo, hi in hull])
    apart = list(sides)
    for neighbour in _neighbours(largest, priced.grid):
        for dim, (own, other) in enumerate(zip(hull, _hull(read(neighbour) or boxes), strict=True)):
            distance = max(abs(other[0] - own[0]), abs(other[1] - own[1]))
            apart[dim] = min(apart[dim], distance or apart[dim])
    return ReadSides(sides, tuple(apart))


def _neighbours(block: ZRange, grid: Sequence[Cuts]) -> Iterator[ZRange]:
    """The blocks beside one, two along each dimension: what goes around is far at one end alone."""
    for dim, cuts in enumerate(grid):
        number = cuts.locate(block.lo[dim])
        for other in (number - 1, number + 1):
            if 0 <= other < cuts.count:
                yield block.replace(dim, *cuts.block(other))


def _hull(boxes: Sequence[ZRange]) -> list[tuple[int, int]]:
    """First and end along each dimension of all boxes together."""
    ends = zip(*[zip(box.lo, box.hi, strict=True) for box in boxes], strict=True)
    return [(min(lo for lo, _ in one), max(hi for _, hi in one)) for one in ends]
