"""Cells of formulas that are written nowhere: who reads them computes them where they are read.

A tile's buffer is written once and read by a stencil's every tap, at places that begin at no line
of memory. What takes few operations is computed again for less: a second difference along both axes
of 36 M float64 takes 25 ms as one formula of nine cells, and 30 with the inner ones in a buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.lower.tuning import MOST_COMPUTED_AGAIN, MOST_TILE_OPERANDS
from dask_tapestry.steps.formula_part import FormulaPart
from dask_tapestry.steps.program import Program

Block = np.ndarray[Any, Any]


class UnwrittenCells(NamedTuple):
    """A formula, and the arrays of one shape whose cells it is of."""

    expression: CellExpression
    arrays: tuple[Block, ...]


def seen(cells: Block | UnwrittenCells, view: Callable[[Block], Block]) -> Block | UnwrittenCells:
    """The same view of an array, or of all that unwritten cells are computed from."""
    if isinstance(cells, UnwrittenCells):
        return cells._replace(arrays=tuple(map(view, cells.arrays)))
    return view(cells)


def written_out(
    expression: CellExpression, operands: Sequence[Block | UnwrittenCells]
) -> UnwrittenCells:
    """A formula of operands of which some are unwritten, as one of arrays alone."""
    inner = [x.expression if isinstance(x, UnwrittenCells) else None for x in operands]
    arrays = [a for x in operands for a in (x.arrays if isinstance(x, UnwrittenCells) else (x,))]
    if any(inner):
        expression = _composed(expression, tuple(inner))
    return UnwrittenCells(expression, tuple(arrays))


@lru_cache(maxsize=256)
def _composed(
    expression: CellExpression, inner: tuple[CellExpression | None, ...]
) -> CellExpression:
    """A formula whose parameters are those of the formulas `inner`; itself those without one."""
    own = zip(inner, expression.parameters, strict=True)
    parts = [(dtype,) if one is None else one.parameters for one, dtype in own]
    builder = CellBuilder([dtype for part in parts for dtype in part])
    values, first = [], 0
    for one, part in zip(inner, parts, strict=True):
        numbers = range(first, first + len(part))
        values.append(first if one is None else builder.inline(one, numbers))
        first += len(part)
    return builder.finish(builder.inline(expression, values))


@lru_cache(maxsize=256)
def merged_parameters(expression: CellExpression, places: tuple[int, ...]) -> CellExpression:
    """A formula of fewer parameters: for each of its own the number of that which it is."""
    dtypes = dict(zip(places, expression.parameters, strict=True))
    builder = CellBuilder([dtypes[number] for number in range(len(dtypes))])
    return builder.finish(builder.inline(expression, places))


@lru_cache(maxsize=256)
def unwritten_values(part: FormulaPart) -> frozenset[int]:
    """The formulas of a part that take less to compute where they are read than to hold.

    None of them reads another one.
    """
    program, found = part.program, set[int]()
    uses = _uses(part)
    operands = {v: len(program.instruction(v).inputs) for v in uses}
    for value in sorted(uses):
        instruction = program.instruction(value)
        if value == part.goal or not instruction.operator.is_formula:
            continue
        (formula,) = instruction.operator.formulas(instruction.types)
        again = (uses[value] - 1) * (formula.flops + operands[value])
        alone = not any(_behind(program, x) in found for x in instruction.inputs)
        if alone and again <= MOST_COMPUTED_AGAIN:
            found.add(value)
    for value in uses:
        read = [_behind(program, x) for x in program.instruction(value).inputs]
        if sum(operands[x] if x in found else 1 for x in read) > MOST_TILE_OPERANDS:
            found.difference_update(read)
    return frozenset(found)


def _uses(part: FormulaPart) -> dict[int, int]:
    """How often each formula of a part is read by formulas, itself or through views."""
    program = part.program
    formulas = [v for v in part.values if program.instruction(v).operator.is_formula]
    uses = dict.fromkeys(formulas, 0)
    for value in formulas:
        for source in program.instruction(value).inputs:
            behind = _behind(program, source)
            if behind in uses:
                uses[behind] += 1
    return uses


def _behind(program: Program, value: int) -> int:
    """The value that views of it show, as one is."""
    while value >= len(program.inputs) and program.instruction(value).operator.is_view:
        (value,) = program.instruction(value).inputs
    return value
