"""Steps that are formulas of neighbours: which cells each reads, and what it makes of them.

A step is one if all that it does to the fields is to slice them and to compute cell by cell. What
else it reads (coefficients, sources) is taken as data, at the cell that is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.loops.traced import Field, Traced
from dask_tapestry.arrays.stencil.borders import Border, Side
from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.late_named_tuple import NamedTuple
from dask_tapestry.operators.slice import basic_slice
from dask_tapestry.operators.stencil_steps import End, StencilProgram
from dask_tapestry.teg import Node
from dask_tapestry.zspace import ZAffineMap

KINDS: Final = "biufc"
MOST_TAPS: Final = 64
MOST_STEPS: Final = 400  # of a formula

Offset = tuple[int, ...]
Value = tuple[Node, Offset]  # a node's cells, so far from those that are computed


class Neighbours(NamedTuple):
    """A step as a program, and what it reads beside the fields."""

    program: StencilProgram
    beside: tuple[Node, ...]


def neighbours_of(
    step: Traced, padded: Sequence[Node], fields: Sequence[Field], around: Sequence[Border]
) -> Neighbours | None:
    """The formulas of neighbours that a step is; None where it is something else.

    Parameters
    ----------
    padded
        The fields as the step was given them.
    around
        What lies beyond the ends, of all fields.
    """
    shape = fields[0].type.shape
    alike = all(f.type.shape == shape and f.type.dtype.kind in KINDS for f in fields)
    mixed = any((before.mode == "wrap") != (after.mode == "wrap") for before, after in around)
    if not alike or mixed or not shape or 0 in shape:
        return None
    finder = _Finder(step, padded, tuple(before.depth for before, _ in around), shape)
    roots = [step.nodes[root] for root in step.roots]
    formulas = [finder.formula(root) for root in roots]
    found = [one for one in formulas if one is not None]
    if len(found) < len(formulas) or len(finder.taps) > MOST_TAPS:
        return None
    own = [offset for source, offset in finder.taps if source < len(fields)]
    lows = [-min(0, *along, 0) for along in zip(*own, strict=True)] or [0] * len(shape)
    highs = [max(0, *along, 0) for along in zip(*own, strict=True)] or [0] * len(shape)
    dtypes = [f.type.dtype for f in fields]
    ends = tuple(
        (_end(before, low, dtypes), _end(after, high, dtypes))
        for (before, after), low, high in zip(around, lows, highs, strict=True)
    )
    reach = tuple(map(max, lows, highs))
    scalars = tuple(finder.scalars.values())
    program = StencilProgram(tuple(found), tuple(finder.taps), scalars, ends, reach)
    return Neighbours(program, tuple(finder.beside))


def _end(side: Side, width: int, dtypes: Sequence[np.dtype[Any]]) -> End:
    if side.mode != "constant":
        return End(side.mode or "edge", width)
    with np.errstate(all="ignore"):
        values = tuple(np.asarray(side.value).astype(dtype).item() for dtype in dtypes)
    return End("constant", width, values)


def _formula_of(node: Node) -> CellExpression | None:
    """What a node computes of its inputs' cells; None if it does something else."""
    if not node.operator.is_formula:
        return None
    (found,) = node.operator.formulas(node.input_types)
    return found


class _Finder:
    """Reads the graph of a step from its results to the fields."""

    def __init__(
        self, step: Traced, padded: Sequence[Node], depth: Offset, shape: tuple[int, ...]
    ) -> None:
        self.padded = {node: number for number, node in enumerate(padded)}
        self.depth, self.shape = depth, shape
        self.taps: dict[tuple[int, Offset], int] = {}
        self.beside: dict[Node, int] = {}
        self.scalars: dict[Node, CellExpression] = {}
        self.dtypes: list[np.dtype[Any]] = []  # of the taps
        slots = [step.nodes[place] for place in sorted(step.slots, key=step.slots.__getitem__)]
        number_of = {node: step.slots[i] for i, node in enumerate(step.nodes) if i in step.slots}
        self.time = next((n for n in slots if number_of[n] == len(padded)), None)
        self.moving = self._reading(step)

    def _reading(self, step: Traced) -> set[Node]:
        """The nodes that depend on a field, or on the number of the step."""
        found: set[Node] = {step.nodes[place] for place in step.slots} | set(self.padded)
        for node in step.nodes:
            if any(x in found for x in node.inputs):
                found.add(node)
        return found

    def formula(self, root: Node) -> tuple[CellExpression, tuple[int, ...]] | None:
        """The formula of a result, and the taps that are its parameters."""
        order = self._order((root, (0,) * len(self.shape)))
        if order is None:
            return None
        leaves = [value for value in order if not self._is_computed(value)]
        operands = [self._operand(value) for value in leaves]
        if None in operands:
            return None
        numbers = [n for n in operands if n is not None]
        distinct = list(dict.fromkeys(numbers))
        builder = CellBuilder([self._dtype(number) for number in distinct])
        known = {v: distinct.index(n) for v, n in zip(leaves, numbers, strict=True)}
        for value in order:
            if value in known:
                continue
            node, _ = value
            inputs = [known[x] for x in self._inputs(value)]
            formula = _formula_of(node)
            known[value] = inputs[0] if formula is None else builder.inline(formula, inputs)
        if len(builder.steps) > MOST_STEPS:
            return None
        return builder.finish(known[order[-1]]), tuple(distinct)

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
                node, _ = value
                if _formula_of(node) is None and self._shifted(node) is None:
                    return None
                stack += [x for x in self._inputs(value) if x not in state]
        return order

    def _is_computed(self, value: Value) -> bool:
        node, _ = value
        return node in self.moving and node not in self.padded and not self._is_time(node)

    def _is_time(self, node: Node) -> bool:
        """Whether a node repeats one number that depends on the number of the step alone."""
        return node.operator.is_view and node.inputs[0].type.ndim == 0

    def _inputs(self, value: Value) -> list[Value]:
        node, offset = value
        if _formula_of(node) is not None:
            return [(x, offset) for x in node.inputs]
        start = self._shifted(node)
        assert start is not None
        return [(node.inputs[0], tuple(map(sum, zip(offset, start, strict=True))))]

    def _shifted(self, node: Node) -> Offset | None:
        """Where a slice without steps begins; None for what is none."""
        if not node.operator.is_view:
            return None
        cells = node.operator.cell_map(node.input_types)
        if cells is None or cells.matrix != ZAffineMap.identity(len(self.shape)).matrix:
            return None
        return cells.offset

    def _operand(self, value: Value) -> int | None:
        """The number of the tap, or of the scalar, that a value is; None if it is none."""
        node, offset = value
        if node in self.padded:
            far = tuple(a - b for a, b in zip(offset, self.depth, strict=True))
            return self._tap(self.padded[node], far, node)
        if node in self.moving:
            return self._scalar(node.inputs[0]) if self._is_time(node) else None
        spans = zip(offset, self.shape, strict=True)
        cells = basic_slice(node, tuple(slice(a, a + n) for a, n in spans))
        if cells.type.shape != self.shape or cells.type.dtype.kind not in KINDS:
            return None
        source = self.beside.setdefault(cells, len(self.beside))
        return self._tap(len(self.padded) + source, (0,) * len(self.shape), cells)

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
        known: dict[Node, int] = {} if self.time is None else {self.time: 0}
        stack = [root]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            formula = _formula_of(node)
            if node not in self.moving or formula is None:
                return None
            missing = [x for x in node.inputs if x not in known]
            if missing:
                stack += missing
                continue
            inputs = [known[x] for x in node.inputs]
            known[node] = builder.inline(formula, inputs)
        return builder.finish(known[root])
