"""StencilSteps: several steps of formulas of neighbours, computed without a pause.

A block of the result is made of a larger block of the fields, which shrinks by each step. So a
field is read and written once for several steps, and workers exchange less often: temporal
blocking, which wavefront and trapezoid tilings refine.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.cells import CellExpression
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.joins.pad import pad_wrap
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.tuning import MOST_FUSED_STEPS, STEPS_A_PASS
from dask_tapestry.operators.views.output import outputs
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Region,
    Signature,
    Tensor,
    TensorType,
    apply,
)
from dask_tapestry.teg.operator import Demanding, Restriction, Types, clipped
from dask_tapestry.teg.outputs import OutputWindow, outputs_dtype
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.parameters.stencil_tiles import CACHE, tile_of


class End(NamedTuple):
    """What lies beyond one end of an axis.

    Attributes
    ----------
    mode
        ``"wrap"``, ``"symmetric"``, ``"edge"`` or ``"constant"``, as of `numpy.pad`.
    width
        How many cells of it a step reads.
    values
        Of each field, where the mode is ``"constant"``.
    """

    mode: str
    width: int
    values: tuple[bool | int | float | complex, ...] = ()


class StencilProgram(NamedTuple):
    """What a step computes.

    Attributes
    ----------
    formulas
        For each field its formula, and the taps that are its parameters; a negative number -1 - i
        is value i of `scalars`.
    taps
        Cells that a step reads: number of the input, and how far from the cell that is computed.
    scalars
        Formulas of the number of the step alone.
    ends
        What lies beyond both ends of each axis; of one that wraps, both do.
    reach
        The farthest cell that a step reads along each axis.
    """

    formulas: tuple[tuple[CellExpression, tuple[int, ...]], ...]
    taps: tuple[tuple[int, tuple[int, ...]], ...]
    scalars: tuple[CellExpression, ...]
    ends: tuple[tuple[End, End], ...]
    reach: tuple[int, ...]

    @property
    def cell_bytes(self) -> int:
        """Bytes of a cell of all fields."""
        return sum(expression.dtype.itemsize for expression, _ in self.formulas)


@dataclass(frozen=True)
class StencilSteps(BlockOperator):
    """Fields after `steps` steps of a stencil; the first input is the number of the first step.

    Inputs wrap around beyond the ends of axes that do. Along others a block reads less at the ends.

    Source: Tapestry whitepaper, "Sharding Convolution": windows that overlap are a projection.

    Attributes
    ----------
    shape
        Of all fields.
    steps, program
        How many steps, and what each computes.
    kept
        Numbers of the fields that are its outputs.
    """

    name = "stencilsteps"
    kernel = "stencilsteps"
    clips = True
    shape: tuple[int, ...]
    steps: int
    program: StencilProgram
    kept: tuple[int, ...]

    @property
    def fills(self) -> bool:  # type: ignore[override]
        """Whether the kernel writes to given memory: one field is, several allocate their own."""
        return len(self.program.formulas) == 1

    def infer(self, *inputs: TensorType) -> TensorType:
        formulas = self.program.formulas
        if len(formulas) == 1:
            return TensorType(self.shape, formulas[0][0].dtype)
        here = IndexProjection.identity(len(self.shape))
        windows = [OutputWindow(f"f{i}", formulas[i][0].dtype, here) for i in self.kept]
        return TensorType(self.shape, outputs_dtype(tuple(windows)))

    def keeping(self, names: Collection[str]) -> StencilSteps:
        return replace(self, kept=tuple([i for i in self.kept if f"f{i}" in names]))

    def signature(self, *inputs: TensorType) -> Signature:
        ndim = len(self.shape)
        index = tuple(IndexDim(f"i{dim}", n) for dim, n in enumerate(self.shape))
        unit = IndexProjection.identity(ndim)
        reach = self._far
        seen = IndexProjection(unit.matrix, self._origin, tuple(1 + 2 * r for r in reach))
        time = IndexProjection((), (), (), in_ndim=ndim)
        return Signature(index, (time, *[seen] * (len(inputs) - 1)), (unit,))

    @property
    def _far(self) -> tuple[int, ...]:
        """How far all steps together see."""
        return tuple(self.steps * r for r in self.program.reach)

    @property
    def _origin(self) -> tuple[int, ...]:
        """The start of the first cell's window in the inputs."""
        ends = zip(self._far, self.program.ends, strict=True)
        return tuple(0 if before.mode == "wrap" else -far for far, (before, _) in ends)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return clipped(self, inputs)(box)

    def demanding(self, inputs: Types) -> Demanding:
        return clipped(self, inputs)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """None: a block knows by its coordinates where the ends are."""
        return None

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        shifts = [far + start for far, start in zip(self._far, self._origin, strict=True)]
        lows = [tuple(a - s for a, s in zip(b.lo, shifts, strict=True)) for b in boxes[1:]]
        return {
            "program": self.program,
            "steps": self.steps,
            "cells": self.shape,
            "box": (box.lo, box.hi),
            "lows": tuple(lows),
            "kept": self.kept,
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        cell = sum(expression.flops for expression, _ in self.program.formulas)
        if box.is_empty:
            return 0
        more, _ = tile_of(box.shape, self.program.reach, self.steps, self.program.cell_bytes)
        return int(more * self.steps * box.size * cell)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Fields of a tile, before and after a step; those beside the ends are not smaller."""
        return 2 * CACHE

    def text(self) -> str:
        return f"{self.steps} steps, reach {self.program.reach}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> Any:
        return kernel_reference(self, *inputs)


def stencil_after(
    time: Tensor, read: Sequence[Tensor], steps: int, program: StencilProgram
) -> tuple[Tensor, ...]:
    """The fields after some steps.

    Parameters
    ----------
    time
        The number of the first step.
    read
        The fields, and what else a step reads at each cell.
    steps
        How many.
    program
        What a step computes.
    """
    shape = read[0].type.shape
    around = []
    for x in read:
        for axis, (before, _) in enumerate(program.ends):
            far = steps * program.reach[axis]
            if before.mode == "wrap" and far:
                x = pad_wrap(x, axis, (far, far))
        around.append(x)
    every = tuple(range(len(program.formulas)))
    made = apply(StencilSteps(shape, steps, program, every), time, *around)
    return outputs(made) if len(program.formulas) > 1 else (made,)


def suitable_steps(block: tuple[int, ...], program: StencilProgram) -> int:
    """How many steps to compute without a pause: as many as take least time a cell of a block.

    Examples
    --------
    >>> ends = ((End("edge", 1), End("edge", 1)),) * 2
    >>> f8 = np.dtype("f8")
    >>> one = StencilProgram(((CellExpression((f8,), ()), (0,)),), ((0, (0, 0)),), (), ends, (1, 1))
    >>> suitable_steps((6000, 6000), one), suitable_steps((40, 40), one)
    (15, 6)
    """
    best, least = 1, float("inf")
    for steps in range(1, MOST_FUSED_STEPS + 1):
        far = [2 * steps * r for r in program.reach]
        if any(f > n for f, n in zip(far, block, strict=True)) and steps > 1:
            break
        more, _ = tile_of(block, program.reach, steps, program.cell_bytes)
        taken = more + STEPS_A_PASS / steps
        if taken < least:
            best, least = steps, taken
    return best
