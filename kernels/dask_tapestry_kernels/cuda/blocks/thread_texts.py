"""The text of a CUDA kernel in which a thread computes one step of a body after the other.

A thread of the GPU is one of the user's: it goes through the cells of a step in a loop of its own,
and reads in the next step what it has written itself, so that nobody waits. Folds have the 32 lanes
of the CPU's leaves, scans its leaves from left to right.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry_kernels.cuda.cells.formula_texts import cell_statements
from dask_tapestry_kernels.cuda.jit.program import CudaProgram, memory_type, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    indented,
    loaded,
    module_text,
    to_store,
)
from dask_tapestry_kernels.cuda.reduction.leaf_texts import LANES
from dask_tapestry_kernels.cuda.reduction.monoid_texts import (
    OF_NUMBERS,
    MonoidText,
    combine_lanes,
    divided,
    new_fields,
    square_modulus,
)
from dask_tapestry_kernels.cuda.reduction.node_texts import divisor, finished
from dask_tapestry_kernels.cuda.scan.scan_texts import ScanText
from dask_tapestry_kernels.formulas import scalar_codegen
from dask_tapestry_kernels.formulas.formula_steps import FormulaSteps

DType = np.dtype[Any]
Lines = list[str]


class MapStep(NamedTuple):
    """A formula, of each of a thread's cells."""

    formula: FormulaSteps
    operands: int
    dims: int
    dtype: DType


class FoldStep(NamedTuple):
    """A fold of one leaf, of the first `reduced` of a thread's dimensions."""

    formula: FormulaSteps
    operands: int
    dims: int
    dtype: DType
    text: MonoidText
    reduced: int


class ScanStep(NamedTuple):
    """A scan along the last of a thread's dimensions, in leaves of so many cells."""

    text: ScanText
    dims: int
    leaf: int


Step = MapStep | FoldStep | ScanStep


@lru_cache(maxsize=256)
def thread_program(steps: tuple[Step, ...], rank: int) -> CudaProgram | None:
    """The program of steps, for threads of `rank` numbers; None if one has no compiled meaning."""
    arguments = [("n", "int64"), *[(f"n{d}", "int64") for d in range(rank)]]
    body = coordinates("i", [f"t{d}" for d in range(rank)], [f"n{d}" for d in range(rank)], "int64")
    arrays: Lines = []
    for number, step in enumerate(steps):
        lines = _lines(step, number)
        if lines is None:
            return None
        arguments += _arguments(step, number, rank)
        for block in range(_count(step) + 1):
            terms = [f"t{d} * i{number}_{block}_{d}" for d in range(rank)]
            body.append(f"base{block} = {' + '.join(terms)}")
        body += lines
        if isinstance(step, FoldStep):
            fields = step.text.fields.items()
            arrays += [f"l{number}_{n} = cuda.local.array({LANES}, {_held(d)})" for n, d in fields]
    what = f"threads: {len(steps)} steps"
    return CudaProgram(module_text(arguments, [*arrays, *grid_stride(body)]), what)


def _count(step: Step) -> int:
    """Blocks that a step reads; the one it writes follows them."""
    return 1 if isinstance(step, ScanStep) else step.operands


def _dtypes(step: Step) -> list[DType]:
    """Dtypes of the blocks of a step."""
    if isinstance(step, ScanStep):
        return [step.text.cell, step.text.value]
    return [*step.formula.parameters[: step.operands], step.dtype]


def _arguments(step: Step, number: int, rank: int) -> list[tuple[str, str]]:
    """Names and types of what a step is told: extents, strides in cells, constants and blocks."""
    dims, dtypes = range(step.dims), _dtypes(step)
    words = [f"e{number}_{d}" for d in dims]
    for block in range(len(dtypes)):
        words += [f"i{number}_{block}_{d}" for d in range(rank)]
        words += [f"s{number}_{block}_{d}" for d in dims]
    arguments = [(word, "int64") for word in words]
    if isinstance(step, FoldStep):
        arguments.append((f"by{number}", divisor(step.text).name))
    if not isinstance(step, ScanStep):
        for c, constant in enumerate(step.formula.constants):
            half = constant.dtype.char == "e"
            arguments.append((f"k{number}_{c}", "float32" if half else memory_type(constant.dtype)))
    return [*arguments, *[(f"x{number}_{b}", pointer_type(d)) for b, d in enumerate(dtypes)]]


def _lines(step: Step, number: int) -> Lines | None:
    if isinstance(step, ScanStep):
        return _scan_lines(step, number)
    cells = _cell_lines(step, number)
    if cells is None:
        return None
    if isinstance(step, MapStep):
        return _map_lines(step, number, cells)
    return _fold_lines(step, number, cells)


def _cell_lines(step: MapStep | FoldStep, number: int) -> Lines | None:
    """Statements that load the operands of a cell and compute its formula."""
    formula = step.formula
    dtypes = [*formula.parameters, *[formula_step.dtype for formula_step in formula.steps]]
    if not all(map(scalar_codegen.is_known, dtypes)):
        return None
    steps = cell_statements(formula.steps, dtypes)
    if steps is None:
        return None
    operands = sorted({i for formula_step in formula.steps for i in formula_step.operands})
    operands = operands if formula.steps else [len(dtypes) - 1]
    loads = []
    for p in operands:
        if p < step.operands:
            place = _place(number, p, range(step.dims))
            loads.append(f"v{p} = {loaded(f'x{number}_{p}[{place}]', dtypes[p])}")
        elif p < len(formula.parameters):
            loads.append(f"v{p} = k{number}_{p - step.operands}")
    return [*loads, *steps]


def _place(number: int, block: int, dims: Sequence[int]) -> str:
    """Text of the place of a cell in a block of a step, from its coordinates."""
    return " + ".join([f"base{block}", *[f"c{d} * s{number}_{block}_{d}" for d in dims]])


def _loop(name: str, number: int, dims: Sequence[int], body: Lines) -> Lines:
    """Statements that run `body` for all cells along some dimensions, in C order."""
    extents = [f"e{number}_{d}" for d in dims]
    count = " * ".join(["np.int64(1)", *extents])
    inner = coordinates(name, [f"c{d}" for d in dims], extents[1:], "int64")
    head = [f"{name} = np.int64(0)", f"{name}_cells = {count}", f"while {name} < {name}_cells:"]
    return [*head, *indented([*inner, *body, f"{name} += 1"])]


def _map_lines(step: MapStep, number: int, cells: Lines) -> Lines:
    target = f"x{number}_{step.operands}[{_place(number, step.operands, range(step.dims))}]"
    store = f"{target} = {to_store(_last(step.formula), step.dtype)}"
    return _loop("q", number, range(step.dims), [*cells, store])


def _fold_lines(step: FoldStep, number: int, cells: Lines) -> Lines | None:
    """Statements that fold a leaf for each kept cell."""
    text, kept_dims = step.text, range(step.reduced, step.dims)
    lines, state = finished(text)
    kinds, dtype = [state], step.dtype
    value_text = "state" if state == dtype else scalar_codegen.step("cast", ["state"], kinds, dtype)
    if value_text is None:
        return None
    cell = [*cells, "new_place = r", *new_fields(text, _last(step.formula))]
    new = {name: f"new_{name}" for name in text.in_lanes}
    body = _folded(step, number, cell, new)
    if "m2" in text.fields:
        body += _mean(step, number)
        off = ["off = new_mean - mean", f"square = {square_modulus('off', text.fields['mean'])}"]
        if text.monoid in OF_NUMBERS:
            off.append(f"square = {_held(text.fields['m2'])}(0) if missing else square")
        body += _folded(step, number, [*cell, *off], {"m2": "square"})
    body += [f"s_{name} = l{number}_{name}[0]" for name in text.names if name != "mean"]
    body += ["s_mean = mean"] * ("mean" in text.fields)
    target = f"x{number}_{step.operands}[{_place(number, step.operands, kept_dims)}]"
    body += [f"by = by{number}", *lines, f"value = {value_text}"]
    return _loop("q", number, kept_dims, [*body, f"{target} = {to_store('value', step.dtype)}"])


def _last(formula: FormulaSteps) -> str:
    """Name of the value of a formula."""
    return f"v{len(formula.parameters) + len(formula.steps) - 1}"


def _folded(step: FoldStep, number: int, cell: Lines, fields: dict[str, str]) -> Lines:
    """Statements that fold fields of all cells of a leaf, given as they are of one, to lane 0."""
    acc, lanes = [f"acc_{n}" for n in fields], [f"l{number}_{n}" for n in fields]
    loads = [f"{a} = {lane}[lane]" for a, lane in zip(acc, lanes, strict=True)]
    back = [f"{lane}[lane] = {a}" for a, lane in zip(acc, lanes, strict=True)]
    first = [f"{lane}[lane] = {new}" for lane, new in zip(lanes, fields.values(), strict=True)]
    fold = _combined(step.text, acc, list(fields.values()))
    each = ["lane = r % np.int64(32)", "if r < 32:", *indented(first)]
    each += ["else:", *indented([*loads, *fold, *back])]
    lines = _loop("r", number, range(step.reduced), [*cell, *each])
    other = [f"b_{n} = {lane}[lane + width]" for n, lane in zip(fields, lanes, strict=True)]
    halve = [*loads, *other, *_combined(step.text, acc, [f"b_{n}" for n in fields]), *back]
    lines.append(f"lanes = min(r_cells, np.int64({LANES}))")
    lines += [f"width = np.int64({LANES // 2})", "while width > 0:"]
    each = ["lane = np.int64(0)", "while lane < width and lane + width < lanes:"]
    lines += indented([*each, *indented([*halve, "lane += 1"]), "width = width // 2"])
    return lines


def _combined(text: MonoidText, into: Sequence[str], other: Sequence[str]) -> Lines:
    """Statements that fold fields of one pass over a leaf."""
    if list(into) == ["acc_m2"]:
        return [f"acc_m2 = acc_m2 + {other[0]}"]
    return combine_lanes(text, into, other)


def _mean(step: FoldStep, number: int) -> Lines:
    """Statements for the mean of a leaf, from which its deviations are taken."""
    mean, m2 = step.text.fields["mean"], step.text.fields["m2"]
    of_numbers = step.text.monoid in OF_NUMBERS
    cells = f"max(l{number}_count[0], np.int64(1))" if of_numbers else "r_cells"
    total = f"total = l{number}_mean[0]"
    return [total, f"by = {_held(m2)}({cells})", f"mean = {divided('total', 'by', mean)}"]


def _scan_lines(step: ScanStep, number: int) -> Lines:
    """Statements that walk the leaves of each line, after the totals of those before."""
    text, along = step.text, step.dims - 1
    all_dims = range(step.dims)
    cell = loaded(f"x{number}_0[{_place(number, 0, all_dims)}]", text.cell)
    begin = [f"before = {text.combined('before', 'total')} if r > {step.leaf} else total"]
    body = [f"c{along} = r", f"cell = {text.read(cell)}"]
    body += [f"if r > 0 and r % np.int64({step.leaf}) == 0:", *indented(begin)]
    body += [f"total = {text.combined('total', 'cell')} if r % np.int64({step.leaf}) > 0 else cell"]
    body += [f"value = {text.combined('before', 'total')} if r >= {step.leaf} else total"]
    body += [f"x{number}_1[{_place(number, 1, all_dims)}] = {text.written('value')}", "r += 1"]
    state_type = _held(text.state)
    start = [f"total = {state_type}(0)", f"before = {state_type}(0)", "r = np.int64(0)"]
    line = [*start, f"while r < e{number}_{along}:", *indented(body)]
    return _loop("q", number, range(along), line)


def _held(dtype: DType) -> str:
    """Text of the type in which a value is held."""
    return scalar_codegen.held_type_text(dtype)
