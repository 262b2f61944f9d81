"""Updates folded into rows in a compiled loop, whose text is made of cell expressions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled, required
from dask_tapestry_kernels.cpu.jit.memory_layout import address
from dask_tapestry_kernels.formulas import scalar_codegen
from dask_tapestry_kernels.formulas.update_steps import (
    Folds,
    only_moves,
    update_dtypes,
    update_statements,
)

Block = np.ndarray[Any, Any]
DType = np.dtype[Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
ARITY: Final = 6
WORDS: Final = {1: "B", 2: "H", 4: "I", 8: "L", 16: "D"}  # dtypes that move cells of so many bytes

SOURCE: Final = (
    scalar_codegen.IMPORTS
    + """\
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


@njit("void({arguments})", nogil=True, error_model="numpy")
def kernel(results, updates, places, count, row, rows):
    there = carray(pointer(results), ({n},), np.int64)
    given = carray(pointer(updates), ({n},), np.int64)
    p = carray(pointer(places), (count,), np.int64)
    if row == 1:
{arrays}
        for k in range(count):
            at = p[k]
            if at >= 0:
{cell}
    else:
        for k in range(count):
            if p[k] >= 0:
                at = p[k] * row
{rows}
                for i in range(row):
{row_cell}
"""
)

PLACES: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


@njit("void(int64, int64, int64)", nogil=True, error_model="numpy")
def kernel(told, places, count):
    t = carray(pointer(told), ({fields},), np.int64)
    o = carray(pointer(places), (count,), np.int64)
    for k in range(count):
        inside, at = True, 0
{components}
        o[k] = at if inside else -1
"""
COMPONENT: Final = """\
        i = np.int64(carray(pointer(t[{first}] + k * t[{first} + 1]), (1,), np.{dtype})[0])
        i += t[{first} + 2]
        inside &= (i >= 0) & (i < t[{first} + 3])
        at += i * t[{first} + 4]"""


class Component(NamedTuple):
    """Part of index vectors: how a place follows from it.

    Attributes
    ----------
    cells
        The part, for all vectors.
    shift
        What is added for a coordinate of the block.
    side
        Of the block along it.
    stride
        Rows from one coordinate to the next.
    """

    cells: Block
    shift: int
    side: int
    stride: int


def places(components: Sequence[Component], shape: tuple[int, ...]) -> Block | None:
    """Numbers of rows that index vectors name, -1 for none; None where no kernel serves."""
    count = prod(shape)
    if count < SMALL or not components:
        return None
    dtype = components[0].cells.dtype
    if not dtype.isnative:
        return None
    native = compiled(places_source(len(components), dtype.name), 3, "places", count)
    if native is None:
        return None
    lines = [c.cells.reshape(-1) for c in components]
    told = [
        (address(line), line.strides[0], c.shift, c.side, c.stride)
        for line, c in zip(lines, components, strict=True)
    ]
    table, result = np.array(told, np.int64), np.empty(shape, np.int64)
    native(address(table), address(result), count)
    return result


@lru_cache(maxsize=64)
def places_source(count: int, dtype: str) -> str:
    """The text of a module for vectors of `count` parts of an integer dtype."""
    fields = len(Component._fields) + 1
    parts = [COMPONENT.format(first=fields * n, dtype=dtype) for n in range(count)]
    return PLACES.format(fields=fields * count, components="\n".join(parts))


def fold(
    results: Sequence[Block],
    updates: Sequence[Block],
    row_numbers: Block,
    row: int,
    expressions: tuple[Any, ...],
    wait: bool = False,
) -> bool:
    """Fold updates into the rows that `row_numbers` number; False where no kernel serves.

    Parameters
    ----------
    results
        In C order.
    row
        Cells of a row.
    wait
        For the kernel, whatever it takes.
    """
    cells = row_numbers.size * row
    if (cells < SMALL and not wait) or any(r.dtype.hasobject for r in results):
        return False
    words = tuple(_move_dtype(r.dtype) for r in results) if only_moves(expressions) else None
    if words and None not in words:
        text = source(tuple((w, None) for w in words))
    else:
        text = source(tuple((r.dtype, e) for r, e in zip(results, expressions, strict=True)))
    if text is None:
        return False
    if wait:
        native: Any = required(text, ARITY, "scattering")
    else:
        native = compiled(text, ARITY, "scattering", cells)
    if native is None:
        return False
    arrays = [np.ascontiguousarray(u) for u in updates]
    there = np.array([address(r) for r in results], np.int64)
    update_cells = np.array([address(u) for u in arrays], np.int64)
    last = results[0].size // max(1, row)
    native(*map(address, (there, update_cells, row_numbers)), row_numbers.size, row, last)
    return True


def _move_dtype(dtype: DType) -> DType | None:
    """A dtype by which cells of `dtype` can be moved."""
    return np.dtype(WORDS[dtype.itemsize]) if dtype.itemsize in WORDS else None


@lru_cache(maxsize=256)
def source(folds: Folds) -> str | None:
    """The text of a module for results of these dtypes and their expressions; None without one.

    An expression that is None is the update.
    """
    count = len(folds)
    if not all(
        map(scalar_codegen.is_known, [*(dtype for dtype, _ in folds), *update_dtypes(folds)])
    ):
        return None
    cell, row_cell = (_cell(folds, *names) for names in (("at", "k"), ("i", "i")))
    if cell is None or row_cell is None:
        return None
    arrays: dict[str, list[str]] = {"results": [], "updates": []}
    rows: dict[str, list[str]] = {"results": [], "updates": []}
    for n, ((dtype, _), given) in enumerate(zip(folds, update_dtypes(folds), strict=True)):
        kind, size = scalar_codegen.stored(dtype), dtype.itemsize
        own, own_size = scalar_codegen.stored(given), given.itemsize
        arrays["results"].append(f"x{n} = carray(pointer(there[{n}]), (rows,), {kind})")
        arrays["updates"].append(f"u{n} = carray(pointer(given[{n}]), (count,), {own})")
        rows["results"].append(f"x{n} = carray(pointer(there[{n}] + at * {size}), (row,), {kind})")
        rows["updates"].append(
            f"u{n} = carray(pointer(given[{n}] + k * row * {own_size}), (row,), {own})"
        )
    return SOURCE.format(
        n=count,
        arguments=", ".join(["int64"] * ARITY),
        arrays=_indented([*arrays["results"], *arrays["updates"]], 2),
        cell=_indented(cell, 4),
        rows=_indented([*rows["results"], *rows["updates"]], 4),
        row_cell=_indented(row_cell, 5),
    )


def _indented(lines: Sequence[str], depth: int) -> str:
    return "\n".join("    " * depth + line for line in lines)


def _cell(folds: Folds, result: str, update: str) -> list[str] | None:
    """Statements that fold one update, found at `update`, into the cells at `result`."""
    dtypes, count = [dtype for dtype, _ in folds], len(folds)
    both = [*dtypes, *update_dtypes(folds)]
    values = [f"x{n}[{result}]" for n in range(count)] + [f"u{n}[{update}]" for n in range(count)]
    loads = [scalar_codegen.loaded(value, both[n]) for n, value in enumerate(values)]
    lines = [f"v{n} = {load}" for n, load in enumerate(loads)]
    folded = update_statements(folds)
    if folded is None:
        return None
    stores = [scalar_codegen.to_store(f"r{n}", dtype) for n, dtype in enumerate(dtypes)]
    return lines + folded + [f"x{n}[{result}] = {store}" for n, store in enumerate(stores)]
