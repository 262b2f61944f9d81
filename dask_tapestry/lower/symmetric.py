"""Symmetric results: of ``x @ x.T`` only the blocks on and above the diagonal are computed.

The blocks below are their transposes: half the multiplications, as BLAS's own `syrk` saves. For a
block on the diagonal NumPy calls `syrk` itself, since both factors are views of one array.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.lower.result_buffer import ResultBuffer
from dask_tapestry.operators.elementwise import Elementwise
from dask_tapestry.operators.matmul import MatMul
from dask_tapestry.operators.view import View, ViewAxis, identity_axes
from dask_tapestry.plan.program import Instruction, Program
from dask_tapestry.zspace import Cuts, ZRange

Block = np.ndarray[Any, Any]


def is_symmetric(program: Program, cuts: tuple[Cuts, ...]) -> bool:
    """Whether the blocks below the diagonal are transposes of those above."""
    if len(cuts) < 2 or cuts[-1] != cuts[-2] or cuts[-1].count < 2:
        return False
    return _is_symmetric(program, len(program.types) - 1)


def source_of(index: tuple[int, ...]) -> tuple[int, ...] | None:
    """The block above the diagonal that a block is the transpose of, or None."""
    *batch, row, column = index
    return (*batch, column, row) if row > column else None


def transpose_block(box: ZRange, out: ResultBuffer, block: Block) -> Block:
    """The cells `box`, which are the transpose of `block`."""
    turned = np.swapaxes(block, -1, -2)
    if not out.is_local:
        return np.array(turned, order="C")
    target = out.box(box)
    target[...] = turned
    return target


def _instruction(program: Program, value: int) -> Instruction | None:
    place = value - len(program.inputs)
    return program.instructions[place] if place >= 0 else None


def _is_symmetric(program: Program, value: int) -> bool:
    """Whether a value is ``x @ x.T``, or a formula of such."""
    instruction = _instruction(program, value)
    match instruction and instruction.operator:
        case MatMul(part=None):
            assert instruction is not None
            return _are_turned(program, *instruction.inputs)
        case Elementwise():
            assert instruction is not None
            return all(_is_symmetric(program, x) for x in instruction.inputs)
    return False


def _are_turned(program: Program, x: int, w: int) -> bool:
    """Whether one value is the other with its last two dimensions exchanged."""
    (source, seen), (other, wanted) = _seen(program, x), _seen(program, w)
    if source == other:
        return _turn(seen.shape).after(seen) == wanted
    first, second = _instruction(program, x), _instruction(program, w)
    if first is None or second is None or not isinstance(first.operator, Elementwise):
        return False
    return first.operator == second.operator and all(
        _are_turned(program, a, b) for a, b in zip(first.inputs, second.inputs, strict=True)
    )


def _seen(program: Program, value: int) -> tuple[int, View]:
    """What a value is a view of, and that view."""
    instruction = _instruction(program, value)
    match instruction and instruction.operator:
        case View() as view:
            assert instruction is not None
            return instruction.inputs[0], view
    shape = program.types[value].shape
    return value, View(shape, identity_axes(shape))


def _turn(shape: tuple[int, ...]) -> View:
    """The view that exchanges the last two dimensions."""
    *batch, row, column = range(len(shape))
    axes = tuple(ViewAxis(dim, 0, 1) for dim in (*batch, column, row))
    return View((*shape[:-2], shape[column], shape[row]), axes)
