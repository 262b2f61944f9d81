"""Graphs in which a part repeats: the steps of a loop, found by their form.

In the order of a graph, inputs first, the nodes of one step follow those of the step before, and
are the same operators on what lies as far before them. A place between two nodes is a *cut*: what
the nodes behind it read of those before is the state of the loop there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dask_tapestry.rules.tuning import (
    FEWEST_STEPS,
    MOST_FIELDS,
    MOST_GRAPH_PARTS,
    MOST_STEP_NODES,
    STEP_LENGTHS_TRIED,
)
from dask_tapestry.teg import Node


class Repeated(NamedTuple):
    """Steps that follow each other, one like the other.

    Attributes
    ----------
    states
        The state before the first step, after it, and so on; the fields of each in one order.
    """

    states: tuple[tuple[Node, ...], ...]


class RepeatedRange(NamedTuple):
    """Nodes in a row that repeat: from which place on, to which, and after how many nodes."""

    first: int
    last: int
    period: int

    @property
    def parts(self) -> int:
        """How often the part is there as a whole."""
        return (self.last - self.first) // self.period


class _StepOrder(NamedTuple):
    """The nodes of a graph in order, of which kind each is, and the places of what it reads."""

    nodes: Sequence[Node]
    kinds: Sequence[object]
    reads: Sequence[tuple[int, ...]]

    @classmethod
    def of(cls, nodes: Sequence[Node], kinds: Sequence[object]) -> _StepOrder:
        """The order of nodes that are given inputs first."""
        number = {node: place for place, node in enumerate(nodes)}
        return cls(nodes, kinds, [tuple([number[x] for x in node.inputs]) for node in nodes])

    def moves(self, place: int, period: int) -> tuple[bool, ...] | None:
        """How a node reads beside the one `period` before it: what lies so far behind, or the same.

        None where it is another node, or reads something else.
        """
        before = place - period
        if before < 0 or self.kinds[place] != self.kinds[before]:
            return None
        reads, known = self.reads[place], self.reads[before]
        if len(reads) != len(known):
            return None
        if any(a not in (b, b + period) for a, b in zip(reads, known, strict=True)):
            return None
        return tuple([a != b for a, b in zip(reads, known, strict=True)])

    def repeated(self, middle: int, period: int) -> tuple[int, int]:
        """From where on, and to where, nodes around a place repeat, and move as one step to all.

        What begins as the same array in two fields is read twice by the first steps, and does not
        move there.
        """
        first = last = middle
        of_step: dict[int, tuple[bool, ...]] = {}
        while last < len(self.nodes) and self._goes_on(last, period, of_step):
            last += 1
        while self._goes_on(first - 1, period, of_step):
            first -= 1
        return first, last

    def _goes_on(self, place: int, period: int, of_step: dict[int, tuple[bool, ...]]) -> bool:
        """Whether a node moves like those of other steps, of which the first tells."""
        moves = self.moves(place, period)
        return moves is not None and of_step.setdefault(place % period, moves) == moves


def repeated_parts(nodes: Sequence[Node]) -> Iterator[Iterator[Repeated]]:
    """Parts of a graph that repeat, of which none lies in another: ways to see steps in each.

    The nodes are given inputs first; states of few fields come first. A part is seen that has one
    of the nodes in the middle, at the quarters, at the eighths, and so on.
    """
    order = _StepOrder.of(nodes, [node.form for node in nodes])
    for first, last, period in _ranges(order):
        yield _steps(order, period, first, last)


def repeated_ranges(nodes: Sequence[Node], kinds: Sequence[object]) -> Iterator[RepeatedRange]:
    """Nodes in a row that repeat, where those of one kind are taken for alike.

    The nodes are given inputs first. What repeats reads what lies as far before it, or always the
    same.
    """
    return _ranges(_StepOrder.of(nodes, kinds))


def _ranges(order: _StepOrder) -> Iterator[RepeatedRange]:
    ranges: list[RepeatedRange] = []
    for position in _places(len(order.nodes)):
        if any(earlier.first <= position < earlier.last for earlier in ranges):
            continue
        period, first, last = _longest(order, position)
        if period:
            ranges.append(RepeatedRange(first, last, period))
            yield ranges[-1]


def _places(count: int) -> Iterator[int]:
    """The middle of so many nodes, the quarters, the eighths, while steps may lie between them."""
    parts = 2
    while parts <= MOST_GRAPH_PARTS and count >= FEWEST_STEPS * parts:
        for odd in range(1, parts, 2):
            yield count * odd // parts
        parts *= 2


def _steps(order: _StepOrder, period: int, first: int, last: int) -> Iterator[Repeated]:
    """Ways to see steps where nodes repeat."""
    for start, state in _cuts(order, period, first):
        count = (last - start) // period
        if count < FEWEST_STEPS:
            continue
        states = [tuple([p + k * period for p in state]) for k in range(count + 1)]
        while (earlier := _previous_state(order, states[0], states[1])) is not None:
            states.insert(0, earlier)
        yield Repeated(tuple(tuple([order.nodes[p] for p in places]) for places in states))


def _longest(order: _StepOrder, middle: int) -> tuple[int, int, int]:
    """The period of the nodes around a place, and from where on, to where, they repeat."""
    kind = order.kinds[middle]
    tried = 0
    for before in range(middle - 1, max(-1, middle - MOST_STEP_NODES - 1), -1):
        if order.kinds[before] != kind or order.moves(middle, middle - before) is None:
            continue
        period, tried = middle - before, tried + 1
        first, last = order.repeated(middle, period)
        if last - first >= (FEWEST_STEPS - 1) * period:
            return period, first, last
        if tried == STEP_LENGTHS_TRIED:
            break
    return 0, 0, 0


def _cuts(order: _StepOrder, period: int, first: int) -> list[tuple[int, tuple[int, ...]]]:
    """Cuts within the first period, and the state at each: those of few fields first."""
    candidates = []
    for cut in range(first, first + period):
        state: set[int] = set()
        for place in range(cut, cut + period):
            for x, known in zip(order.reads[place], order.reads[place - period], strict=True):
                if x < cut and x != known:
                    state.update(range(x, cut, period))
        if 0 < len(state) <= MOST_FIELDS and min(state) >= period:
            candidates.append((cut - period, tuple(sorted(p - period for p in state))))
    return sorted(candidates, key=lambda one: (len(one[1]), -one[0]))


def _previous_state(
    order: _StepOrder, state: tuple[int, ...], after: tuple[int, ...]
) -> tuple[int, ...] | None:
    """The state from which a step like that from `state` to `after` leads to `state`."""
    like = dict(zip(after, state, strict=True))
    stack, state_nodes = [*after], set(state)
    done: set[int] = set()
    while stack:
        position = stack.pop()
        if position in done or position in state_nodes:
            continue
        done.add(position)
        own = like[position]
        if order.kinds[position] != order.kinds[own]:
            return None
        for x, known in zip(order.reads[position], order.reads[own], strict=True):
            if x == known and x not in state_nodes:
                continue
            if like.setdefault(x, known) != known:
                return None
            stack.append(x)
    if any(p not in like for p in state):
        return None
    return tuple([like[p] for p in state])
