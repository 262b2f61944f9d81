"""The text of a CUDA kernel that computes several steps of a stencil, tile by tile.

A block of threads copies a tile, and the cells around it that the steps need, to shared memory,
computes all steps there and writes the last one: memory is read and written once for all of them.
Of a step it computes what the ones after it read, which shrinks to the tile. A cell beyond an end
of the array is the one that it stands for, found by its coordinates.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, Final, NamedTuple

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
from dask_tapestry_kernels.formulas import scalar_codegen
from dask_tapestry_kernels.formulas.formula_steps import FormulaSteps, formula_steps

DType = np.dtype[Any]
Ints = tuple[int, ...]
SHARED: Final = 40_960  # bytes of shared memory of a block at most; a kernel has 49,152
MEMORY: Final = (
    2  # a cell of memory to one that is computed: an estimate from bandwidths of an H200
)
SIDES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)  # of tiles


class StencilTile(NamedTuple):
    """How many steps a launch computes, and the sides of its tiles."""

    steps: int
    sides: Ints

    def widest(self, reach: Ints) -> Ints:
        """Sides of the cells that the first step reads."""
        return tuple([n + 2 * self.steps * r for n, r in zip(self.sides, reach, strict=True)])


@lru_cache(maxsize=256)
def stencil_tile(shape: Ints, reach: Ints, steps: int, cell_bytes: int) -> StencilTile | None:
    """The tile whose steps take least; None if not one step has room.

    Examples
    --------
    >>> stencil_tile((6000, 6000), (1, 1), 8, 8)
    StencilTile(steps=4, sides=(32, 32))
    """
    best: tuple[float, StencilTile] | None = None
    for count in range(1, steps + 1):
        for sides in _all_sides(shape):
            tile = StencilTile(count, sides)
            read = prod(tile.widest(reach))
            if 2 * read * cell_bytes > SHARED:
                continue
            cost = _cost_of_step(tile, reach)
            if best is None or cost < best[0]:
                best = cost, tile
    if best is None:
        return None
    tile = best[1]
    launches = -(-steps // tile.steps)
    even = -(-steps // launches)  # of each launch, so that none is left with few
    return tile if even == tile.steps else stencil_tile(shape, reach, even, cell_bytes)


def _cost_of_step(tile: StencilTile, reach: Ints) -> float:
    """The cells that a step of a cell takes: in memory, which weigh more, and in shared memory."""
    cells = prod(tile.sides)
    computed = sum(prod(StencilTile(left, tile.sides).widest(reach)) for left in range(tile.steps))
    moved = cells + prod(tile.widest(reach))
    return (MEMORY * moved + computed) / (tile.steps * cells)


def _all_sides(shape: Ints) -> list[Ints]:
    """Sides of tiles, whose rows are at least 32 cells where there are as many."""
    found: list[Ints] = [()]
    for axis, extent in enumerate(shape):
        least = min(32, extent) if axis == len(shape) - 1 else 1
        fitting = [n for n in SIDES if least <= n and (n < 2 * extent or n == 1)] or [least]
        found = [(*sides, n) for sides in found for n in fitting]
    return found


@lru_cache(maxsize=64)
def stencil_program(
    program: Any, inputs: tuple[DType, ...], tile: StencilTile, threads: int
) -> CudaProgram | None:
    """The program of some steps; None if a formula has no compiled meaning.

    Parameters
    ----------
    program
        What a step computes, as operators say it: ``formulas``, ``taps``, ``ends``, ``reach``.
    inputs
        Dtypes of the fields and of what else is read.
    tile
        How many steps, and of which cells.
    threads
        Of a block.
    """
    formulas = [formula_steps(expression) for expression, _ in program.formulas]
    dtypes = [d for f in formulas for d in (*f.parameters, *[s.dtype for s in f.steps])]
    if not all(scalar_codegen.is_known(d) for d in (*dtypes, *inputs)):
        return None
    cells = [
        cell_statements(f.steps, [*f.parameters, *[s.dtype for s in f.steps]]) for f in formulas
    ]
    if None in cells:
        return None
    text = _Stencil(program, formulas, [c or [] for c in cells], inputs, tile, threads)
    what = f"{tile.steps} steps of {len(formulas)} fields"
    return CudaProgram(module_text(text.arguments(), text.lines()), what, threads)


class _Stencil:
    """The parts of the text of some steps."""

    def __init__(
        self,
        program: Any,
        formulas: Sequence[FormulaSteps],
        cells: Sequence[Sequence[str]],
        inputs: tuple[DType, ...],
        tile: StencilTile,
        threads: int,
    ) -> None:
        self.program, self.formulas, self.cells, self.inputs = program, formulas, cells, inputs
        self.tile, self.threads = tile, threads
        self.axes, self.fields = range(len(tile.sides)), range(len(formulas))
        widest = tile.widest(program.reach)
        self.room = prod(widest)
        self.pitches = [prod(widest[axis + 1 :]) for axis in self.axes]

    def arguments(self) -> list[tuple[str, str]]:
        """Names and types of the kernel's arguments."""
        words = ["tiles", "first_step", *[f"tiles{a}" for a in self.axes]]
        words += [f"{name}{a}" for a in self.axes for name in ("box_lo", "box_hi", "size")]
        for number in range(len(self.inputs)):
            words += [f"{name}{number}_{a}" for a in self.axes for name in ("low", "s")]
        words += [f"t{f}_{a}" for f in self.fields for a in self.axes]
        arguments = [(word, "int64") for word in words]
        arguments += [(f"x{n}", pointer_type(d)) for n, d in enumerate(self.inputs)]
        arguments += [
            (f"times{n}", pointer_type(scalar.dtype))
            for n, scalar in enumerate(self.program.scalars)
        ]
        for f, formula in enumerate(self.formulas):
            for number, constant in enumerate(formula.constants):
                half = constant.dtype.char == "e"
                arguments.append(
                    (f"k{f}_{number}", "float32" if half else memory_type(constant.dtype))
                )
        return arguments + [(f"out{f}", pointer_type(self._dtype(f))) for f in self.fields]

    def _dtype(self, field: int) -> DType:
        return self.inputs[field]

    def lines(self) -> list[str]:
        """The statements of the kernel."""
        shared = [
            f"field{f} = cuda.shared.array({2 * self.room}, "
            f"{scalar_codegen.held_type_text(self._dtype(f))})"
            for f in self.fields
        ]
        sides = self.tile.sides
        tile = coordinates(
            "number", [f"g{a}" for a in self.axes], [f"tiles{a}" for a in self.axes][1:], "int64"
        )
        for a in self.axes:
            far = self.tile.steps * self.program.reach[a]
            tile += [f"first{a} = box_lo{a} + g{a} * {sides[a]}"]
            tile += [f"last{a} = min(first{a} + {sides[a]}, box_hi{a})"]
            tile += [f"origin{a} = first{a} - {far}"]
        load = [f"field{f}[at] = {self._input_cell(f, (0,) * len(sides))}" for f in self.fields]
        tile += [*self._region(str(self.tile.steps)), *self._loop(load), "step = np.int64(1)"]
        step = [f"left = {self.tile.steps} - step", *self._region("left")]
        step += [f"write = (step % 2) * {self.room}", f"read = {self.room} - write"]
        step += [*self._loop(self._step()), "step += 1"]
        tile += [f"while step <= {self.tile.steps}:", *indented(step)]
        return [
            *shared,
            "thread = np.int64(cuda.threadIdx.x)",
            "number = np.int64(cuda.blockIdx.x)",
            "while number < tiles:",
            *indented([*tile, "number += np.int64(cuda.gridDim.x)"]),
        ]

    def _region(self, left: str) -> list[str]:
        """Statements for the cells that are needed where so many steps are left."""
        lines = []
        for a, (before, after) in enumerate(self.program.ends):
            lo, hi = f"first{a} - {left} * {self.program.reach[a]}", None
            hi = f"last{a} + {left} * {self.program.reach[a]}"
            lines.append(f"lo{a} = {lo}" if before.mode == "wrap" else f"lo{a} = max(0, {lo})")
            lines.append(f"hi{a} = {hi}" if after.mode == "wrap" else f"hi{a} = min(size{a}, {hi})")
            lines.append(f"n{a} = hi{a} - lo{a}")
        return [*lines, f"count = {' * '.join(f'n{a}' for a in self.axes)}"]

    def _loop(self, body: Sequence[str]) -> list[str]:
        """Statements that run `body` for all cells of the region, and wait for all threads."""
        names, extents = [f"c{a}" for a in self.axes], [f"n{a}" for a in self.axes]
        cell = coordinates("q", names, extents[1:], "int64")
        cell += [f"p{a} = lo{a} + c{a}" for a in self.axes]
        places = [f"(p{a} - origin{a}) * {self.pitches[a]}" for a in self.axes]
        cell += [f"at = {' + '.join(places)}", *body, f"q += {self.threads}"]
        return ["q = thread", "while q < count:", *indented(cell), "cuda.syncthreads()"]

    def _step(self) -> list[str]:
        """Statements that compute a cell of each field."""
        lines = []
        for f, (formula, (_, operands)) in enumerate(
            zip(self.formulas, self.program.formulas, strict=True)
        ):
            for number, operand in enumerate(operands):
                lines += self._operand(f"v{number}", operand)
            first = len(operands)
            lines += [f"v{first + n} = k{f}_{n}" for n in range(len(formula.constants))]
            value = f"v{len(formula.parameters) + len(formula.steps) - 1}"
            value = value if formula.steps else f"v{first - 1}"
            place = " + ".join(f"(p{a} - box_lo{a}) * t{f}_{a}" for a in self.axes)
            lines += [*self.cells[f], f"if step == {self.tile.steps}:"]
            lines += [f"    out{f}[{place}] = {to_store(value, self._dtype(f))}"]
            lines += ["else:", f"    field{f}[write + at] = {value}"]
        return lines

    def _operand(self, name: str, operand: int) -> list[str]:
        if operand < 0:
            dtype = self.program.scalars[-1 - operand].dtype
            return [f"{name} = {loaded(f'times{-1 - operand}[first_step + step - 1]', dtype)}"]
        source, offset = self.program.taps[operand]
        if source >= len(self.formulas):
            return [f"{name} = {self._input_cell(source, offset)}"]
        lines = [f"r{a} = p{a} + {offset[a]}" for a in self.axes]
        places = [f"(r{a} - origin{a}) * {self.pitches[a]}" for a in self.axes]
        value = f"{name} = field{source}[read + {' + '.join(places)}]"
        return [*lines, *self._boundary_lines(name, source, offset, value)]

    def _boundary_lines(self, name: str, source: int, offset: Ints, value: str) -> list[str]:
        """Statements that bring coordinates ``r`` into the array, or take the value beyond it.

        The axis that is filled last decides, so it is looked at first.
        """
        constants, lines = [], []
        for a in reversed(self.axes):
            before, after = self.program.ends[a]
            for end, is_beyond, edge in (
                (before, f"r{a} < 0", "np.int64(0)"),
                (after, f"r{a} >= size{a}", f"size{a} - 1"),
            ):
                if end.mode == "wrap" or (offset[a] >= 0 if edge[0] == "n" else offset[a] <= 0):
                    continue
                if end.mode == "constant":
                    constants.append((is_beyond, end.values[source]))
                    lines += [f"if {is_beyond} and beyond == 0:", f"    beyond = {len(constants)}"]
                    continue
                mirror = f"-1 - r{a}" if edge[0] == "n" else f"2 * size{a} - 1 - r{a}"
                moved = edge if end.mode == "edge" else mirror
                lines += [f"if {is_beyond}:", f"    r{a} = {moved}"]
        if not constants:
            return [*lines, value]
        dtype = self._dtype(source)
        lines = ["beyond = 0", *lines, "if beyond == 0:", f"    {value}"]
        for number, (_, constant) in enumerate(constants, start=1):
            value_beyond: Any = np.asarray(constant).astype(dtype)[()]
            text = scalar_codegen.constant(value_beyond)
            lines += [f"elif beyond == {number}:", f"    {name} = {text}"]
        return lines

    def _input_cell(self, source: int, offset: Ints) -> str:
        """Text of a cell of an input, so far from the one that is computed."""
        terms = [f"(p{a} + {offset[a]} - low{source}_{a}) * s{source}_{a}" for a in self.axes]
        return loaded(f"x{source}[{' + '.join(terms)}]", self.inputs[source])
