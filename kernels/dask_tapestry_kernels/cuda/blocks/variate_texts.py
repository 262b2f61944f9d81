"""The texts of CUDA kernels that draw random variates, a cell or a row of cells a thread.

A thread has a stream of random words in its own memory, and calls the functions that the CPU's loop
calls.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.random_texts import place_arguments, place_lines
from dask_tapestry_kernels.cuda.cells.formula_texts import place_text
from dask_tapestry_kernels.cuda.jit.program import CudaProgram, memory_type, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    Arguments,
    coordinates,
    grid_stride,
    module_text,
)
from dask_tapestry_kernels.parameters.variates import COUNT, DRAWS, ROW_DRAWS
from dask_tapestry_kernels.variates.draw_modules import MODULES

IMPORTS: Final = """\
from dask_tapestry_kernels.variates.child import substream
from dask_tapestry_kernels.variates.child.{module} import {name}
"""
WORDS: Final = ("key_a", "key_b", "call", "part")


@lru_cache(maxsize=256)
def cell_program(name: str, moves: tuple[bool, ...], axes: int, wide: bool) -> CudaProgram:
    """The program that draws cells of a distribution, numbered by so many axes.

    Parameters
    ----------
    name
        A key of `DRAWS`.
    moves
        For each parameter whether it is a block, or a number.
    axes
        One or more.
    wide
        Whether numbers of cells take more than 64 bits.
    """
    draw = DRAWS[name]
    steps, values, given = [], [], []
    for p, (dtype, moving) in enumerate(zip(draw.parameters, moves, strict=True)):
        values.append((f"x{p}", pointer_type(dtype) if moving else memory_type(dtype)))
        steps += [(f"g{p}_{a}", "int64") for a in range(axes) if moving]
        given.append(f"x{p}[{place_text(f'g{p}_', axes)}]" if moving else f"x{p}")
    drawn = f"out[i] = {name}({', '.join(['stream', *given])})"
    return _program(name, [*steps, *values], draw.dtype, drawn, axes, wide)


@lru_cache(maxsize=64)
def row_program(name: str, moves: bool, axes: int, wide: bool) -> CudaProgram:
    """The program that draws rows of counts; `moves` says whether their totals are a block."""
    steps = [(f"g{a}", "int64") for a in range(axes) if moves]
    steps += [(f"w{a}", "int64") for a in range(axes)]
    values = [("jump", "int64"), ("length", "int64")]
    values.append(("totals", pointer_type(COUNT) if moves else memory_type(COUNT)))
    values.append(("weights", pointer_type(ROW_DRAWS[name].parameters[1])))
    total = f"totals[{place_text('g', axes)}]" if moves else "totals"
    row = f"weights, {place_text('w', axes)}, jump, out, i * length, length"
    drawn = f"{name}(stream, {total}, {row})"
    return _program(name, [*steps, *values], COUNT, drawn, axes, wide)


def _program(
    name: str, given: Arguments, dtype: np.dtype[np.generic], drawn: str, axes: int, wide: bool
) -> CudaProgram:
    """A statement run for the stream of each cell."""
    arguments = [("n", "int64"), *[(f"n{a}", "int64") for a in range(1, axes)]]
    arguments += [*place_arguments(axes, wide), *[(word, "int64") for word in WORDS], *given]
    arguments.append(("out", pointer_type(dtype)))
    names = [f"c{a}" for a in range(axes)]
    body = [
        *coordinates("i", names, [f"n{a}" for a in range(1, axes)], "int64"),
        *place_lines(axes, wide),
        "substream.begin(stream, place, page)",
        drawn,
    ]
    opened = ["stream = substream.reserve()", f"substream.open_at(stream, {', '.join(WORDS)})"]
    text = module_text(arguments, [*opened, *grid_stride(body)])
    return CudaProgram(IMPORTS.format(module=MODULES[name], name=name) + text, f"draw of {name}")
