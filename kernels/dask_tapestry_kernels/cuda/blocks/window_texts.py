"""The texts of CUDA kernels over windows: a thread makes a cell of the result.

Neighbouring threads have neighbouring windows, which are nearly the same cells: a cell comes from
memory once, and from the caches for the other windows that have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.cells.formula_texts import place_text
from dask_tapestry_kernels.cuda.jit.program import CudaProgram, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    indented,
    loaded,
    module_text,
    to_store,
)
from dask_tapestry_kernels.formulas import scalar_codegen

DType = np.dtype[Any]
Arguments = list[tuple[str, str]]
DOUBLE: Final = np.dtype(np.float64)
TABLE: Final = "CPointer(int64)"


def cast(value: str, source: DType, target: DType) -> str | None:
    """Text of a value in another dtype."""
    return value if source == target else scalar_codegen.step("cast", [value], [source], target)


def from_double_text(value: str, source: DType, target: DType) -> str:
    """Text of what `from_double` yields of a value: integers towards zero, modulo their range."""
    if target.kind == "f" or source == target:
        return str(cast(value, source, target))
    whole = f"ufunc_loops.to_int64({value})" if source == DOUBLE else f"np.int64({value})"
    if target.kind == "b":
        return f"{whole} != 0"
    held = scalar_codegen.held_type_text(target)
    if target == np.uint64 and source == DOUBLE:
        return f"(np.uint64({value}) if {value} >= 9223372036854775808.0 else np.uint64({whole}))"
    return f"{held}({whole})"


def has_text(*dtypes: DType) -> bool:
    """Whether windows of such cells have a meaning on a GPU."""
    return all(scalar_codegen.is_known(d) and d.kind in "biuf" for d in dtypes)


def over_cells(
    body: Sequence[str], arguments: Arguments, blocks: Sequence[str], rank: int, wide: bool
) -> str:
    """Text of a kernel that runs `body` for each cell, at the places ``at_...`` in some blocks."""
    word = "uint64" if wide else "uint32"
    given = [("n", "int64"), *[(f"n{d}", word) for d in range(1, rank)]]
    given += [(f"{block}_{d}", "int64") for block in blocks for d in range(rank)]
    axes, extents = [f"c{d}" for d in range(rank)], [f"n{d}" for d in range(rank)]
    lines = coordinates("i", axes, extents[1:], word)
    lines += [f"at_{block} = {place_text(f'{block}_', rank)}" for block in blocks]
    return module_text([*given, *arguments], grid_stride([*lines, *body]))


@lru_cache(maxsize=128)
def sum_program(cell: DType, result: DType, sign: int, rank: int, wide: bool) -> CudaProgram:
    """The program of weighted sums of windows: terms of one cell, then of two."""
    first = cast(loaded("cells[at_x + first[t]]", cell), cell, DOUBLE)
    second = cast(loaded("cells[at_x + second[t]]", cell), cell, DOUBLE)
    body = ["total = np.float64(0)", "t = np.int64(0)", "while t < terms:"]
    body += [f"    term = {first}", "    if t >= singles:", f"        mirror = {second}"]
    body += [f"        term = term {'+' if sign > 0 else '-'} mirror"]
    body += ["    term = term * weights[t]", "    total = total + term", "    t += 1"]
    body += ["if divisor != 1:", "    total = total / divisor"]
    value = from_double_text("total", DOUBLE, result)
    body += [f"values[at_y] = {to_store(value, result)}"]
    arguments = [("singles", "int64"), ("terms", "int64"), ("divisor", "float64")]
    arguments += [("cells", pointer_type(cell)), ("first", TABLE), ("second", TABLE)]
    arguments += [("weights", "CPointer(float64)"), ("values", pointer_type(result))]
    what = f"windowsum of {cell} to {result}"
    return CudaProgram(over_cells(body, arguments, "xy", rank, wide), what)


@lru_cache(maxsize=128)
def extreme_program(
    fold: str, cell: DType, result: DType, added: bool, rank: int, wide: bool
) -> CudaProgram:
    """The program of minima or maxima over places, with an addend for each if any is `added`."""
    work = DOUBLE if added else cell
    own = cast(loaded("cells[at_x + first[t]]", cell), cell, work)
    better = scalar_codegen.step(fold, ["best", "cell"], [work, work], work)
    body = [f"best = {scalar_codegen.held_type_text(work)}(0)", "t = np.int64(0)"]
    step = [f"cell = {own}"]
    if added:
        step.append("cell = cell + addends[t]")
        if cell.kind != "f":
            integer = np.dtype(np.uint8) if cell.kind == "b" else cell
            narrow = from_double_text("cell", DOUBLE, integer)
            step += ["if t > 0:", f"    cell = np.float64({narrow})"]
    step += [f"best = {better} if t > 0 else cell", "t += 1"]
    body += ["while t < terms:", *indented(step)]
    body += [f"values[at_y] = {to_store(from_double_text('best', work, result), result)}"]
    arguments = [("terms", "int64"), ("cells", pointer_type(cell)), ("first", TABLE)]
    arguments += [("addends", "CPointer(float64)"), ("values", pointer_type(result))]
    what = f"windowextreme of {cell} to {result}"
    return CudaProgram(over_cells(body, arguments, "xy", rank, wide), what)


@lru_cache(maxsize=128)
def pair_program(function: str, cells: tuple[DType, DType, DType], rank: int) -> CudaProgram:
    """The program that folds cells of two blocks in the dtype of the third, which is written."""
    first_dtype, second_dtype, work = cells
    texts = [
        cast(loaded(f"{name}[at_{name}]", d), d, work)
        for name, d in zip("ab", cells[:2], strict=False)
    ]
    folded = scalar_codegen.step(function, ["first", "second"], [work, work], work)
    body = [f"first = {texts[0]}", f"second = {texts[1]}", f"folded = {folded}"]
    body += [f"y[at_y] = {to_store('folded', work)}"]
    arguments = [
        ("a", pointer_type(first_dtype)),
        ("b", pointer_type(second_dtype)),
        ("y", pointer_type(work)),
    ]
    what = f"windowfold: {function} of {first_dtype} and {second_dtype}"
    return CudaProgram(over_cells(body, arguments, "aby", rank, True), what)


@lru_cache(maxsize=64)
def converted_program(cell: DType, result: DType, divided: bool, rank: int) -> CudaProgram:
    """The program that converts cells, as `from_double` does; doubles are `divided` first."""
    value = loaded("x[at_x]", cell)
    body = [f"value = {value}", *(["value = value / divisor"] if divided else [])]
    body += [f"y[at_y] = {to_store(from_double_text('value', cell, result), result)}"]
    arguments = [("divisor", "float64"), ("x", pointer_type(cell)), ("y", pointer_type(result))]
    what = f"windowfold of {cell} to {result}"
    return CudaProgram(over_cells(body, arguments, "xy", rank, True), what)


@lru_cache(maxsize=64)
def convolution_program(dtype: DType, rank: int, wide: bool) -> CudaProgram:
    """The program of convolutions whose products are added in order: channels, then windows."""
    type_text = scalar_codegen.held_type_text(dtype)
    product = scalar_codegen.step("multiply", ["cell", "weight"], [dtype, dtype], dtype)
    added = scalar_codegen.step("add", ["total", "product"], [dtype, dtype], dtype)
    term = [
        f"cell = {loaded('cells[here + x_terms[t]]', dtype)}",
        f"weight = {loaded('weights[there + k_terms[t]]', dtype)}",
        f"product = {product}",
        f"total = {added}",
        "t += 1",
    ]
    channel = ["here = at_x + channel * x_channel", "there = at_k + channel * k_channel"]
    channel += ["t = np.int64(0)", "while t < terms:", *indented(term), "channel += 1"]
    body = [f"total = {type_text}(0)", "channel = np.int64(0)", "while channel < channels:"]
    body += [*indented(channel), f"values[at_y] = {to_store('total', dtype)}"]
    words = ("channels", "terms", "x_channel", "k_channel")
    arguments = [(word, "int64") for word in words]
    arguments += [("cells", pointer_type(dtype)), ("weights", pointer_type(dtype))]
    arguments += [("x_terms", TABLE), ("k_terms", TABLE), ("values", pointer_type(dtype))]
    what = f"directconvolution of {dtype}"
    return CudaProgram(over_cells(body, arguments, "xky", rank, wide), what)
