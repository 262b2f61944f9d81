"""Stencils iterated over a grid: `iterate`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from dask_tapestry.amounts import function as callable_argument
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.halos import Depths
from dask_tapestry.arrays.loops.checkpoints import Checkpoints
from dask_tapestry.arrays.loops.identity import identity_of
from dask_tapestry.arrays.loops.iterate import as_given
from dask_tapestry.arrays.loops.loop_runs import (
    Ends,
    checked_ends,
    ending,
    one_by_one,
    run,
    state_of,
)
from dask_tapestry.arrays.loops.traced_functions import (
    StateField,
    Traced,
    as_fields,
    graph_of,
    takes_time,
    traced,
)
from dask_tapestry.arrays.stencil.borders import Border, Side, SideBoundaries, bordered, borders
from dask_tapestry.arrays.stencil.fused_steps import fused_steps
from dask_tapestry.errors import ShapeError
from dask_tapestry.rules.extensions import AxisExtension
from dask_tapestry.rules.stencil_formulas import Fields, StencilFormula, stencil_formula
from dask_tapestry.teg import Node

__all__ = ["iterate"]

Borders = Sequence[tuple[Border, ...]]  # of each field


def iterate(
    step: Callable[..., Any],
    state: Any,
    steps: int | None,
    *,
    depth: Depths,
    boundary: SideBoundaries,
    until: Callable[..., Any] | None = None,
    every: int | None = None,
    checkpoint: Any = None,
) -> Array | tuple[Array, ...]:
    """Apply a stencil to fields on a grid again and again.

    It computes, as `dt.iterate`: each state is persisted, and only the last two are kept. The step
    is called once, with arrays that have no cells yet; what it makes of them is every step.

    {Parameters}
        step: Called with the fields, each with `depth` cells more at either end of each axis: with
            depth 1, ``u[1:-1]`` is the field itself, and ``u[:-2]`` its cells' neighbours before
            them. If it takes one argument more, that is the number of the step, from 0, as a 0-d
            int64 array. It returns the next fields, without the cells beyond the ends, in the same
            dtypes.
        state: A field, an array of any rank and dtype, or a tuple of several.
        steps: How many steps, at most if `until` is given; None for any number.
        depth: How many cells a step sees beyond the ends: a number, or one for each axis, where a
            pair is before and after; or a dictionary by axis.
        boundary: What lies there: ``"periodic"``, ``"reflect"`` (the edge cell is repeated),
            ``"nearest"``, a number, ``"constant"`` for zeros, or ``"none"`` for no cells at all;
            one for all axes, or one for each, where a pair is before and after; or a dictionary by
            axis. Corners are those of `numpy.pad`, axis by axis.
        until, every, checkpoint: As of `dt.iterate`. Steps from one look to the next are computed
            together: give `every`.
    {Returns} Array or tuple of Array: The last state, persisted: one array for one field. With 0
        steps, the state.
    {Raises}
        ArgumentError: For a depth that is negative or larger than an axis, an unknown boundary, and
            for arguments that `dt.iterate` refuses.
        ArgumentTypeError: If `step` does not take or return as many arrays as there are fields, or
            `until` does not return a 0-d bool.
        ShapeError, DTypeError: If a step returns another shape than that of its field, or another
            dtype.
        TraceError: If `step` or `until` computes.
        StoreError: If the store has checkpoints of another loop.
    {See Also} dask_tapestry.iterate, map_overlap

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> def life(u):
    ...     around = (
    ...         sum(
    ...             u[i : u.shape[0] - 2 + i, j : u.shape[1] - 2 + j]
    ...             for i in range(3)
    ...             for j in range(3)
    ...         )
    ...         - u[1:-1, 1:-1]
    ...     )
    ...     alive = (around == 3) | ((around == 2) & (u[1:-1, 1:-1] == 1))
    ...     return alive.astype("u1")
    >>> blinker = np.zeros((5, 5), "u1")
    >>> blinker[2, 1:4] = 1
    >>> dt.stencil.iterate(life, blinker, 3, depth=1, boundary="periodic").compute()[:, 2].tolist()
    [0, 1, 1, 1, 0]
    """
    callable_argument("step", step)
    first = state_of(state)
    most, interval = checked_ends(steps, until, every, checkpoint)
    fields = [StateField.of(x) for x in first]
    around = [borders(x.shape, depth, boundary) for x in first]
    graph, padded = _traced_step(step, fields, around)
    test = ending(until, fields)
    if most == 0:
        return as_given(state, first)
    checkpoints = None
    if checkpoint is not None:
        identity = identity_of(graph, first, f"{around}")
        checkpoints = Checkpoints.at(checkpoint, identity, len(first))

    found = _neighbours(graph, padded, fields, around[0])
    advance, fused = (one_by_one(graph), 1) if found is None else fused_steps(found, fields)
    return as_given(state, run(first, advance, Ends(most, test, interval, checkpoints), fused))


def _traced_step(
    step: Callable[..., Any], fields: Sequence[StateField], around: Borders
) -> tuple[Traced, list[Node]]:
    """The graph of a step, from fields to fields; and the fields as it was given them."""
    padded: list[Node] = []

    def seen(arrays: Sequence[Array]) -> list[Array]:
        given = [bordered(x, own) for x, own in zip(arrays, around, strict=True)]
        padded.extend(x.node for x in given)
        return given

    def hint(number: int, shape: tuple[int, ...]) -> str:
        return _reach_told(fields[number].type.shape, shape, around[number])

    try:
        slots, results = traced(step, fields, seen, takes_time(step, len(fields)))
    except ShapeError as error:
        told = _offset_told(str(error), fields[0].type.shape, around[0])
        if not told:
            raise
        raise ShapeError(f"{error}{told}") from error
    return graph_of(slots, as_fields(step, results, fields, hint)), padded


def _neighbours(
    step: Traced, padded: Sequence[Node], fields: Sequence[StateField], around: Sequence[Border]
) -> StencilFormula | None:
    """The formulas of neighbours that a step is; None where it is something else."""
    shape = fields[0].type.shape
    if any(field.type.shape != shape for field in fields):
        return None
    slots = {number: step.nodes[place] for place, number in step.slots.items()}
    fields_read = Fields(
        tuple(padded),
        shape,
        tuple([before.depth for before, _ in around]),
        tuple([(_boundary_value(before), _boundary_value(after)) for before, after in around]),
        slots.get(len(padded)),
    )
    return stencil_formula([step.nodes[root] for root in step.roots], fields_read)


def _boundary_value(side: Side) -> AxisExtension | None:
    return None if side.mode is None else AxisExtension(frozenset({side.mode}), side.value)


def _offset_told(text: str, shape: tuple[int, ...], own: tuple[Border, ...]) -> str:
    """What an error of operands says of a slice that is shorter than the field, as it goes too far.

    Examples
    --------
    >>> side = Side(1, "edge")
    >>> _offset_told("operands of shapes (6, 8) (6, 7)", (6, 8), ((side, side), (side, side)))
    '; along axis 1 a slice reads a cell 2 away, and depth gives 1 before and 1 after'
    """
    for found in re.findall(r"\((\d+(?:, \d+)*),?\)", text):
        lengths = tuple(map(int, found.split(", ")))
        if len(lengths) != len(shape):
            continue
        short = [axis for axis, n in enumerate(lengths) if n < shape[axis]]
        if len(short) == 1 and lengths[short[0]]:
            before, after = own[short[0]]
            far = max(before.depth, after.depth) + shape[short[0]] - lengths[short[0]]
            return (
                f"; along axis {short[0]} a slice reads a cell {far} away, and depth gives "
                f"{before.depth} before and {after.depth} after"
            )
    return ""


def _reach_told(shape: tuple[int, ...], found: tuple[int, ...], own: tuple[Border, ...]) -> str:
    """What a shape that is too short, or too long, says of the cells that a step reads."""
    if len(shape) != len(found):
        return ""
    notes = []
    for axis, (expected, length, (before, after)) in enumerate(zip(shape, found, own, strict=True)):
        seen = before.depth + after.depth
        if length < expected:
            notes.append(
                f"along axis {axis} it reads {seen + expected - length} cells beside its own, and "
                f"depth gives {before.depth} before and {after.depth} after"
            )
        elif length > expected:
            notes.append(
                f"along axis {axis} {length - expected} cells too many: cut off what it saw"
            )
    return "".join(f"; {note}" for note in notes)
