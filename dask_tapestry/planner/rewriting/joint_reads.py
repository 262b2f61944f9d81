"""Joint reads: unlike operators that read one stored source do so in one step, tile by tile.

A tile is a box of the source. Each operator has a window of cells that are made of a tile: nodes of
a fold, lanes that are sorted, cells of a formula. How windows follow tiles is read off the boxes
that programs need, so that any operator may take part; what a window needs beside its tile, as the
cells around a stencil's, is read with it.

The form is a number: the bytes of a tile, up to which it is made of several stored chunks. Values
that take it with one number, and whose largest source is the same, share a step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from math import lcm, prod
from typing import Final, NamedTuple

from dask_tapestry.planner.tuning import FARTHER_TILES
from dask_tapestry.rules.joint_windows import (
    Window,
    WindowAxis,
    in_joint_windows,
    is_read_jointly,
)
from dask_tapestry.rules.tuning import FEW_OF_CELLS
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.teg import Form, Node, Source
from dask_tapestry.teg.node import topological
from dask_tapestry.zspace import Cuts, ZRange

ONE_READ: Final = "one read"


class Pace(NamedTuple):
    """An axis of a source that a dimension of a value moves, by `cells` a step, from `start`."""

    dim: int
    cells: int
    start: int


Paces = Mapping[int, Pace]  # by axis of the source


class Reader(NamedTuple):
    """A value, and how what it reads of a source follows its cells."""

    node: Node
    paces: Paces


class Tiles(NamedTuple):
    """Tiles of a source.

    Attributes
    ----------
    axes
        Axes of the source that are cut.
    sides, origins
        Of tiles along these, and where the first ones begin: at the first cell, or before it.
    """

    axes: tuple[int, ...]
    sides: tuple[int, ...]
    origins: tuple[int, ...]


class JointRead(NamedTuple):
    """Values that may be read together, their windows, and the number of tiles."""

    nodes: tuple[Node, ...]
    windows: tuple[Window, ...]
    tiles: tuple[int, ...]


def one_read_form(_: Node) -> Form:
    """The form as one of the forms of any node, which alone it does not change."""
    return Form(ONE_READ, (), lambda one, _size: one)


def joint_reads(parts: Mapping[Node, int]) -> dict[Node, Node]:
    """What values become that take the form, by the bytes of their tiles."""
    groups: dict[tuple[int, Node | None], list[Node]] = defaultdict(list)
    for node, size in parts.items():
        groups[size, main_source(node)].append(node)
    done: dict[Node, Node] = {}
    for (size, source), nodes in groups.items():
        given = frozenset(filter(is_read_jointly, topological(nodes)))
        found = None if source is None else joint_read(source, nodes, size, given)
        if found is not None:
            done |= in_joint_windows(*found)
    return done


@lru_cache(maxsize=1024)
def main_source(node: Node) -> Node | None:
    """The largest stored source that a value is made of."""
    stored = [x for x in topological([node]) if isinstance(x.operator, Source) and _is_stored(x)]
    return max(stored, key=lambda x: (x.type.nbytes, x.digest), default=None)


def _is_stored(node: Node) -> bool:
    source = node.operator
    assert isinstance(source, Source)
    return not source.external and source.chunk_cuts is not None and node.type.size > 0


def joint_read(
    source: Node, nodes: Sequence[Node], most: int, given: frozenset[Node] = frozenset()
) -> JointRead | None:
    """Which of some values are read together, in tiles of `most` bytes; None if fewer than two.

    Those that need whole what a tile must not be are left out. A value alone is read in tiles, too.

    Parameters
    ----------
    given
        What passes before have made, which the values may wait for.
    """
    readers = [Reader(node, paces_of(node, source, given)) for node in dict.fromkeys(nodes)]
    least = min(2, len(readers))
    while readers and len(readers) >= least:
        tiles = _tiles(source, readers, most)
        if tiles is not None:
            fitting = [one for one in readers if _windows_lie_in_tiles(one, tiles, readers)]
            if len(fitting) == len(readers):
                return _read_in(readers, tiles) if tiles.axes else None
        else:
            fitting = _without_hinderers(source, readers)
        if len(fitting) == len(readers):
            return None
        readers = fitting
    return None


def _read_in(readers: Sequence[Reader], tiles: Tiles) -> JointRead | None:
    windows = tuple([_window(one, tiles) for one in readers])
    return JointRead(tuple([one.node for one in readers]), windows, _counts(readers, tiles))


@lru_cache(maxsize=1024)
def paces_of(node: Node, source: Node, given: frozenset[Node] = frozenset()) -> Paces:
    """Along which axes of a source the cells that a value needs move steadily.

    What is `given` was made before, of whatever cells.
    """
    program = _program(node, source, given)
    found: dict[int, Pace] = {}
    if program is None:
        return found
    for dim, extent in enumerate(node.type.shape):
        if extent < 2 or not node.type.size:
            continue
        at = min(extent // 2, extent - 2)
        reads = [_read_at(program, dim, place) for place in (at, at + 1, at // 2, at // 2 + 1)]
        boxes = _without_few_for_all(reads, source.type.size)
        here, there, first, second = map(_hull, boxes)
        if here is None or there is None or first is None or second is None:
            return {}
        for axis, step in enumerate(_moved(here, there)):
            if step and step != _moved(first, second)[axis]:
                found[axis] = Pace(dim, 0, 0)
            elif step and abs(step) > abs(found.get(axis, Pace(0, 0, 0)).cells):
                found[axis] = Pace(dim, step, here.lo[axis] - at * step)
    return {axis: pace for axis, pace in found.items() if pace.cells > 0}


def _program(node: Node, source: Node, given: frozenset[Node]) -> Program | None:
    """What a value is made of, the source its first input; what does not need it is given.

    None for what is read back from another store, which the source was written to.
    """
    needing = {source}
    members = list[Node]()
    for one in topological([node], known={source, *given}):
        if needing.intersection(one.inputs):
            needing.add(one)
            members.append(one)
    if node not in needing:
        return None
    inputs = list(dict.fromkeys([source, *[x for m in members for x in m.inputs]]))
    inputs = [x for x in inputs if x is source or x not in needing]
    number = {x: at for at, x in enumerate([*inputs, *members])}
    instructions = [
        Instruction(
            one.operator,
            tuple([number[x] for x in one.inputs]),
            one.input_types,
            one.type,
            None,
            None,
        )
        for one in members
    ]
    return Program(tuple([x.type for x in inputs]), tuple(instructions))


def _read_at(program: Program, dim: int, place: int) -> Sequence[ZRange]:
    """The boxes of the first input that a cell needs."""
    lo = tuple([place if d == dim else n // 2 for d, n in enumerate(program.type.shape)])
    box = ZRange(lo, tuple([a + 1 for a in lo]))
    return program.schedule(box, rounded=False).boxes[0] if program.instructions else (box,)


def _without_few_for_all(reads: Sequence[Sequence[ZRange]], size: int) -> list[list[ZRange]]:
    """The boxes that some cells need each, without those of few cells that all of them need.

    These are read beside each tile, or held.
    """
    common = frozenset(reads[0]).intersection(*reads[1:])
    few = {box for box in common if FEW_OF_CELLS * box.size <= size}
    moving = [[box for box in boxes if box not in few] for boxes in reads]
    return moving if all(moving) else [list(boxes) for boxes in reads]


def _hull(boxes: Sequence[ZRange]) -> ZRange | None:
    """The box around some; None around none."""
    return reduce(ZRange.hull, boxes) if boxes else None


def _moved(here: ZRange, there: ZRange) -> list[int]:
    return [b - a for a, b in zip(here.lo, there.lo, strict=True)]


def _tiles(source: Node, readers: Sequence[Reader], most: int) -> Tiles | None:
    """Tiles of whole chunks that all readers follow; None where they take more than `most`."""
    shape, item = source.type.shape, source.type.dtype.itemsize
    operator = source.operator
    assert isinstance(operator, Source)
    chunks = operator.chunk_cuts
    assert chunks is not None
    sides, origins = list(shape), [0] * len(shape)
    for axis, cuts in enumerate(chunks):
        paces = [one.paces.get(axis) for one in readers]
        known = [pace for pace in paces if pace is not None]
        span = _span(cuts, known) if len(known) == len(paces) else None
        if span is not None and span[0] < shape[axis]:
            sides[axis], origins[axis] = span
    cut = [axis for axis, side in enumerate(sides) if side < shape[axis]]
    largest = max(most, item * prod([one.longest for one in chunks]))
    if item * prod(sides) > FARTHER_TILES * largest:
        return None
    while cut and 2 * item * prod(sides) <= most:
        axis = min(cut, key=lambda one: sides[one])
        if 2 * sides[axis] >= shape[axis]:
            break
        sides[axis] *= 2
    return Tiles(tuple(cut), tuple([sides[a] for a in cut]), tuple([origins[a] for a in cut]))


def _span(cuts: Cuts, paces: Sequence[Pace]) -> tuple[int, int] | None:
    """Side and origin of tiles along an axis; None where readers' steps do not end together."""
    side, chunk = lcm(*[pace.cells for pace in paces]), cuts.longest
    long = [pace for pace in paces if pace.cells > 1]
    if side > FARTHER_TILES * max([pace.cells for pace in paces]):
        return None
    origin = min([_first(pace) for pace in long], default=0)
    if any((pace.start - origin) % pace.cells for pace in long):
        return None
    together = lcm(side, chunk)
    if together > FARTHER_TILES * max(side, chunk):
        together = side * -(-chunk // side)
    return together, origin


def _first(pace: Pace) -> int:
    """Where steps of a pace begin at the first cell of the source, or before it."""
    return pace.start - pace.cells * max(0, -(-pace.start // pace.cells))


def _window(reader: Reader, tiles: Tiles) -> Window:
    axes = [WindowAxis(None, extent) for extent in reader.node.type.shape]
    for dim, (axis, side, origin) in enumerate(zip(*tiles, strict=True)):
        pace = reader.paces[axis]
        lead = max(0, (pace.start - origin) // pace.cells)
        axes[pace.dim] = WindowAxis(dim, side // pace.cells, lead)
    return tuple(axes)


def _counts(readers: Sequence[Reader], tiles: Tiles) -> tuple[int, ...]:
    """Number of tiles along each dimension that hold the windows of all readers."""
    counts = [1] * len(tiles.axes)
    for one in readers:
        for axis, extent in zip(_window(one, tiles), one.node.type.shape, strict=True):
            if axis.dim is not None:
                counts[axis.dim] = max(counts[axis.dim], -(-(axis.lead + extent) // axis.width))
    return tuple(counts)


def _windows_lie_in_tiles(reader: Reader, tiles: Tiles, readers: Sequence[Reader]) -> bool:
    """Whether a value has cells in the window of each tile, and each dimension an axis."""
    window, counts = _window(reader, tiles), _counts(readers, tiles)
    followed = [axis.dim for axis in window if axis.dim is not None]
    if sorted(followed) != list(range(len(tiles.axes))):
        return False
    return all(
        axis.lead < axis.width and axis.lead + extent > (counts[axis.dim] - 1) * axis.width
        for axis, extent in zip(window, reader.node.type.shape, strict=True)
        if axis.dim is not None
    )


def _without_hinderers(source: Node, readers: Sequence[Reader]) -> list[Reader]:
    """The readers without those that need most of the longest axis that not all need whole."""
    shape = source.type.shape
    needs = [
        [one.paces[axis].cells if axis in one.paces else n for one in readers]
        for axis, n in enumerate(shape)
    ]
    mixed = [axis for axis, cells in enumerate(needs) if min(cells) < max(cells)]
    if not mixed:
        return list(readers)
    longest = max(mixed, key=shape.__getitem__)
    most = max(needs[longest])
    return [one for one, n in zip(readers, needs[longest], strict=True) if n < most]
