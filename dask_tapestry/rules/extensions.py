"""Extensions: joins that are one tensor with cells beyond its ends, rolled or padded.

`numpy.roll` and `numpy.pad` are joins of slices. A stencil that reads one reads the tensor itself,
at cells that may lie beyond its ends.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.operators.generators.full import Full
from dask_tapestry.operators.joins.concat import Concat
from dask_tapestry.teg import Node
from dask_tapestry.zspace import ZAffineMap

MODES: Final = frozenset({"wrap", "edge", "symmetric"})


class AxisExtension(NamedTuple):
    """What lies beyond one end of an axis.

    Attributes
    ----------
    modes
        Those of NumPy's padding that give these cells: several where few cells are seen.
    value
        Of all cells, where the mode is ``"constant"``.
    """

    modes: frozenset[str]
    value: Any = 0


class Extension(NamedTuple):
    """A tensor with cells beyond its ends.

    Attributes
    ----------
    base, axis
        The tensor, and the axis along which there are more cells, or others.
    shift
        Where its first cell would be.
    before, after
        What lies beyond both ends; None where nothing is seen.
    """

    base: Node
    axis: int
    shift: int
    before: AxisExtension | None
    after: AxisExtension | None


class _Part(NamedTuple):
    """Cells of a join, from `place` on: cell i is ``start + step * i`` of the base."""

    place: int
    length: int
    start: int
    step: int


def extension_of(node: Node) -> Extension | None:
    """The tensor that a join extends; None for another join, and for what is none."""
    if not isinstance(node.operator, Concat):
        return None
    axis = node.operator.axis
    chains = [seen_through(x) for x in node.inputs]
    cells = [chain for chain in chains if not isinstance(chain[-1].operator, Full)]
    if not cells:
        return None
    base = next((x for x in cells[0] if all(x in chain for chain in cells)), None)
    if base is None or _other_extents(base, axis) != _other_extents(node, axis):
        return None
    places = node.operator.offsets(node.input_types)
    parts: list[_Part] = []
    sides: list[tuple[_Part, Any]] = []
    for chain, position in zip(chains, places, strict=True):
        length = chain[0].type.shape[axis]
        if not length:
            continue
        if chain in cells:
            line = _line(chain[: chain.index(base)], axis)
            if line is None:
                return None
            parts.append(_Part(position, length, *line))
        else:
            assert isinstance(chain[-1].operator, Full)
            sides.append((_Part(position, length, 0, 0), chain[-1].operator.scalar))
    return _matched(base, axis, parts, sides)


def _matched(
    base: Node, axis: int, parts: list[_Part], constants: list[tuple[_Part, Any]]
) -> Extension | None:
    extent = base.type.shape[axis]
    straight = [part for part in parts if part.step == 1 or part.length == 1]
    if not straight:
        return None
    main = max(straight, key=lambda part: part.length)
    shift = main.place - main.start
    by_side: dict[bool, AxisExtension] = {}
    told = [(part, None) for part in parts]
    for part, value in (*told, *constants):
        first = part.place - shift
        if value is None and part.start == first and (part.step == 1 or part.length == 1):
            continue
        after = first >= extent
        if not after and first + part.length > 0:
            return None
        beyond = AxisExtension(_modes(part, first, extent)) if value is None else _constant(value)
        known = by_side.setdefault(after, beyond)
        modes = known.modes & beyond.modes
        if not modes or repr(known.value) != repr(beyond.value):
            return None
        by_side[after] = AxisExtension(modes, known.value)
    return Extension(base, axis, shift, by_side.get(False), by_side.get(True))


def _constant(value: Any) -> AxisExtension:
    return AxisExtension(frozenset({"constant"}), value.item())


def _modes(part: _Part, first: int, extent: int) -> frozenset[str]:
    """The modes that give the cells of a part, the first of which is `first` of the base."""
    turned = -1 - first if first < 0 else 2 * extent - 1 - first
    continuations = {
        "wrap": (first % extent, 1),
        "edge": (0 if first < 0 else extent - 1, 0),
        "symmetric": (turned, -1),
    }
    return frozenset(
        mode
        for mode, (start, step) in continuations.items()
        if start == part.start and (part.length == 1 or step == part.step)
    )


def seen_through(node: Node) -> list[Node]:
    """A node, and those that it is a view of, one after the other."""
    chain = [node]
    while chain[-1].operator.is_view and len(chain[-1].inputs) == 1:
        chain.append(chain[-1].inputs[0])
    return chain


def _other_extents(node: Node, axis: int) -> tuple[int, ...]:
    """Extents along the other axes."""
    shape = node.type.shape
    return shape[:axis] + shape[axis + 1 :]


def _line(views: list[Node], axis: int) -> tuple[int, int] | None:
    """Where views begin along an axis and their step; None if they change another axis."""
    start, step = 0, 1
    for node in views:
        cells = node.operator.cell_map(node.input_types)
        if cells is None or not _changes_only(cells, axis):
            return None
        own = cells.matrix[axis][axis]
        start, step = own * start + cells.offset[axis], own * step
    return start, step


def _changes_only(cells: ZAffineMap, axis: int) -> bool:
    """Whether a map leaves all axes but one as they are."""
    ndim = cells.in_ndim
    return len(cells.matrix) == ndim and all(
        row == axis == column
        or (cells.matrix[row][column] == (row == column) and (row == axis or not cells.offset[row]))
        for row in range(ndim)
        for column in range(ndim)
    )


def shown_as_it_is(node: Node, rank: int) -> tuple[Node, tuple[int, ...]] | None:
    """The tensor of `rank` dimensions that views show a part of, and where it begins; or None.

    An axis of one cell may be anything of its own.
    """
    units = [n != 1 for n in node.type.shape]
    if len(units) != rank:
        return None
    identity = np.eye(rank, dtype=int)
    matrix, offset, base = identity, np.zeros(rank, int), node
    while base.operator.is_view and len(base.inputs) == 1:
        cells = base.operator.cell_map(base.input_types)
        if cells is None:
            return None
        own = np.array(cells.matrix, int).reshape(-1, cells.in_ndim)
        matrix, offset = own @ matrix, own @ offset + np.array(cells.offset, int)
        base = base.inputs[0]
        if len(matrix) == rank and (matrix == identity)[:, units].all():
            return base, tuple(map(int, offset))
    return None
