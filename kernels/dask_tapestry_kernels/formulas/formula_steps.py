"""The steps of a formula as a generated loop has them: its float constants are operands.

So a program whose constants change, as those of an iteration do, needs one loop. Integers stay:
dividing by them is then fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.formulas import scalar_codegen

DType = np.dtype[Any]
LIFTED: Final = "efd"  # dtypes of constants that are operands


class FormulaStep(NamedTuple):
    """A step: what it calls, on which values, and what dtype comes out."""

    function: str
    operands: tuple[int, ...]
    dtype: DType
    constant: np.generic | None = None


class FormulaSteps(NamedTuple):
    """Steps over numbered values: the parameters, then the lifted constants, then the steps.

    Attributes
    ----------
    parameters
        Dtypes of the parameters and of the constants.
    steps
        In order; the last is the result.
    constants
        The lifted ones.
    """

    parameters: tuple[DType, ...]
    steps: tuple[FormulaStep, ...]
    constants: tuple[np.generic, ...]


def formula_steps(expression: Any) -> FormulaSteps:
    """Return the steps of a cell expression, its float constants lifted out."""
    count, computed, lifted = len(expression.parameters), [], []
    for number, step in enumerate(expression.steps, start=count):
        constant = expression.constant(step) if step.value else None
        if constant is not None and step.dtype.char in LIFTED:
            lifted.append((number, constant))
        else:
            computed.append(
                (number, FormulaStep(step.function, step.operands, step.dtype, constant))
            )
    places = dict(enumerate(range(count)))
    places |= {number: count + i for i, (number, _) in enumerate(lifted)}
    places |= {number: count + len(lifted) + i for i, (number, _) in enumerate(computed)}
    steps = [s._replace(operands=tuple(places[i] for i in s.operands)) for _, s in computed]
    constants = tuple(constant for _, constant in lifted)
    dtypes = (*expression.parameters, *[constant.dtype for constant in constants])
    return FormulaSteps(dtypes, tuple(steps), constants)


def is_careful(step: FormulaStep, dtypes: Sequence[DType]) -> bool:
    """Whether a step has a careful form for some arguments; `dtypes` are those of all values."""
    return bool(step.operands) and scalar_codegen.is_careful(
        step.function, dtypes[step.operands[0]]
    )


def needs_care(step: FormulaStep, dtypes: Sequence[DType]) -> str:
    """Text of the test whether a step needs its careful form."""
    of = step.operands[0]
    return scalar_codegen.needs_care(step.function, f"v{of}", dtypes[of])


def step_text(step: FormulaStep, dtypes: Sequence[DType], careful: bool = False) -> str | None:
    """Text of a step over values that are called ``v0``, ``v1``, ...; None if it has no meaning."""
    if step.constant is not None:
        return scalar_codegen.constant(step.constant)
    names = [f"v{i}" for i in step.operands]
    kinds = [dtypes[i] for i in step.operands]
    return scalar_codegen.step(step.function, names, kinds, step.dtype, careful)
