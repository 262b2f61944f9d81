"""GroupedLines: one operator of each of many groups of lines along an axis, as of each year.

Groups may lie anywhere, overlap, and be of several lengths; the graph does not grow with them. Each
has the bits of the operator applied to its lines alone. A block has some of the groups, and reads
from the first of their lines to the last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.cells import CellExpression
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.sorting.order_statistics import OrderStatistics
from dask_tapestry.teg import Operator, TensorType, Turns
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.regularity import ANYWHERE, Regularity
from dask_tapestry.teg.turns import CELL_BY_CELL
from dask_tapestry.zspace import ZRange

LaneFold = Reduce | OrderStatistics


class LineGroup(NamedTuple):
    """Lines that are folded together.

    Attributes
    ----------
    fold
        Number of the operator that folds as many.
    start, step, length
        The lines, where these are evenly spaced.
    places
        Where they are not: their int64 coordinates.
    """

    fold: int
    start: int
    step: int
    length: int
    places: bytes = b""

    @property
    def lines(self) -> np.ndarray[Any, Any]:
        """Coordinates of the lines, in their order."""
        if self.places:
            return np.frombuffer(self.places, np.int64)
        return self.start + self.step * np.arange(self.length)


def line_group(fold: int, lines: np.ndarray[Any, Any]) -> LineGroup:
    """The group of some lines.

    Examples
    --------
    >>> line_group(0, np.array([3, 5, 7])).places
    b''
    """
    step = int(lines[1] - lines[0]) if len(lines) > 1 else 1
    group = LineGroup(fold, int(lines[0]), step, len(lines))
    even = step != 0 and np.array_equal(group.lines, lines)
    return group if even else group._replace(places=lines.astype(np.int64).tobytes())


@dataclass(frozen=True)
class GroupedLines(Operator):
    """Cell (..., g) is a cell of what the operator of group g makes of the group's lines.

    Attributes
    ----------
    axis
        Of the inputs, along which lines lie.
    folds
        One operator for each length of a group. The extents of their values are the same.
    groups
        The groups.
    """

    name = "groupedlines"
    kernel = "groupedlines"
    any_cells = True
    reads_parts = True
    axis: int
    folds: tuple[LaneFold, ...]
    groups: tuple[LineGroup, ...]

    @cached_property
    def _hash(self) -> int:
        return hash((self.axis, self.folds, self.groups))  # once: hundreds of groups are hashed

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        return {"axis": self.axis, "folds": self.folds, "groups": self.groups}

    @property
    def called(self) -> str:
        return self.folds[0].called

    @cached_property
    def _spans(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """First and one-past-last line of each group."""
        lines = [group.lines for group in self.groups]
        return np.array([int(a.min()) for a in lines]), np.array([int(a.max()) + 1 for a in lines])

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Lines of a group that each operator folds."""
        return tuple({group.fold: group.length for group in self.groups}[n] for n in self._numbers)

    @property
    def _numbers(self) -> range:
        return range(len(self.folds))

    def types(self, inputs: Types, fold: int = 0) -> Types:
        """What one of the operators takes."""
        axis, count = self.axis, self.lengths[fold]
        return tuple(
            [x._replace(shape=(*x.shape[:axis], count, *x.shape[axis + 1 :])) for x in inputs]
        )

    def infer(self, *inputs: TensorType) -> TensorType:
        shape, dtype, dims = self.folds[0].infer(*self.types(inputs))
        return TensorType((*shape, len(self.groups)), dtype, dims and (*dims, None))

    def regularity(self, inputs: Types) -> Regularity | None:
        """That of the operator; along the groups, where they lie evenly."""
        rules = self.folds[0].regularity(self.types(inputs))
        if rules is None:
            return None
        first, ends = self._spans
        even = len(first) < 2 or (len(set(np.diff(first))) == 1 and len(set(ends - first)) == 1)
        return (*rules, ANYWHERE if even else None)

    def granularity(self, inputs: Types) -> tuple[int, ...]:
        own = self.folds[0].granularity(self.types(inputs))
        rank = self.infer(*inputs).ndim - 1
        return (*(own or (1,) * rank), 1)

    def turns(self, inputs: Types) -> Turns | None:
        return CELL_BY_CELL

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return _demand(self, inputs, box)

    def formulas(self, inputs: Types) -> tuple[CellExpression, ...]:
        return self.folds[0].formulas(self.types(inputs))

    def with_formulas(self, formulas: tuple[CellExpression, ...]) -> GroupedLines:
        folds = tuple([fold.with_formulas(formulas) for fold in self.folds])
        return GroupedLines(self.axis, folds, self.groups)  # type: ignore[arg-type]

    def _own(self, inputs: Types, box: ZRange, fold: int) -> tuple[Types, ZRange]:
        return self.types(inputs, fold), ZRange(box.lo[:-1], box.hi[:-1])

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        groups = self.groups[box.lo[-1] : box.hi[-1]]
        options = dict[int, Mapping[str, Any]]()
        for fold in dict.fromkeys(group.fold for group in groups):
            types, own = self._own(inputs, box, fold)
            reads = tuple([x.replace(self.axis, 0, self.lengths[fold]) for x in boxes])
            options[fold] = self.folds[fold].arguments(types, own, reads)
        return {
            "axis": self.axis,
            "origin": boxes[0].lo[self.axis],
            "fold": self.folds[0].kernel,
            "groups": groups,
            "options": options,
        }

    def _counted(self, box: ZRange) -> Counter[int]:
        """How many groups of a box each operator folds."""
        return Counter([group.fold for group in self.groups[box.lo[-1] : box.hi[-1]]])

    def flops(self, inputs: Types, box: ZRange) -> int:
        counted = self._counted(box).items()
        return sum(
            [n * self.folds[fold].flops(*self._own(inputs, box, fold)) for fold, n in counted]
        )

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """That of one group, whose lines are gathered, at a time."""
        most = 0
        for fold in self._counted(box):
            types, own = self._own(inputs, box, fold)
            reads = self.folds[fold].demand(types, own)
            lines = [x.dtype.itemsize * prod(r.shape) for x, r in zip(inputs, reads, strict=True)]
            most = max(most, sum(lines) + self.folds[fold].scratch_bytes(types, own))
        return most

    def text(self) -> str:
        return f"{self.folds[0].text()}, of {len(self.groups)} groups along {self.axis}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The operator's own value of each group by itself."""
        made = [
            self.folds[group.fold].reference(*[x.take(group.lines, self.axis) for x in inputs])
            for group in self.groups
        ]
        return np.stack(made, -1)


def grouped_lines(
    axis: int, folds: Sequence[LaneFold], lines: Sequence[np.ndarray[Any, Any]]
) -> GroupedLines:
    """The operator that folds some lines by each of some operators, those of one length alike."""
    own: dict[tuple[LaneFold, int], int] = {}  # those of other lengths may be equal, as ranks are
    groups = [
        line_group(own.setdefault((fold, len(places)), len(own)), places)
        for fold, places in zip(folds, lines, strict=True)
    ]
    return GroupedLines(axis, tuple([fold for fold, _ in own]), tuple(groups))


@lru_cache(maxsize=4096)
def _demand(operator: GroupedLines, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
    """What a box is made of, remembered: boxes, operations and memory all ask for it."""
    first, ends = operator._spans
    low, high = box.lo[-1], box.hi[-1]
    span = (int(first[low:high].min()), int(ends[low:high].max())) if low < high else (0, 0)
    types, own = operator.types(inputs), ZRange(box.lo[:-1], box.hi[:-1])
    reads = operator.folds[0].demand(types, own)
    return tuple([x.replace(operator.axis, *span) for x in reads])
