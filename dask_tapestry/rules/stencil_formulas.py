"""Stencil formulas: which neighbours each step of a loop reads, and what it computes of them.

A step is one if all that it does to the fields is to slice, roll and pad them and to compute cell
by cell. What else it reads (coefficients, sources) is taken as data, at the cell that is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.operators.windows.stencil_steps import End, StencilProgram
from dask_tapestry.rules.extensions import AxisExtension, Extension, extension_of, shown_as_it_is
from dask_tapestry.rules.masked_inserts import (
    HIDDEN,
    INSIDE,
    Choice,
    Offset,
    Sides,
    as_insertion,
    choice_of,
    chosen_cells,
    constant_of,
    embedded,
    is_quiet,
)
from dask_tapestry.rules.tuning import FARTHEST_CELLS, MOST_FORMULA_STEPS, MOST_TAPS
from dask_tapestry.teg import Node

KINDS: Final = "biufc"
PREFERRED: Final = ("wrap", "edge", "symmetric", "constant")

Value = tuple[Node, Offset, tuple[Sides, ...]]  # cells so far from those that are computed


class StencilFormula(NamedTuple):
    """A step as a program, and what it reads beside the fields."""

    program: StencilProgram
    beside: tuple[Node, ...]


class Fields(NamedTuple):
    """The fields that a step reads.

    Attributes
    ----------
    nodes
        As the step was given them, with cells beyond the ends or without.
    shape
        Of all fields.
    depth
        How many cells come before the first one along each axis.
    around
        What lies there, at both ends of each axis.
    time
        The number of the step; None if it has none.
    """

    nodes: tuple[Node, ...]
    shape: tuple[int, ...]
    depth: Offset
    around: tuple[Sides, ...]
    time: Node | None = None

    @classmethod
    def plain(cls, nodes: Sequence[Node]) -> Fields:
        """Fields without cells beyond the ends."""
        shape = nodes[0].type.shape
        return cls(tuple(nodes), shape, (0,) * len(shape), (INSIDE,) * len(shape))


def stencil_formula(roots: Sequence[Node], fields: Fields) -> StencilFormula | None:
    """The formulas of neighbours by which `roots` follow from the fields; None for something else.

    Roots are the next values of the fields, in their order.
    """
    shape = fields.shape
    dtypes = [node.type.dtype for node in fields.nodes]
    if not shape or 0 in shape or any(dtype.kind not in KINDS for dtype in dtypes):
        return None
    if any((x.type.shape, x.type.dtype) != (shape, d) for x, d in zip(roots, dtypes, strict=True)):
        return None
    finder = _Finder(roots, fields)
    formulas = []
    for root in roots:
        formula = finder.formula(root)
        if formula is None or len(finder.taps) > MOST_TAPS:
            return None
        formulas.append(formula)
    own = [offset for source, offset in finder.taps if source < len(dtypes)]
    lows = [-min(0, *along, 0) for along in zip(*own, strict=True)] or [0] * len(shape)
    highs = [max(0, *along, 0) for along in zip(*own, strict=True)] or [0] * len(shape)
    ends = finder.ends(lows, highs)
    reach = tuple(map(max, lows, highs))
    if ends is None or max(reach) > FARTHEST_CELLS or any(map(int.__gt__, reach, shape)):
        return None
    scalars = tuple(finder.scalars.values())
    program = StencilProgram(tuple(formulas), tuple(finder.taps), scalars, ends, reach)
    return StencilFormula(program, tuple(finder.beside))


def _formula_of(node: Node) -> CellExpression | None:
    """What a node computes of its inputs' cells; None if it does something else."""
    if not node.operator.is_formula:
        return None
    (found,) = node.operator.formulas(node.input_types)
    return found


class _Finder:
    """Reads the graph of a step from its results to the fields."""

    def __init__(self, roots: Sequence[Node], fields: Fields) -> None:
        self.fields, self.shape = fields, fields.shape
        self.number = {node: number for number, node in enumerate(fields.nodes)}
        self.taps: dict[tuple[int, Offset], int] = {}
        self.beside: dict[Node, int] = {}
        self.scalars: dict[Node, CellExpression] = {}
        self.dtypes: list[np.dtype[Any]] = []  # of the taps
        self.seen: dict[tuple[int, int, int], AxisExtension] = {}  # of axis, side and field
        self.extensions: dict[Node, Extension | None] = {}
        self.choices: dict[Value, Choice | None] = {}
        self.moving = self._moving(roots)

    def _moving(self, roots: Sequence[Node]) -> set[Node]:
        """The nodes that depend on a field, or on the number of the step."""
        time = self.fields.time
        moving_nodes: set[Node] = {*self.number, *([] if time is None else [time])}
        visited, stack = dict.fromkeys(moving_nodes, True), [*roots]
        while stack:
            node = stack[-1]
            missing = [x for x in node.inputs if x not in visited] if node not in visited else []
            if missing:
                stack += missing
                continue
            stack.pop()
            if node not in visited:
                visited[node] = True
                if any(x in moving_nodes for x in node.inputs):
                    moving_nodes.add(node)
        return moving_nodes

    def formula(self, root: Node) -> tuple[CellExpression, tuple[int, ...]] | None:
        """The formula of a result, and the taps that are its parameters."""
        ndim = len(self.shape)
        order = self._order((root, (0,) * ndim, (INSIDE,) * ndim))
        if order is None:
            return None
        fixed: dict[Value, Any] = {v: self._constant(v[0]) for v in order[:-1]}  # not a result
        leaves = [v for v in order if fixed.get(v) is None and not self._is_computed(v)]
        operands = [self._operand(value) for value in leaves]
        if None in operands:
            return None
        numbers = [n for n in operands if n is not None]
        distinct = list(dict.fromkeys(numbers))
        builder = CellBuilder([self._dtype(number) for number in distinct])
        value_numbers = {v: distinct.index(n) for v, n in zip(leaves, numbers, strict=True)}
        for value in order:
            if value in value_numbers:
                continue
            if fixed.get(value) is not None:
                value_numbers[value] = builder.constant(fixed[value])
                continue
            inputs = [value_numbers[x] for x in self._inputs(value) or ()]
            formula = self._computed_by(value)
            value_numbers[value] = inputs[0] if formula is None else builder.inline(formula, inputs)
            if len(builder.steps) > MOST_FORMULA_STEPS:
                return None
        return builder.finish(value_numbers[order[-1]]), tuple(distinct)

    def _order(self, root: Value) -> list[Value] | None:
        """The values that a result is computed from, each after its own; None for no formula."""
        order: list[Value] = []
        state: dict[Value, bool] = {}
        stack = [root]
        while stack:
            value = stack[-1]
            if value in state:
                stack.pop()
                if not state[value]:
                    state[value] = True
                    order.append(value)
                continue
            state[value] = False
            if self._is_computed(value):
                inputs = self._inputs(value)
                if inputs is None or len(state) > 8 * MOST_FORMULA_STEPS:
                    return None
                stack += [x for x in inputs if x not in state]
        return order

    def _constant(self, node: Node) -> Any:
        """The one value of all cells of data; None for other nodes."""
        return None if node in self.moving or node in self.number else constant_of(node)

    def _is_computed(self, value: Value) -> bool:
        node = value[0]
        return node in self.moving and node not in self.number and not self._is_time(node)

    def _is_time(self, node: Node) -> bool:
        """Whether a node repeats one number that depends on the number of the step alone."""
        return node.operator.is_view and node.inputs[0].type.ndim == 0

    def _inputs(self, value: Value) -> list[Value] | None:
        """What a value is computed from; None if it is no formula, slice, roll or pad."""
        node, offset, sides = value
        if any(
            side not in (INSIDE, HIDDEN) and n != own
            for side, n, own in zip(sides, node.type.shape, self.shape, strict=True)
        ):
            return None  # beyond the ends of a part there are cells of the whole
        formula = _formula_of(node)
        if formula is not None:
            if HIDDEN in sides and not is_quiet(formula):
                return None
            fixed = any(b is not None and "constant" in b.modes for side in sides for b in side)
            return None if fixed else [(x, offset, sides) for x in node.inputs]
        choice = self._choice(value)
        if choice is not None:
            none = (0,) * len(offset), (INSIDE,) * len(offset)
            chosen = (choice.value, choice.offset, choice.sides)
            return [(choice.mask, *none), chosen, (choice.rest, offset, sides)]
        shifted = shown_as_it_is(node, len(offset))
        if shifted is not None:
            base, start = shifted
            moved = tuple(map(sum, zip(offset, start, strict=True)))
            return [(base, moved, sides)]
        if node not in self.extensions:
            self.extensions[node] = extension_of(node)
        extension = self.extensions[node]
        if extension is None:
            return None
        if extension.base.type.shape[extension.axis] != self.shape[extension.axis]:
            made = as_insertion(node, extension)
            if made is not None:
                self.moving.add(made)
                return [(made, offset, sides)]
        return self._extended(extension, offset, sides)

    def _choice(self, value: Value) -> Choice | None:
        if value not in self.choices:
            self.choices[value] = choice_of(*value, self.shape)
        return self.choices[value]

    def _computed_by(self, value: Value) -> CellExpression | None:
        """The formula of a value that is computed; None where it is a cell of its input."""
        if self._choice(value) is not None:
            return chosen_cells(value[0].type.dtype)
        return _formula_of(value[0])

    def _extended(
        self, extension: Extension, offset: Offset, sides: tuple[Sides, ...]
    ) -> list[Value] | None:
        """The cells of what is extended, some of which may lie beyond its ends."""
        base, axis, shift, before, after = extension
        extent, cells = base.type.shape[axis], self.shape[axis]
        start = offset[axis] - shift
        new_sides: Sides = (
            before if start < 0 else None,
            after if start + cells > extent else None,
        )
        if sides[axis] not in (INSIDE, HIDDEN):
            ends = [one for one in (before, after, *sides[axis]) if one is not None]
            if extent != cells or any("wrap" not in one.modes for one in ends):
                return None
            turned = AxisExtension(frozenset({"wrap"}))
            new_sides = turned if start < 0 else None, turned if start > 0 else None
        if new_sides != INSIDE and extent != cells:
            return None
        if sides[axis] == HIDDEN:
            new_sides = (new_sides[0] or HIDDEN[0], new_sides[1] or HIDDEN[1])
        moved = (*offset[:axis], start, *offset[axis + 1 :])
        return [(base, moved, (*sides[:axis], new_sides, *sides[axis + 1 :]))]

    def _operand(self, value: Value) -> int | None:
        """The number of the tap, or of the scalar, that a value is; None if it is none."""
        node, offset, sides = value
        if node in self.number:
            return self._field(self.number[node], offset, sides)
        if node in self.moving:
            return self._scalar(node.inputs[0]) if self._is_time(node) else None
        if len(node.type.shape) != len(offset) or node.type.dtype.kind not in KINDS:
            return None
        if HIDDEN in sides:
            hidden = embedded(node, offset, sides, self.shape)
            return None if hidden is None else self._data(hidden)
        spans = list(zip(offset, self.shape, strict=True))
        if any(side != INSIDE for side in sides):
            return None
        cells = basic_slice(node, tuple(slice(a, a + n) for a, n in spans))
        return self._data(cells) if cells.type.shape == self.shape else None

    def _data(self, cells: Node) -> int:
        """The number of the tap of what is read beside the fields."""
        source = self.beside.setdefault(cells, len(self.beside))
        return self._tap(len(self.number) + source, (0,) * len(self.shape), cells)

    def _field(self, number: int, offset: Offset, sides: tuple[Sides, ...]) -> int | None:
        """The number of the tap of a field; None if it is known in two ways beyond an end."""
        node = self.fields.nodes[number]
        far = tuple(a - b for a, b in zip(offset, self.fields.depth, strict=True))
        constants = set()
        for axis, (by, found, given) in enumerate(zip(far, sides, self.fields.around, strict=True)):
            if not by:
                continue
            side = by > 0
            extension = given[side] if found == INSIDE else found[side]
            if extension is None:
                return None
            earlier = self.seen.setdefault((axis, side, number), extension)
            modes = earlier.modes & extension.modes
            if not modes or repr(earlier.value) != repr(extension.value):
                return None
            self.seen[axis, side, number] = AxisExtension(modes, earlier.value)
            if "constant" in modes:
                constants.add(repr(extension.value))
        if len(constants) > 1 and any(one != INSIDE for one in sides):
            return None  # a corner is of the axis that was padded last
        return self._tap(number, far, node)

    def ends(self, lows: Sequence[int], highs: Sequence[int]) -> tuple[tuple[End, End], ...] | None:
        """What lies beyond all ends; None if fields differ in that, or one end alone wraps."""
        boundary_ends = []
        for axis, widths in enumerate(zip(lows, highs, strict=True)):
            pair = []
            for side, width in enumerate(widths):
                known = [one for (a, s, _), one in self.seen.items() if (a, s) == (axis, side)]
                modes = frozenset(PREFERRED).intersection(*[one.modes for one in known])
                if not modes:
                    return None
                pair.append((width, modes))
            both = pair[0][1] & pair[1][1]
            wraps = "wrap" in both and any(modes == {"wrap"} for _, modes in pair)
            own = []
            for side, (width, modes) in enumerate(pair):
                left = modes if wraps else modes - {"wrap"}
                if not left:
                    return None
                mode = "wrap" if wraps else min(left, key=PREFERRED.index)
                own.append(End(mode, width, self._values(axis, side) if mode == "constant" else ()))
            boundary_ends.append((own[0], own[1]))
        return tuple(boundary_ends)

    def _values(self, axis: int, side: int) -> tuple[Any, ...]:
        """Constants beyond an end, of each field."""
        values = []
        for number, node in enumerate(self.fields.nodes):
            given = self.seen.get((axis, side, number), AxisExtension(frozenset())).value
            with np.errstate(all="ignore"):
                values.append(np.asarray(given).astype(node.type.dtype).item())
        return tuple(values)

    def _tap(self, source: int, offset: Offset, node: Node) -> int:
        if (source, offset) not in self.taps:
            self.taps[source, offset] = len(self.taps)
            self.dtypes.append(node.type.dtype)
        return self.taps[source, offset]

    def _dtype(self, number: int) -> np.dtype[Any]:
        return (
            self.dtypes[number] if number >= 0 else list(self.scalars.values())[-1 - number].dtype
        )

    def _scalar(self, node: Node) -> int | None:
        """The number of a value that depends on the number of the step alone."""
        if node not in self.scalars:
            expression = self._of_time(node)
            if expression is None:
                return None
            self.scalars[node] = expression
        return -1 - list(self.scalars).index(node)

    def _of_time(self, root: Node) -> CellExpression | None:
        builder = CellBuilder([np.dtype(np.int64)])
        time = self.fields.time
        numbers: dict[Node, int] = {} if time is None else {time: 0}
        stack = [root]
        while stack:
            node = stack[-1]
            if node in numbers:
                stack.pop()
                continue
            formula = _formula_of(node)
            if node not in self.moving or formula is None:
                return None
            missing = [x for x in node.inputs if x not in numbers]
            if missing:
                stack += missing
                continue
            inputs = [numbers[x] for x in node.inputs]
            numbers[node] = builder.inline(formula, inputs)
        return builder.finish(numbers[root])
