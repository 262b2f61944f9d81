"""The text of a CUDA kernel that folds the cells of each group of a leaf.

A thread has a column of a leaf, and folds its cells in C order into the table of that leaf.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry_kernels.cuda.jit.program import CudaProgram, memory_type, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    indented,
    loaded,
    module_text,
    number_text,
    to_store,
)
from dask_tapestry_kernels.cuda.reduction.monoid_texts import PLAIN, MonoidText, cell_value
from dask_tapestry_kernels.formulas import scalar_codegen

DType = np.dtype[Any]
BOOL = np.dtype(bool)
NUMBERS = ("fmin", "fmax")  # the best of what is no NaN: NaN of none


@lru_cache(maxsize=128)
def group_program(
    key: str, text: MonoidText, skipna: bool, code: DType, reduced: int, kept: int
) -> CudaProgram:
    """The program that folds groups into tables, which hold the states of no cells.

    Parameters
    ----------
    key
        What it computes, for errors.
    text
        The monoid.
    skipna
        Whether NaN is left out.
    code
        Dtype of the numbers of the groups.
    reduced, kept
        Numbers of folded axes, which come first, and of kept ones.
    """
    axes, columns = range(reduced), range(kept)
    first = text.parts[0][1]
    words = [f"{name}{a}" for a in axes for name in ("grid", "extent", "side")]
    words += [f"kept{k}" for k in columns]
    words += [f"{name}{a}" for name in "se" for a in axes] + [f"t{k}" for k in columns]
    words += ["columns", "first", "held"]
    arguments = [("n", "int64"), *[(word, "int64") for word in words]]
    identity = "float32" if first.char == "e" else memory_type(first)
    arguments += [("identity", identity), ("x", pointer_type(text.cell))]
    arguments += [("codes", pointer_type(code))]
    arguments += [(f"out_{name}", pointer_type(dtype)) for name, dtype in text.parts]
    body = ["leaf = i // columns", "column = i - leaf * columns"]
    body += coordinates("leaf", [f"leaf{a}" for a in axes], [f"grid{a}" for a in axes], "int64")
    body += coordinates(
        "column", [f"at{k}" for k in columns], [f"kept{k}" for k in columns], "int64"
    )
    for a in axes:
        body += [f"low{a} = leaf{a} * side{a}", f"width{a} = min(side{a}, extent{a} - low{a})"]
    body.append(f"cells = {' * '.join(f'width{a}' for a in axes)}")
    body.append(f"base = {' + '.join(f'at{k} * t{k}' for k in columns) or 'np.int64(0)'}")
    place = " + ".join(["base", *[f"(low{a} + c{a}) * s{a}" for a in axes]])
    there = " + ".join(f"(low{a} + c{a}) * e{a}" for a in axes)
    cell = coordinates("c", [f"c{a}" for a in axes], [f"width{a}" for a in axes], "int64")
    cell.append(f"group = {number_text(f'codes[{there}]', code)} - first")
    cell += ["if group >= 0 and group < held:"]
    folded = [f"raw = {loaded(f'x[{place}]', text.cell)}"]
    folded += ["place = (leaf * held + group) * columns + column", *_folded(text, skipna)]
    cell += [*indented(folded), "c += 1"]
    body += ["c = np.int64(0)", "while c < cells:", *indented(cell)]
    return CudaProgram(module_text(arguments, grid_stride(body)), key)


def _folded(text: MonoidText, skipna: bool) -> list[str]:
    """Statements that fold the cell ``raw`` into the states at ``place``."""
    first, dtype = text.parts[0]
    lines = [f"cell = {cell_value('raw', text.cell, dtype)}"]
    leaves_out = skipna and text.cell.kind in "fc"
    if leaves_out:
        lines.append(f"missing = {scalar_codegen.step('isnan', ['raw'], [text.cell], BOOL)}")
        lines.append("cell = identity if missing else cell")
    function = {"nanmean": "add"}.get(text.monoid, PLAIN.get(text.monoid, ""))
    function = {"fmin": "minimum", "fmax": "maximum"}.get(function, function)
    lines.append(f"state = {loaded(f'out_{first}[place]', dtype)}")
    made = scalar_codegen.step(function, ["state", "cell"], [dtype, dtype], dtype)
    store = f"out_{first}[place] = {to_store('made', dtype)}"
    if text.monoid in NUMBERS:
        lines += ["made = state", "if not missing:"]
        return [*lines, f"    made = cell if state != state else {made}", store]
    lines += [f"made = {made}", store]
    if "count" in text.fields:
        one = "np.int64(0) if missing else np.int64(1)" if leaves_out else "np.int64(1)"
        lines.append(f"out_count[place] += {one}")
    return lines
