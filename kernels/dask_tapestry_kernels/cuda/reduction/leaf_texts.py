"""The text of a CUDA kernel that folds the leaves of the canonical tree, of a formula's cells.

The cells of a leaf go in turn to 32 lanes, which are 32 threads, and their accumulators are folded
by halves through shared memory. Where cells lie side by side along the reduced axes a leaf is a
warp's (*rows*); where they do along the kept axes, 32 leaves side by side are a block's of 1,024
threads, and its warps read 32 columns (*columns*). Either way neighbouring threads read
neighbouring cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.cells.formula_texts import cell_statements
from dask_tapestry_kernels.cuda.jit.program import CudaProgram, memory_type, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    indented,
    loaded,
    module_text,
    to_store,
)
from dask_tapestry_kernels.cuda.reduction.monoid_texts import (
    OF_NUMBERS,
    MonoidText,
    combine_lanes,
    divided,
    new_fields,
    square_modulus,
)
from dask_tapestry_kernels.formulas import scalar_codegen
from dask_tapestry_kernels.formulas.formula_steps import FormulaSteps

DType = np.dtype[Any]
LANES: Final = 32
HALVES: Final = (16, 8, 4, 2, 1)
COLUMNS: Final = 1024  # threads of a block, where a leaf is a column's


@lru_cache(maxsize=512)
def leaf_program(
    key: str,
    text: MonoidText,
    formula: FormulaSteps,
    count: int,
    reduced: int,
    kept: int,
    threads: int,
    columns: bool,
) -> CudaProgram | None:
    """The program of a fold's leaves; None if a step of its formula has no compiled meaning.

    Parameters
    ----------
    key
        What it computes, for errors.
    text
        The monoid.
    formula
        What the cells are made of, of `count` operands.
    reduced, kept
        Numbers of reduced axes, which come first, and of kept ones.
    threads
        Of a block, where a leaf is a warp's.
    columns
        Whether neighbouring threads have neighbouring columns.
    """
    dtypes = [*formula.parameters, *[step.dtype for step in formula.steps]]
    if not all(map(scalar_codegen.is_known, dtypes)):
        return None
    steps = cell_statements(formula.steps, dtypes)
    if steps is None:
        return None
    threads = COLUMNS if columns else threads
    leaves = _Leaves(text, formula, steps, dtypes, count, reduced, kept, threads, columns)
    source = module_text(leaves.arguments(), leaves.lines(), threads * columns)
    return CudaProgram(source, key, threads)


class _Leaves:
    """The parts of the text of one fold."""

    def __init__(
        self,
        text: MonoidText,
        formula: FormulaSteps,
        steps: Sequence[str],
        dtypes: Sequence[DType],
        count: int,
        reduced: int,
        kept: int,
        threads: int,
        columns: bool,
    ) -> None:
        self.text, self.formula, self.steps, self.dtypes = text, formula, steps, dtypes
        self.count, self.reduced, self.kept = count, range(reduced), range(kept)
        self.threads = threads
        self.apart = LANES if columns else 1  # threads from a lane to the next
        self.used = sorted({i for s in formula.steps for i in s.operands if i < count})
        if not formula.steps:
            self.used = [count - 1]

    def arguments(self) -> list[tuple[str, str]]:
        """Names and types of the kernel's arguments."""
        words = [f"{name}{a}" for a in self.reduced for name in ("grid", "extent", "side")]
        if "place" in self.text.fields:
            words += [f"{name}{a}" for a in self.reduced for name in ("origin", "whole")]
        words += [f"kept{k}" for k in self.kept]
        words += [f"s{p}_{a}" for p in range(self.count) for a in self.reduced]
        words += [f"t{p}_{k}" for p in range(self.count) for k in self.kept]
        given = [("leaves", "int64"), *[(word, "int64") for word in words]]
        given += [(f"x{p}", pointer_type(self.dtypes[p])) for p in range(self.count)]
        for i, constant in enumerate(self.formula.constants, start=self.count):
            half = constant.dtype.char == "e"
            given.append((f"v{i}", "float32" if half else memory_type(constant.dtype)))
        return [*given, *[(f"out_{name}", pointer_type(d)) for name, d in self.text.fields.items()]]

    def lines(self) -> list[str]:
        """The statements of the kernel."""
        at_once = self.threads // LANES
        shared = [
            f"shared_{name} = cuda.shared.array({self.threads}, {_held(dtype)})"
            for name, dtype in self.text.fields.items()
        ]
        numbers = ["thread = np.int64(cuda.threadIdx.x)", f"slow = thread // {LANES}"]
        numbers += [f"fast = thread - slow * {LANES}"]
        lane, own = ("slow", "fast") if self.apart == LANES else ("fast", "slow")
        return [
            *shared,
            *numbers,
            f"lane, own = {lane}, {own}",
            f"first = np.int64(cuda.blockIdx.x) * {at_once}",
            f"step = np.int64(cuda.gridDim.x) * {at_once}",
            "while first < leaves:",
            *indented([*self._leaf(), "first += step"]),
        ]

    def _leaf(self) -> list[str]:
        """Statements that fold leaf ``first + own``; threads of no leaf have no cells."""
        axes = [f"leaf{a}" for a in self.reduced] + [f"at{k}" for k in self.kept]
        extents = [f"grid{a}" for a in self.reduced] + [f"kept{k}" for k in self.kept]
        lines = ["number = first + own", "item = min(number, leaves - 1)"]
        lines += coordinates("item", axes, extents, "int64")
        for a in self.reduced:
            lines.append(f"low{a} = leaf{a} * side{a}")
            lines.append(f"width{a} = min(side{a}, extent{a} - low{a})")
        lines.append(f"cells = {' * '.join(f'width{a}' for a in self.reduced)}")
        for p in self.used:
            terms = [f"low{a} * s{p}_{a}" for a in self.reduced]
            terms += [f"at{k} * t{p}_{k}" for k in self.kept]
            lines.append(f"base{p} = {' + '.join(terms)}")
        lines += ["if number >= leaves:", "    cells = np.int64(0)"]
        lines += ["lanes = min(cells, np.int64(32))"]
        lines += self._steps_of_lanes()
        lines += self._one_pass()
        if "m2" in self.text.fields:
            lines += self._second_pass()
        lines += ["if lane == 0 and number < leaves:"]
        store = self.text.fields.items()
        lines += [f"    out_{n}[number] = {to_store(f'acc_{n}', d)}" for n, d in store]
        return [*lines, "cuda.syncthreads()"]

    def _steps_of_lanes(self) -> list[str]:
        """Statements that take 32 apart along the sides of the leaf: from a cell to the next."""
        lines = ["rest = np.int64(32)"]
        for a in reversed(self.reduced[1:]):
            lines += [f"step{a} = rest % width{a}", f"rest = rest // width{a}"]
        return [*lines, "step0 = rest"]

    def _first_cell(self) -> list[str]:
        axes, widths = [f"c{a}" for a in self.reduced], [f"width{a}" for a in self.reduced]
        return coordinates("lane", axes, widths, "int64")

    def _next_cell(self) -> list[str]:
        lines = []
        for a in reversed(self.reduced[1:]):
            lines += [f"c{a} += step{a}", f"if c{a} >= width{a}:"]
            lines += [f"    c{a} -= width{a}", f"    c{a - 1} += 1"]
        return [*lines, "c0 += step0", f"c += {LANES}"]

    def _cell(self) -> list[str]:
        """Statements that load the operands of a cell and compute its fields."""
        lines = []
        for p in self.used:
            terms = [f"c{a} * s{p}_{a}" for a in self.reduced]
            place = " + ".join([f"base{p}", *terms])
            lines.append(f"v{p} = {loaded(f'x{p}[{place}]', self.dtypes[p])}")
        number = [f"new_place = {self._place()}"] if "place" in self.text.fields else []
        return [*lines, *self.steps, *number, *new_fields(self.text, f"v{len(self.dtypes) - 1}")]

    def _one_pass(self) -> list[str]:
        """Statements that fold the cells and then the lanes."""
        names = self.text.in_lanes
        acc, new = [f"acc_{n}" for n in names], [f"new_{n}" for n in names]
        start = [f"acc_{n} = {_held(d)}(0)" for n, d in self.text.fields.items()]
        fold = ["if c < 32:", *indented([f"{a} = {b}" for a, b in zip(acc, new, strict=True)])]
        fold += ["else:", *indented(combine_lanes(self.text, acc, new))]
        others = [f"b_{n}" for n in names]
        halves = self._halves(names, combine_lanes(self.text, acc, others))
        return [*start, *self._over_cells(fold), *halves]

    def _over_cells(self, fold: Sequence[str]) -> list[str]:
        loop = indented([*self._cell(), *fold, *self._next_cell()])
        return [*self._first_cell(), "c = lane", "while c < cells:", *loop]

    def _place(self) -> str:
        """Text of the running number of a cell over the reduced axes."""
        number = "np.int64(0)"
        for a in self.reduced:
            number = f"({number}) * whole{a} + (origin{a} + low{a} + c{a})"
        return number

    def _second_pass(self) -> list[str]:
        """Statements that fold the squared deviations from the mean, which all lanes take."""
        mean, m2 = self.text.fields["mean"], self.text.fields["m2"]
        of_numbers = self.text.monoid in OF_NUMBERS
        cells = "max(acc_count, np.int64(1))" if of_numbers else "cells"
        quotient = divided("acc_mean", "by", mean)
        share = ["if lane == 0 and cells > 0:", f"    by = {_held(m2)}({cells})"]
        share += [f"    shared_mean[thread] = {quotient}"]
        lane0 = f"thread - lane * {self.apart}"
        fold = ["off = new_mean - acc_mean", f"square = {square_modulus('off', mean)}"]
        fold += [f"square = {_held(m2)}(0) if missing else square"] * of_numbers
        fold += ["if c < 32:", "    acc_m2 = square", "else:", "    acc_m2 = acc_m2 + square"]
        return [
            *share,
            "cuda.syncthreads()",
            f"acc_mean = shared_mean[{lane0}]",
            *self._over_cells(fold),
            *self._halves(["m2"], ["acc_m2 = acc_m2 + b_m2"]),
        ]

    def _halves(self, names: Sequence[str], fold: Sequence[str]) -> list[str]:
        """Statements that fold the lanes by halves; a lane that there is not is left out.

        A half reads what the other wrote, which is not written again before all have read.
        """
        lines = []
        for width in HALVES:
            lines += [f"if lane < {2 * width}:"]
            lines += indented([f"shared_{name}[thread] = acc_{name}" for name in names])
            lines += ["cuda.syncthreads()", f"if lane < {width} and lane + {width} < lanes:"]
            there = f"thread + {width * self.apart}"
            lines += indented([f"b_{name} = shared_{name}[{there}]" for name in names])
            lines += indented(fold)
        return lines


def _held(dtype: DType) -> str:
    """Text of the type in which a field is held."""
    return scalar_codegen.held_type_text(dtype)
