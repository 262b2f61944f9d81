"""The text of a CUDA kernel that evaluates a cell expression.

One statement a step, as in the rows of the CPU and from the same meanings, so that the bits are the
same. A thread takes every so-manieth cell. Operands are addressed by their strides, so that what
only moves cells costs nothing; where all lie in order there is one index.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry_kernels.cuda.jit.program import CudaProgram, memory_type, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    loaded,
    module_text,
    to_store,
)
from dask_tapestry_kernels.formulas import scalar_codegen
from dask_tapestry_kernels.formulas.formula_steps import (
    FormulaStep,
    formula_steps,
    is_careful,
    needs_care,
    step_text,
)

DType = np.dtype[Any]


@lru_cache(maxsize=1024)
def formula_program(expression: Any, rank: int, wide: bool) -> CudaProgram | None:
    """The program of an expression; None if a step has no compiled meaning.

    Parameters
    ----------
    expression
        The cell expression.
    rank
        Of the dimensions that operands and result are addressed by; 0 where all lie in order.
    wide
        Whether there are so many cells that numbers of cells take 64 bits. Dividing numbers of 32
        bits takes a third of the time.
    """
    formula = formula_steps(expression)
    dtypes = [*formula.parameters, *[step.dtype for step in formula.steps]]
    if not all(map(scalar_codegen.is_known, dtypes)):
        return None
    count = len(expression.parameters)
    cell = cell_statements(formula.steps, dtypes)
    if cell is None:
        return None
    word = "uint64" if wide else "uint32"
    arguments = [("n", "int64")]
    arguments += [(f"n{d}", word) for d in range(1, rank)]
    arguments += [(f"s{p}_{d}", "int64") for p in range(count) for d in range(rank)]
    arguments += [(f"t{d}", "int64") for d in range(rank)]
    arguments += [(f"x{p}", pointer_type(dtypes[p])) for p in range(count)]
    constants = enumerate(formula.constants, start=count)
    arguments += [(f"v{i}", memory_type(_held(c.dtype))) for i, c in constants]
    arguments.append(("out", pointer_type(dtypes[-1])))
    used = sorted({i for step in formula.steps for i in step.operands if i < count})
    used = used if formula.steps else [count - 1]
    places = {p: place_text(f"s{p}_", rank) for p in used}
    loads = [f"v{p} = {loaded(f'x{p}[{places[p]}]', dtypes[p])}" for p in used]
    store = f"out[{place_text('t', rank)}] = {to_store(f'v{len(dtypes) - 1}', dtypes[-1])}"
    axes = [f"c{d}" for d in range(rank)]
    extents = [f"n{d}" for d in range(rank)]
    body = [*coordinates("i", axes, extents, word), *loads, *cell, store]
    source = module_text(arguments, grid_stride(body))
    return CudaProgram(source, f"map of {expression.format([f'${i}' for i in range(count)], 80)}")


def _held(dtype: DType) -> DType:
    """The dtype in which a constant is handed over."""
    return np.dtype("f4") if dtype.char == "e" else dtype


def place_text(strides: str, rank: int) -> str:
    """Text of the place of a cell, in cells, from strides whose names begin alike."""
    terms = [f"np.int64(c{d}) * {strides}{d}" for d in range(rank)]
    return " + ".join(terms) if terms else "i"


def cell_statements(steps: Sequence[FormulaStep], dtypes: Sequence[DType]) -> list[str] | None:
    """The statements of one cell from ``v0``, ``v1``, ...; a rare argument goes the careful way."""
    first, lines = len(dtypes) - len(steps), []
    for number, step in enumerate(steps, start=first):
        text = step_text(step, dtypes)
        if text is None:
            return None
        if is_careful(step, dtypes):
            careful = step_text(step, dtypes, careful=True)
            text = f"({careful}) if {needs_care(step, dtypes)} else ({text})"
        lines.append(f"v{number} = {text}")
    return lines
