"""The text of a CUDA kernel that looks cells up in a sorted table by halves, a thread a cell."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np

from dask_tapestry_kernels.cuda.cells.formula_texts import place_text
from dask_tapestry_kernels.cuda.jit.program import CudaProgram, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    loaded,
    module_text,
    to_store,
)
from dask_tapestry_kernels.formulas import scalar_codegen

DType = np.dtype[Any]
Answer = Literal["place", "far place", "bin", "is there", "is not there"]
INT64: Final = np.dtype(np.int64)


@lru_cache(maxsize=256)
def search_program(
    cell: DType, table: DType, dtype: DType, answer: Answer, right: bool, rank: int, wide: bool
) -> CudaProgram | None:
    """The program that looks cells up; None where a GPU has no order of them.

    Parameters
    ----------
    cell, table, dtype
        Dtypes of the cells, of the table and of the result.
    answer
        What is asked: the place of a cell, that place counted from the end, the number of its bin
        (the last one of which holds its upper edge), or whether the table has it.
    right
        Whether a place is behind equal cells.
    rank, wide
        As of `formula_program`.
    """
    kind = common_dtype(cell, table)
    if kind is None:
        return None
    values = cast("v", cell, kind), cast("e", table, kind)
    stored = cast("number", INT64, dtype) if "there" not in answer else "there"
    if values[0] is None or values[1] is None or stored is None:
        return None
    word, axes = "uint64" if wide else "uint32", range(rank)
    arguments = [("n", "int64"), *[(f"n{d}", word) for d in axes[1:]]]
    arguments += [(f"{side}{d}", "int64") for side in "st" for d in axes] + [("count", "int64")]
    arguments += [("x", pointer_type(cell)), ("table", pointer_type(table))]
    arguments.append(("out", pointer_type(dtype)))
    read = f"x[{place_text('s', rank)}]"
    below = less("key", "other", kind) if right else f"not ({less('other', 'key', kind)})"
    body = [
        *coordinates("i", [f"c{d}" for d in axes], [f"n{d}" for d in axes], word),
        f"v = {loaded(read, cell)}",
        f"key = {values[0]}",
        "low, high = np.int64(0), count",
        "while low < high:",
        "    number = (low + high) >> 1",
        f"    e = {loaded('table[number]', table)}",
        f"    other = {values[1]}",
        f"    if {below}:",
        "        high = number",
        "    else:",
        "        low = number + 1",
        "number = low",
        *_answered(answer, loaded("table[place]", table), values[1]),
        f"value = {stored}",
        f"out[{place_text('t', rank)}] = {to_store('value', dtype)}",
    ]
    return CudaProgram(module_text(arguments, grid_stride(body)), f"search of {cell} in {table}")


def common_dtype(cell: DType, table: DType) -> DType | None:
    """The dtype in which cells and a table are compared; None where a GPU has no order of it.

    NumPy compares int64 with uint64 as float64 in searches, and as they are elsewhere: not here.
    """
    kind = np.result_type(cell, table)
    mixed = kind.kind == "f" and "f" not in cell.kind + table.kind
    return kind if scalar_codegen.is_known(kind) and kind.kind in "biuf" and not mixed else None


def cast(value: str, dtype: DType, to: DType) -> str | None:
    """Text of a value in another dtype."""
    return value if dtype == to else scalar_codegen.step("cast", [value], [dtype], to)


def less(a: str, b: str, kind: DType) -> str:
    """Text of whether `a` comes before `b`: a NaN comes last."""
    plain = str(scalar_codegen.step("less", [a, b], [kind, kind], np.dtype(bool)))
    return f"{plain} or ({b} != {b} and {a} == {a})" if kind.kind == "f" else plain


def _answered(answer: Answer, read: str, value: str) -> list[str]:
    """Statements that turn the place ``low`` into what is asked."""
    if answer == "place":
        return []
    if answer == "far place":
        return ["number = count - number"]
    at = "count - 1" if answer == "bin" else "min(low, count - 1)"
    lines = [f"place = {at}", f"e = {read}", f"other = {value}"]
    if answer == "bin":
        return [*lines, "if count > 1 and key == other:", "    number = count - 1"]
    return [*lines, f"there = key {'==' if answer == 'is there' else '!='} other"]
