"""Rows of a sparse matrix times a block, in a compiled loop.

Where the cells of one operand lie apart, as those of one time do, the loop computes a row for four
of them at once, so that the matrix is read a fourth as often. Where they lie side by side it takes
lines of them, which vector instructions serve.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address, storage
from dask_tapestry_kernels.stopping import stop_if_asked

Block = np.ndarray[Any, Any]
DType = np.dtype[Any]

SMALL: Final = 16_384  # products; fewer are not worth a kernel that is not loaded
ARITY: Final = 12
TOGETHER: Final = 4  # operands that a row is computed for at once: 2 and 8 were a third slower
LINE: Final = 256  # cells side by side that a row is computed for at once
LEAST_LINE: Final = 16  # fewer are computed apart
CALL: Final = 2**26  # products between two looks at whether the block is still wanted

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def product(cells, places, values, starts, bases, outs, out, spare, rows, outers, step, lanes):
    s = carray(pointer(starts), (rows + 1,), np.int64)
    p = carray(pointer(places), (s[rows],), np.int64)
    w = carray(pointer(values), (s[rows] * {parts},), np.{real})
    b = carray(pointer(bases), (outers,), np.int64)
    t = carray(pointer(outs), (outers,), np.int64)
    least = carray(pointer(spare), (1,), np.float64)[0]
    if lanes == 1:
        done = outers // {together} * {together}
        for o in range(0, done, {together}):
{many}
        for o in range(done, outers):
{one}
    else:
        share = carray(pointer(spare + 8), ({line},), np.float64)
        for o in range(outers):
            for lane in range(0, lanes, {line}):
                n = min({line}, lanes - lane)
                for r in range(rows):
                    to = out + t[o] + r * step + lane * {out_size}
                    y = carray(pointer(to), (n * {parts},), np.{real})
                    for i in range(n * {parts}):
                        y[i] = 0
                    {clear}
                    for k in range(s[r], s[r + 1]):
                        at = cells + b[o] + p[k] + lane * {size}
                        x = carray(pointer(at), (n * {given},), np.{cell})
                        {weight}
                        for i in range(n):
{lane}
                    {finish}


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(product)
"""
ROW: Final = """\
{names}
            for r in range(rows):
{zeros}
                for k in range(s[r], s[r + 1]):
                    at = p[k]
                    {weight}
{steps}
{ends}"""


class Cell(NamedTuple):
    """How one cell is read, multiplied and written: lines of the loop's text."""

    real: str
    kind: str
    skipna: bool
    given: int  # numbers of an operand's cell: two of a complex one
    wide: str  # in which sums are taken

    @property
    def parts(self) -> int:
        """Numbers of a cell of the result."""
        return 2 if self.kind == "c" else 1

    def weight(self) -> str:
        """The matrix's cell at k."""
        if self.kind == "c":
            return "v, u = w[2 * k], w[2 * k + 1]"
        return f"v = {self.wide}(w[k])"

    def read(self, x: str, at: str) -> list[str]:
        """The operand's cell as `f`, or `f` and `g`."""
        if self.given == 2:
            return [f"f, g = {x}[{at} * 2], {x}[{at} * 2 + 1]"]
        found = [f"f = {self.wide}({x}[{at}])"]
        return [*found, f"g = {self.wide}(0)"] if self.kind == "c" else found

    def added(self, sums: Sequence[str], share: str) -> list[str]:
        """The product added to the sum, and the weight to the share where NaN is left out."""
        zero, lines = f"{self.wide}(0)", []
        if self.skipna:
            known = "(f == f) & (g == g)" if self.kind == "c" else "f == f"
            lines += [f"m = {known}", f"f = f if m else {zero}"]
            lines += [f"g = g if m else {zero}"] if self.kind == "c" else []
            lines += [f"{share} += np.float64(v) * (1.0 if m else 0.0)"]
        if self.kind == "c":
            return [*lines, f"{sums[0]} += v * f - u * g", f"{sums[1]} += v * g + u * f"]
        if self.kind == "b":
            return [*lines, f"{sums[0]} |= v & f"]
        return [*lines, f"{sums[0]} += v * f"]

    def finished(self, sums: Sequence[str], share: str) -> list[str]:
        """The sum over the share."""
        if not self.skipna:
            return []
        lines = [f"bad = {share} < least", f"q = 1.0 if bad else {share}"]
        for number, one in enumerate(sums):
            none = "np.nan" if number == 0 else "0.0"
            lines += [f"{one} = {self.wide}({none} if bad else np.float64({one}) / q)"]
        return lines


@lru_cache(maxsize=64)
def source(operand: DType, result: DType, skipna: bool) -> str | None:
    """The text of a module for cells of these dtypes; None where NumPy has to do.

    Parameters
    ----------
    operand, result
        Dtypes of the block, and of the matrix and the result.
    skipna
        Whether NaN is left out.
    """
    for dtype in (operand, result):
        if not dtype.isnative or dtype.kind not in "biufc" or dtype.char in "egG":
            return None
    real, cell = (storage(np.empty(0, d).real.dtype) for d in (result, operand))
    wide = {"i": "np.int64", "u": "np.uint64", "b": "np.uint8"}.get(result.kind, f"np.{real}")
    how = Cell(real, result.kind, skipna, 2 if operand.kind == "c" else 1, wide)
    return SOURCE.format(
        parts=how.parts,
        given=how.given,
        real=real,
        cell=cell,
        size=operand.itemsize,
        out_size=result.itemsize,
        together=TOGETHER,
        line=LINE,
        many=_rows(how, cell, TOGETHER),
        one=_rows(how, cell, 1),
        weight=how.weight(),
        arguments=", ".join(["int64"] * ARITY),
        **_line(how),
    )


def _rows(how: Cell, cell: str, count: int) -> str:
    """The loop over rows for `count` operands at once."""
    names, zeros, steps, ends = [], [], [], []
    for n in range(count):
        sums = [f"a{n}", f"c{n}"][: how.parts]
        names += [f"x{n}, y{n} = cells + b[o + {n}], out + t[o + {n}]"]
        zeros += [f"{sum_name} = {how.wide}(0)" for sum_name in sums]
        zeros += [f"q{n} = 0.0"] if how.skipna else []
        steps += [f"x = carray(pointer(x{n} + at), ({how.given},), np.{cell})"]
        steps += [*how.read("x", "0"), *how.added(sums, f"q{n}")]
        ends += how.finished(sums, f"q{n}")
        ends += [f"y = carray(pointer(y{n} + r * step), ({how.parts},), np.{how.real})"]
        ends += [f"y[{number}] = {sum_name}" for number, sum_name in enumerate(sums)]
    return ROW.format(
        names=_indented(names, 12),
        zeros=_indented(zeros, 16),
        weight=how.weight(),
        steps=_indented(steps, 20),
        ends=_indented(ends, 16),
    )


def _line(how: Cell) -> dict[str, str]:
    """The parts of the loop over cells side by side."""
    sums = [f"y[i * {how.parts} + {number}]" for number in range(how.parts)]
    steps = [*how.read("x", "i"), *how.added(sums, "share[i]")]
    finish = how.finished(sums, "share[i]")
    return {
        "lane": _indented(steps, 28),
        "clear": "share[:n] = 0" if how.skipna else "",
        "finish": "for i in range(n):\n" + _indented(finish, 24) if finish else "",
    }


def _indented(lines: Sequence[str], by: int) -> str:
    return "\n".join(" " * by + line for line in lines)


def product(
    results: Block,
    cells: Block,
    values: Block,
    indices: tuple[Block, ...],
    starts: Block,
    kept: int,
    least: float | None,
) -> bool:
    """Fill the results; False where NumPy has to do.

    Parameters
    ----------
    results, cells
        Blocks whose first `kept` axes are the same; the others are those of rows, and of columns.
    places
        Coordinates of the matrix's cells along the axes of columns, or along the line of all.
    starts
        Where rows begin among these.
    least
        As `sparse_matmul.sparse_matmul` has it.
    """
    work = values.size * prod(cells.shape[:kept])
    step = one_step(results.shape[kept:], results.strides[kept:])
    if work < SMALL or step is None or not results.flags.aligned:
        return False
    text = source(cells.dtype, results.dtype, least is not None)
    native = None if text is None else compiled(text, ARITY, "sparse products", work)
    if native is None:
        return False
    outer, lanes = _lanes(cells, results, kept)
    offsets = _offsets(indices, cells, kept)
    bases, outs = (byte_table(block.strides, block.shape[:outer]) for block in (cells, results))
    spare = np.empty(1 + LINE)
    spare[0] = 0.0 if least is None else least
    weights, begins = np.ascontiguousarray(values), np.ascontiguousarray(starts, np.int64)
    whole = [address(one) for one in (cells, offsets, weights, begins)]
    for part in _calls(len(bases), max(1, values.size * lanes)):
        stop_if_asked()
        ways = [address(bases[part]), address(outs[part]), address(results), address(spare)]
        native(*whole, *ways, begins.size - 1, len(bases[part]), step, lanes)
    return True


def one_step(shape: Sequence[int], strides: Sequence[int]) -> int | None:
    """Bytes from each cell to the next in C order; None where they differ."""
    step, run = None, 1
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if n == 1:
            continue
        step = stride if step is None else step
        if stride != step * run:
            return None
        run *= n
    return step or 0


def _lanes(cells: Block, results: Block, kept: int) -> tuple[int, int]:
    """How many of the kept axes are outer ones, and how many cells lie side by side in others."""
    axis, lanes = kept, 1
    ways = list(zip(cells.shape, cells.strides, results.strides, strict=False))[:kept]
    while axis:
        n, one, other = ways[axis - 1]
        if n != 1 and (one != lanes * cells.itemsize or other != lanes * results.itemsize):
            break
        axis, lanes = axis - 1, lanes * n
    return (axis, lanes) if lanes >= LEAST_LINE else (kept, 1)


def _offsets(indices: tuple[Block, ...], cells: Block, kept: int) -> Block:
    """Bytes to the cells that the matrix's are multiplied with, from where the grid begins."""
    sides, strides = cells.shape[kept:], cells.strides[kept:]
    if len(indices) < len(sides):
        step = one_step(sides, strides)
        if step is not None:
            return indices[0] * step
        indices = np.unravel_index(indices[0], sides)
    offsets = np.zeros(indices[0].shape, np.int64)
    for axis_indices, stride in zip(indices, strides, strict=True):
        offsets += axis_indices * stride
    return offsets


def byte_table(strides: Sequence[int], shape: Sequence[int]) -> Block:
    """Bytes from the first cell of a block to each along its first axes, in C order."""
    table = np.zeros(1, np.int64)
    for n, stride in zip(shape, strides, strict=False):
        table = np.add.outer(table, stride * np.arange(n)).ravel()
    return table


def _calls(count: int, each: int) -> Iterator[slice]:
    """Parts of `count` operands of `each` products: some of them at a time."""
    many = max(TOGETHER, CALL // each // TOGETHER * TOGETHER)
    for begin in range(0, count, many):
        yield slice(begin, begin + many)
