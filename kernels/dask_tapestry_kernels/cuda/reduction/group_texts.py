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
from dask_tapestry_kernels.cuda.reduction.monoid_texts import (
    NUMBER_SPREADS,
    PLAIN,
    MonoidText,
    cell_value,
)
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
    load = [f"raw = {loaded(f'x[{place}]', text.cell)}"]
    load.append("place = (leaf * held + group) * columns + column")
    body += _over_cells(cell, [*load, *_folded(text, skipna)])
    if text.monoid in NUMBER_SPREADS:
        body += [*_means(text), *_over_cells(cell, [*load, *_squares(text, skipna)])]
    return CudaProgram(module_text(arguments, grid_stride(body)), key)


def _over_cells(cell: list[str], folded: list[str]) -> list[str]:
    """Statements that go through the cells of a leaf in C order, and fold those of groups."""
    return ["c = np.int64(0)", "while c < cells:", *indented([*cell, *indented(folded), "c += 1"])]


def _cell(text: MonoidText, skipna: bool) -> list[str]:
    """Statements for the value of a cell: that of no cells where it is left out."""
    lines = [f"cell = {cell_value('raw', text.cell, text.parts[0][1])}"]
    if not leaves_out(text, skipna):
        return lines
    missing = scalar_codegen.step("isnan", ["raw"], [text.cell], BOOL)
    return [*lines, f"missing = {missing}", "cell = identity if missing else cell"]


def leaves_out(text: MonoidText, skipna: bool) -> bool:
    """Whether cells may be left out."""
    return skipna and text.cell.kind in "fc"


def _folded(text: MonoidText, skipna: bool) -> list[str]:
    """Statements that fold the cell ``raw`` into the states at ``place``; spreads into sums."""
    (first, dtype), lines = text.parts[0], _cell(text, skipna)
    function = PLAIN.get(text.monoid, "add")
    function = {"fmin": "minimum", "fmax": "maximum"}.get(function, function)
    lines.append(f"state = {loaded(f'out_{first}[place]', dtype)}")
    made = scalar_codegen.step(function, ["state", "cell"], [dtype, dtype], dtype)
    store = f"out_{first}[place] = {to_store('made', dtype)}"
    if text.monoid in NUMBERS:
        lines += ["made = state", "if not missing:"]
        return [*lines, f"    made = cell if state != state else {made}", store]
    lines += [f"made = {made}", store]
    if "count" in text.fields:
        one = "np.int64(0) if missing else np.int64(1)"
        lines.append(f"out_count[place] += {one if leaves_out(text, skipna) else 'np.int64(1)'}")
    return lines


def _means(text: MonoidText) -> list[str]:
    """Statements that divide the sums of all groups of a leaf's column by their cells."""
    mean, m2 = text.fields["mean"], text.fields["m2"]
    by = scalar_codegen.step("cast", ["number"], [np.dtype(np.int64)], m2)
    quotient = scalar_codegen.step("divide", ["state", "by"], [mean, mean], mean)
    return [
        "group = np.int64(0)",
        "while group < held:",
        *indented(
            [
                "place = (leaf * held + group) * columns + column",
                f"state = {loaded('out_mean[place]', mean)}",
                "number = max(out_count[place], np.int64(1))",
                f"by = {by}",
                f"made = {quotient}",
                f"out_mean[place] = {to_store('made', mean)}",
                "group += 1",
            ]
        ),
    ]


def _squares(text: MonoidText, skipna: bool) -> list[str]:
    """Statements that add the squared deviation of the cell ``raw`` from its group's mean."""
    dtype = text.fields["m2"]
    kinds = [dtype, dtype]
    lines = [*_cell(text, skipna), f"state = {loaded('out_mean[place]', dtype)}"]
    lines.append(f"off = {scalar_codegen.step('subtract', ['cell', 'state'], kinds, dtype)}")
    lines.append(f"square = {scalar_codegen.step('multiply', ['off', 'off'], kinds, dtype)}")
    if leaves_out(text, skipna):
        lines.append("square = identity if missing else square")
    lines.append(f"state = {loaded('out_m2[place]', dtype)}")
    lines.append(f"made = {scalar_codegen.step('add', ['state', 'square'], kinds, dtype)}")
    return [*lines, f"out_m2[place] = {to_store('made', dtype)}"]
