"""Kernels of a plan, compiled before it runs: a block of each step is computed of made-up cells.

Which kernels a block asks for depends on its formulas, shapes and layouts. So blocks are computed
as a worker would, the first and the last of each step: sources give zeros, sinks write nothing, and
functions of the user are not called.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.lower.cancellation import Cancellation
from dask_tapestry.lower.execute import run_block
from dask_tapestry.lower.job import label_of, step_told
from dask_tapestry.lower.output_memory import zeros_for
from dask_tapestry.lower.result_buffer import REMOTE
from dask_tapestry.lower.simulated_device import without_device
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.lower.users_functions import is_users
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.teg import Operator, Sink, Source
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels import compilation
from dask_tapestry_kernels.gpu_compilation import compiling_for


class Ahead(NamedTuple):
    """What was compiled ahead.

    Attributes
    ----------
    steps
        Steps of which blocks were computed.
    left
        Why others were not: their label, and what was in the way.
    """

    steps: int
    left: tuple[str, ...]


def compile_ahead(
    plan: PlannedGraph, architectures: Sequence[int] = (), folder: Path | None = None
) -> Ahead:
    """Compile the kernels that the blocks of `plan` ask for, and keep them on disk.

    Parameters
    ----------
    architectures
        Of GPUs, as 90 for ``sm_90``, for which those of devices are compiled.
    folder
        Where these are put besides, for a package to bring.
    """
    with compiling_for(architectures, folder):
        return _compiled(plan, architectures)


def _compiled(plan: PlannedGraph, architectures: Sequence[int]) -> Ahead:
    uncompiled = []
    for step in plan.steps.values():
        label = label_of(step_told(step))
        try:
            own = any(map(is_users, [one.operator for one in step.program.instructions]))
            if own:
                uncompiled.append(f"{label}: it calls a function of yours")
            elif step.program.device is not None and not architectures:
                uncompiled.append(f"{label}: it is a GPU's, of which no architecture is told")
            else:
                _rehearse(step)
        except Exception as error:  # of cells that a kernel cannot take, such as singular matrices
            uncompiled.append(f"{label}: {type(error).__name__}: {error}")
    return Ahead(len(plan.steps) - len(uncompiled), tuple(uncompiled))


def _rehearse(step: Step) -> None:
    """Compute the first and the last block of a step, of made-up cells."""
    instructions = tuple(
        one._replace(operator=_made_up(one.operator)) for one in step.program.instructions
    )
    program = replace(step.program, instructions=instructions)
    inputs = len(program.inputs)
    spec = StepSpec.of(replace(step, program=program), (None,) * inputs, Cancellation())
    spec = without_device(spec)
    blocks = {(0,) * len(step.cuts), tuple(n - 1 for n in step.grid_shape)}
    for index in blocks:
        schedule = spec.program.schedule(spec.box(index))
        samples = [
            zeros_for(program.inputs[value], box.shape)
            for value in range(inputs)
            for box in schedule.boxes[value]
        ]
        with compilation.mode("wait"), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)
            run_block(spec, index, REMOTE, *samples)


def _made_up(operator: Operator) -> Operator:
    """An operator of made-up cells instead of those of a store; others as they are."""
    if not isinstance(operator, Source | Sink):
        return operator
    own: type[Any] = type(operator)
    made = copy(operator)
    members = _SOURCE if isinstance(operator, Source) else _SINK
    object.__setattr__(made, "__class__", type(own.__name__, (own,), dict(members)))
    return made


def _zeros(self: Any, box: ZRange, out: Any = None) -> Any:
    if out is None:
        return np.zeros(box.shape, self.infer().dtype)
    out[...] = np.zeros((), out.dtype)
    return out


def _some_zeros(self: Any, box: ZRange, out: Any, every: int) -> Any:
    del every
    return _zeros(self, box, out)


def _nothing(*_: Any) -> None:
    return None


_SOURCE = {"read": _zeros, "read_some": _some_zeros, "confirm": _nothing}
_SINK = {"write": _nothing}
