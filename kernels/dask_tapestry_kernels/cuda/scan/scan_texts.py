"""The texts of CUDA kernels that walk the leaves of scans, from left to right as the CPU does.

A thread walks a leaf. Where neighbours in memory are of different lines, neighbouring threads walk
leaves of neighbouring lines (*columns*). Where they are of one leaf, a warp has 32 leaves, of which
it copies 32 cells at a time to shared memory and back, so that neighbouring threads read and write
neighbouring cells (*rows*).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

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
WARP: Final = 32
PITCH: Final = WARP + 1  # cells from a row of a tile to the next: a column is in all banks
SHARED: Final = 40_960  # bytes of shared memory of a block at most; a kernel has 49,152
WORDS: Final = 4  # of 8 bytes that a thread tells its warp of its leaf

TOTALS: Final = "totals"  # the total of each leaf
APART: Final = "apart"  # the scan of each leaf by itself
AFTER: Final = "after"  # the scan of each leaf, after the total of those before


class ScanText(NamedTuple):
    """What is scanned, as the text of a kernel depends on it.

    Attributes
    ----------
    function
        Name of the ufunc.
    cell, state, value
        Dtypes of cells, of what they are combined in, and of the result.
    """

    function: str
    cell: DType
    state: DType
    value: DType

    def read(self, cell: str) -> str | None:
        """Text of a cell's value in the dtype of the state."""
        return _cast(cell, self.cell, self.state)

    def combined(self, before: str, cell: str) -> str | None:
        """Text of what a total becomes with what follows."""
        if self.function == "later":
            return self._later(before, cell)
        kinds = [self.state, self.state]
        return scalar_codegen.step(self.function, [before, cell], kinds, self.state)

    def _later(self, before: str, cell: str) -> str | None:
        """Text of the cell, but of what came before where the cell alone is NaN."""
        no, none = (
            scalar_codegen.step("isnan", [value], [self.state], np.dtype(bool))
            for value in (cell, before)
        )
        return f"({before} if ({no}) and not ({none}) else {cell})" if no and none else None

    def written(self, value: str) -> str | None:
        """Text of a value in the dtype of the result, as it is in memory."""
        text = _cast(value, self.state, self.value)
        return text and to_store(text, self.value)

    @property
    def is_known(self) -> bool:
        """Whether all of it has a meaning on a GPU, with the bits of NumPy, which the CPU runs."""
        dtypes = (self.cell, self.state, self.value)
        if not all(map(scalar_codegen.is_known, dtypes)):
            return False
        if scalar_codegen.is_elementary(self.function, self.state):
            return False
        texts = (self.read("x"), self.combined("x", "y"), self.written("x"))
        return all(text is not None for text in texts)


def _cast(value: str, source: DType, target: DType) -> str | None:
    return value if source == target else scalar_codegen.step("cast", [value], [source], target)


@lru_cache(maxsize=256)
def scan_program(text: ScanText, way: str, kept: int, columns: bool, most: int) -> CudaProgram:
    """The program that walks leaves, and writes what `way` says.

    Parameters
    ----------
    text
        What is scanned; it is known.
    way
        `TOTALS`, `APART` or `AFTER`.
    kept
        Number of the axes across.
    columns
        Whether neighbouring threads have neighbouring lines.
    most
        Threads of a block.
    """
    walk = _Columns(text, way, kept) if columns else _Rows(text, way, kept, most)
    what = f"scan: {text.function} of {text.cell} in {text.state} to {text.value}"
    return CudaProgram(module_text(walk.arguments(), walk.lines()), what, walk.threads)


class _Walk:
    """What both kinds of text have in common."""

    threads = 0

    def __init__(self, text: ScanText, way: str, kept: int) -> None:
        self.text, self.way, self.kept = text, way, range(kept)
        self.held = scalar_codegen.held_type_text(text.state)

    def arguments(self) -> list[tuple[str, str]]:
        """Names and types of the kernel's arguments."""
        words = ["items", "leaves", "first", "leaf", "n", "skip", "begun"]
        words += [f"kept{k}" for k in self.kept]
        blocks = [("x", "cells", self.text.cell), ("y", "values", self.text.value)]
        if self.way == AFTER:
            blocks.append(("z", "befores", self.state))
        for array, _, _ in blocks:
            words += [f"{array}_along", *[f"{array}_{k}" for k in self.kept]]
        given = [(word, "int64") for word in words]
        return [*given, *[(name, pointer_type(dtype)) for _, name, dtype in blocks]]

    def _across(self, array: str) -> str:
        return " + ".join(["np.int64(0)", *[f"at{k} * {array}_{k}" for k in self.kept]])

    def _leaf(self, axes: Sequence[str], extents: Sequence[str]) -> list[str]:
        """Statements that find leaf `item`: its first cell, its width and what comes before it."""
        lines = coordinates("item", axes, extents, "int64")
        lines += ["number = first + g", "low = number * leaf", "width = min(leaf, n - low)"]
        lines += [f"read = {self._across('x')} + low * x_along"]
        if self.way == TOTALS:
            return [*lines, f"write = {self._across('y')} + g * y_along"]
        lines += [f"write = {self._across('y')} + (low - skip) * y_along"]
        if self.way == APART:
            return lines
        before = loaded(
            f"befores[{self._across('z')} + (number - 1 + begun) * z_along]", self.state
        )
        lines += ["follows = number + begun > 0", f"before = {self.held}(0)"]
        return [*lines, "if follows:", f"    before = {before}"]

    @property
    def state(self) -> DType:
        return self.text.state

    def _step(self, cell: str, place: str) -> list[str]:
        """Statements that fold a cell into ``total``."""
        combined = self.text.combined("total", "cell")
        return [f"cell = {cell}", f"total = {combined} if {place} > 0 else cell"]

    def _value(self) -> list[str]:
        """Statements for ``value``, which a cell becomes."""
        if self.way != AFTER:
            return ["value = total"]
        return [f"value = {self.text.combined('before', 'total')} if follows else total"]


class _Columns(_Walk):
    """A thread walks a leaf in memory; its neighbours walk leaves of neighbouring lines."""

    def lines(self) -> list[str]:
        """The statements of the kernel."""
        axes = ["g", *[f"at{k}" for k in self.kept]]
        extents = ["leaves", *[f"kept{k}" for k in self.kept]]
        cell = self.text.read(loaded("cells[read + c * x_along]", self.text.cell))
        body = ["item = i", *self._leaf(axes, extents[1:]), f"total = {self.held}(0)"]
        body += ["c = np.int64(0)"]
        steps = self._step(str(cell), "c")
        if self.way != TOTALS:
            store = f"values[write + c * y_along] = {self.text.written('value')}"
            steps += [*self._value(), "if low + c >= skip:", f"    {store}"]
        body += ["while c < width:", *indented([*steps, "c += 1"])]
        if self.way == TOTALS:
            body += [f"values[write] = {self.text.written('total')}"]
        return grid_stride(body, "items")


class _Rows(_Walk):
    """A warp walks 32 leaves in tiles of 32 cells of each."""

    def __init__(self, text: ScanText, way: str, kept: int, most: int) -> None:
        super().__init__(text, way, kept)
        size = max(text.state.itemsize, 4)
        warp = WARP * (PITCH * size + WORDS * 8)
        self.threads = WARP * max(1, min(most // WARP, SHARED // warp))

    def lines(self) -> list[str]:
        """The statements of the kernel."""
        loop = [*self._own_leaf(), *self._tiles()]
        if self.way == TOTALS:
            loop += ["if there:", f"    values[write] = {self.text.written('total')}"]
        shared = [f"tile = cuda.shared.array({self.threads * PITCH}, {self.held})"]
        told = self._exchanged_names()
        shared += [f"all_{name} = cuda.shared.array({self.threads}, np.int64)" for name in told]
        return [
            *shared,
            "thread = np.int64(cuda.threadIdx.x)",
            f"lane = thread % {WARP}",
            "warp = thread - lane",
            f"start = np.int64(cuda.blockIdx.x) * {self.threads}",
            f"step = np.int64(cuda.gridDim.x) * {self.threads}",
            "while start < items:",
            *indented([*loop, "start += step"]),
        ]

    def _exchanged_names(self) -> list[str]:
        """What threads of a warp tell each other of their leaves."""
        return ["read", "width"] if self.way == TOTALS else ["read", "width", "write", "low"]

    def _own_leaf(self) -> list[str]:
        axes = [*[f"at{k}" for k in self.kept], "g"]
        extents = [*[f"kept{k}" for k in self.kept], "leaves"]
        lines = ["there = start + thread < items", "item = min(start + thread, items - 1)"]
        lines += self._leaf(axes, extents[1:])
        lines += ["if not there:", "    width = np.int64(0)"]
        return [*lines, *[f"all_{name}[thread] = {name}" for name in self._exchanged_names()]]

    def _tiles(self) -> list[str]:
        cell = self.text.read(loaded("cells[all_read[row] + c * x_along]", self.text.cell))
        load = ["if c < all_width[row]:", f"    tile[row * {PITCH} + lane] = {cell}"]
        place = f"thread * {PITCH} + k"
        steps = self._step(f"tile[{place}]", "done + k")
        stores: list[str] = []
        if self.way != TOTALS:
            steps += [*self._value(), f"tile[{place}] = value"]
            value = self.text.written(f"tile[row * {PITCH} + lane]")
            write = [f"    values[all_write[row] + c * y_along] = {value}"]
            wanted = "if c < all_width[row] and all_low[row] + c >= skip:"
            stores = [*_over_rows([wanted, *write]), "cuda.syncthreads()"]
        tile = ["cuda.syncthreads()", "c = done + lane", *_over_rows(load), "cuda.syncthreads()"]
        tile += [f"stop = min(width - done, np.int64({WARP}))", "k = np.int64(0)"]
        tile += ["while k < stop:", *indented([*steps, "k += 1"]), "cuda.syncthreads()", *stores]
        lines = [f"total = {self.held}(0)", "done = np.int64(0)"]
        return [*lines, "while done < leaf:", *indented([*tile, f"done += {WARP}"])]


def _over_rows(body: Sequence[str]) -> list[str]:
    """Statements that run `body` for every ``row`` of a warp's tile."""
    return [f"for r in range({WARP}):", "    row = warp + r", *indented(body)]


@lru_cache(maxsize=256)
def after_program(text: ScanText, kept: int, columns: bool) -> CudaProgram:
    """The program that combines cells of scanned leaves with the totals before their leaves.

    Neighbouring threads take neighbouring cells, across the axis where those are in `columns`.
    """
    axes = range(kept)
    words = ["items", "n", "leaf", "skip", *[f"kept{k}" for k in axes]]
    words += [name for a in "xyz" for name in (f"{a}_along", *[f"{a}_{k}" for k in axes])]
    arguments = [(word, "int64") for word in words]
    arguments += [("cells", pointer_type(text.cell)), ("values", pointer_type(text.value))]
    arguments += [("befores", pointer_type(text.state))]
    names, extents = [f"at{k}" for k in axes], [f"kept{k}" for k in axes]
    order = (["c", *names], ["n", *extents]) if columns else ([*names, "c"], [*extents, "n"])
    lines = coordinates("i", order[0], order[1][1:], "int64")
    for array, along in (("x", "c"), ("y", "c"), ("z", "number")):
        if along == "number":
            lines += ["place = skip + c", "least = max(skip // leaf, np.int64(1))"]
            lines += ["number = max(place // leaf - least, np.int64(0))"]
        terms = [f"{along} * {array}_along", *[f"at{k} * {array}_{k}" for k in axes]]
        lines += [f"at_{array} = {' + '.join(terms)}"]
    local = text.read(loaded("cells[at_x]", text.cell))
    before = loaded("befores[at_z]", text.state)
    lines += [f"value = {local}", "if place >= leaf:", f"    before = {before}"]
    lines += [f"    value = {text.combined('before', 'value')}"]
    lines += [f"values[at_y] = {text.written('value')}"]
    what = f"scan: {text.function} in {text.state} to {text.value}, after totals"
    return CudaProgram(module_text(arguments, grid_stride(lines, "items")), what)
