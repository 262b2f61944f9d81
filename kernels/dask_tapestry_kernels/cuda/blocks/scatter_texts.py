"""The texts of CUDA kernels that fold updates into rows of cells.

One tells the row of each update. Updates ordered by rows are then folded by a thread a cell, one
after the other in their own order, so that the bits are those of a loop over all updates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry_kernels.cuda.cells.formula_texts import place_text
from dask_tapestry_kernels.cuda.jit.program import CudaProgram, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    indented,
    loaded,
    module_text,
    number_text,
    to_store,
)
from dask_tapestry_kernels.formulas import scalar_codegen
from dask_tapestry_kernels.formulas.update_steps import Folds, update_dtypes, update_statements

DType = np.dtype[Any]
ROWS = "CPointer(int64)"


@lru_cache(maxsize=256)
def rows_program(numbers: tuple[DType, ...], rank: int, strict: bool) -> CudaProgram:
    """The program that tells the row of each update, -1 for one outside of the block.

    Parameters
    ----------
    numbers
        Dtypes of the numbers, a block for each axis that they move along.
    rank
        Of the updates' rows.
    strict
        Count negative numbers from the end, and note in `found` that one is out of bounds.
    """
    axes, picks = range(rank), range(len(numbers))
    names = [f"c{d}" for d in axes], [f"n{d}" for d in axes]
    arguments = [("n", "int64"), *[(extent, "int64") for extent in names[1][1:]]]
    arguments += [(f"s{d}", "int64") for d in axes]
    arguments += [(f"{side}{k}_{d}", "int64") for side in "pq" for k in picks for d in axes]
    fields = ("extent", "shift", "side", "pace")
    arguments += [(f"{field}{k}", "int64") for k in picks for field in fields]
    arguments += [("base", "int64")]
    arguments += [(f"at{k}", pointer_type(dtype)) for k, dtype in enumerate(numbers)]
    arguments += [("found", "CPointer(int32)")] * strict
    arguments.append(("rows", ROWS))
    body = coordinates("i", *names, "int64")
    body += [f"row = {place_text('s', rank)} + base", "inside = True"]
    for k, dtype in enumerate(numbers):
        read = f"at{k}[{place_text(f'p{k}_', rank)}]"
        body.append(f"j = {number_text(read, dtype)}")
        if strict:
            body += ["if j < 0:", f"    j += extent{k}"]
            body += [f"if j < 0 or j >= extent{k}:", "    found[0] = np.int32(1)"]
        body += [f"j += {place_text(f'q{k}_', rank)} + shift{k}"]
        body += [f"inside = inside and j >= 0 and j < side{k}", f"row += j * pace{k}"]
    body.append("rows[i] = row if inside else np.int64(-1)")
    return CudaProgram(module_text(arguments, grid_stride(body)), "scatter: rows of updates")


@lru_cache(maxsize=2)
def once_program(look: bool) -> CudaProgram:
    """The program by which each update marks its row, or looks whether another has marked it."""
    arguments = [("n", "int64"), ("rows", ROWS), ("marks", ROWS), ("found", "CPointer(int32)")]
    done = ["if marks[row] != i:", "    found[0] = np.int32(1)"] if look else ["marks[row] = i"]
    body = ["row = rows[i]", "if row >= 0:", *indented(done)]
    return CudaProgram(module_text(arguments, grid_stride(body)), "scatter: rows updated twice")


@lru_cache(maxsize=256)
def fold_program(folds: Folds, ordered: bool) -> CudaProgram | None:
    """The program that folds updates into rows; None if a step has no compiled meaning.

    Parameters
    ----------
    folds
        For each result its dtype and what it becomes; None of what its update replaces.
    ordered
        Whether rows are in order, and `order` has the numbers of the updates; else each row is
        updated once.
    """
    dtypes, count = [dtype for dtype, _ in folds], len(folds)
    updates = update_dtypes(folds)
    if not all(map(scalar_codegen.is_known, [*dtypes, *updates])):
        return None
    folded = update_statements(folds)
    if folded is None:
        return None
    arguments = [("n", "int64"), ("width", "int64"), ("count", "int64"), ("rows", ROWS)]
    arguments += [("order", ROWS)] * ordered
    arguments += [(f"x{k}", pointer_type(dtype)) for k, dtype in enumerate(dtypes)]
    arguments += [(f"u{k}", pointer_type(dtype)) for k, dtype in enumerate(updates)]
    moves = all(expression is None for _, expression in folds)
    cells = [f"v{k} = {loaded(f'x{k}[cell]', d)}" for k, d in enumerate(dtypes) if not moves]
    loads = [
        f"v{count + k} = {loaded(f'u{k}[number * width + c]', dtype)}"
        for k, dtype in enumerate(updates)
    ]
    stores = [f"x{k}[cell] = {to_store(f'{{}}{k}', dtype)}" for k, dtype in enumerate(dtypes)]
    body = ["p = i // width", "c = i - p * width", "row = rows[p]"]
    if moves or not ordered:
        last = "row >= 0 and (p + 1 == count or rows[p + 1] != row)"
        body += [f"if {last}:" if ordered else "if row >= 0:"]
        one = ["cell = row * width + c", f"number = {'order[p]' if ordered else 'p'}"]
        body += indented([*one, *cells, *loads, *folded, *[s.format("r") for s in stores]])
    else:
        body += ["if row >= 0 and (p == 0 or rows[p - 1] != row):"]
        loop = ["number = order[p]", *loads, *folded]
        loop += [*[f"v{k} = {_held(f'r{k}', dtype)}" for k, dtype in enumerate(dtypes)], "p += 1"]
        body += indented(["cell = row * width + c", *cells])
        body += indented(["while p < count and rows[p] == row:", *indented(loop)])
        body += indented([s.format("v") for s in stores])
    what = ", ".join(f"{'update' if e is None else e} of {dtype}" for dtype, e in folds)
    return CudaProgram(module_text(arguments, grid_stride(body)), f"scatter: {what}")


def _held(value: str, dtype: DType) -> str:
    """Text of a result as the cell that the next update finds."""
    return value if dtype.kind == "b" else f"{scalar_codegen.held_type_text(dtype)}({value})"
