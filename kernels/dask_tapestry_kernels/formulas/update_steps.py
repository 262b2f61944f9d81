"""What an update does to a cell, as statements of a loop: the same for every device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry_kernels.formulas import scalar_codegen

DType = np.dtype[Any]
Folds = tuple[tuple[DType, Any], ...]  # of each result dtype and cell expression; None moves


def only_moves(expressions: Sequence[Any]) -> bool:
    """Whether each result becomes its update."""
    return all(e.chosen == len(expressions) + n for n, e in enumerate(expressions))


def update_dtypes(folds: Folds) -> list[DType]:
    """Dtypes of the updates: those of the results where they only replace."""
    first = folds[0][1]
    dtypes = [dtype for dtype, _ in folds]
    return dtypes if first is None else list(first.parameters[len(folds) :])


def update_statements(folds: Folds) -> list[str] | None:
    """Statements that make results ``r0``, ... of cells ``v0``, ... and the updates behind them.

    None if a step has no compiled meaning.
    """
    dtypes, count = [dtype for dtype, _ in folds], len(folds)
    both, lines = [*dtypes, *update_dtypes(folds)], []
    for number, (_, expression) in enumerate(folds):
        if expression is None:
            lines.append(f"r{number} = v{count + number}")
            continue
        names, kinds = [f"v{n}" for n in range(2 * count)], list(both)
        for step_number, step in enumerate(expression.steps):
            if step.value is not None:
                text: str | None = scalar_codegen.constant(expression.constant(step))
            else:
                own = [kinds[i] for i in step.operands]
                of = [names[i] for i in step.operands]
                text = scalar_codegen.step(step.function, of, own, step.dtype, careful=True)
            if text is None or not scalar_codegen.is_known(step.dtype):
                return None
            names.append(f"s{number}_{step_number}")
            kinds.append(step.dtype)
            lines.append(f"{names[-1]} = {text}")
        lines.append(f"r{number} = {names[-1]}")
    return lines
