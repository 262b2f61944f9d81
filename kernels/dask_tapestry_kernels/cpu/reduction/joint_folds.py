"""Columns of several formulas, evaluated and folded by one loop: the text that is compiled.

Where each formula is evaluated to memory and then added to its accumulators, a cell is stored and
loaded again; here all formulas of a cell stay in registers. Rows are taken a few at a time, for
which accumulators are loaded and stored once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu.cells import rows
from dask_tapestry_kernels.cpu.reduction.leaf_tables import JOINT
from dask_tapestry_kernels.cpu.reduction.supported_folds import convertible
from dask_tapestry_kernels.formulas import scalar_codegen
from dask_tapestry_kernels.formulas.formula_steps import FormulaStep, formula_steps

DType = np.dtype[Any]

ARITY: Final = 1  #: the address of a record `leaf_tables.JOINT`
STEPS: Final = {
    "sum": "add", "add": "add", "mean": "add", "prod": "multiply", "min": "minimum",
    "max": "maximum", "fmin": "fmin", "fmax": "fmax",
}  # fmt: skip  # of monoids whose accumulator is one number: what joins it with a cell
MOST_STEPS: Final = 32  # of all formulas: each is in the text several times
STREAMS: Final = 8  # rows of operands that are read side by side: processors follow so many
MOST_ROWS: Final = 4
HEAD_WORDS: Final = len(JOINT.names or ())

HEAD: Final = f"""\
{scalar_codegen.IMPORTS}\
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import (
    apart, keep, operands_apart, pointer,
)

read = operands_apart({{formulas}})
{{accumulators}}


@njit("void(int64)", nogil=True, error_model="numpy")
def kernel(call):
    table = carray(pointer(call), ({{words}},), np.int64)
    columns, rows, first, at, far = table[2], table[3], table[4], table[5], table[6]
"""


class Joined(NamedTuple):
    """The steps of several formulas of the same blocks, each value once.

    Attributes
    ----------
    blocks
        Dtypes of the blocks.
    constants
        Of the constants, which follow the blocks.
    steps
        In order, over the blocks, the constants and the steps before.
    results
        Which value is that of each formula.
    still
        The blocks that have one cell in each row.
    """

    blocks: tuple[DType, ...]
    constants: tuple[DType, ...]
    steps: tuple[FormulaStep, ...]
    results: tuple[int, ...]
    still: tuple[int, ...] = ()

    @property
    def dtypes(self) -> list[DType]:
        """Of all values."""
        return [*self.blocks, *self.constants, *[step.dtype for step in self.steps]]


@lru_cache(maxsize=256)
def joint_source(
    monoid: str, state: DType, expressions: tuple[Any, ...], still: tuple[int, ...] = ()
) -> str | None:
    """The text of a kernel that folds formulas to accumulators of dtype `state`; None: by itself.

    The blocks that are `still` have one cell in each row. The bits are those of the formulas' cells
    in memory that are folded by the monoid.
    """
    if monoid not in STEPS or state.char not in "fdilILqQ":
        return None
    joined = _joined(expressions)._replace(still=still)
    cells = [joined.dtypes[i] for i in joined.results]
    careful = any(_is_costly(step, joined.dtypes) for step in joined.steps)
    if careful or len(joined.steps) > MOST_STEPS or not all(_is_wide(c, state) for c in cells):
        return None
    dtypes = joined.dtypes
    known = all(scalar_codegen.is_known(dtype) and dtype.char not in "eFD" for dtype in dtypes)
    made = _folded(joined, STEPS[monoid], state) if known else None
    return None if made is None else _text(joined, state, *made)


def _is_costly(step: FormulaStep, dtypes: Sequence[DType]) -> bool:
    """Whether a step takes far longer than a store: then each formula has a loop of its own."""
    return bool(step.operands) and scalar_codegen.is_elementary(
        step.function, dtypes[step.operands[-1]]
    )


def _is_wide(cell: DType, state: DType) -> bool:
    """Whether accumulators of cells of a dtype are of the dtype of the state."""
    narrow = cell.kind in "biu" and cell.itemsize <= 2
    return cell == state or (convertible(cell, state) and not narrow)


def _joined(expressions: Sequence[Any]) -> Joined:
    told = [formula_steps(expression) for expression in expressions]
    blocks = tuple(expressions[0].parameters)
    constants = tuple([np.dtype(c.dtype) for one in told for c in one.constants])
    steps = dict[FormulaStep, int]()
    results, before = [], len(blocks)
    for one in told:
        own = len(blocks) + len(one.constants)
        places = [*range(len(blocks)), *range(before, before + len(one.constants))]
        before += len(one.constants)
        for step in one.steps:
            moved = step._replace(operands=tuple(places[i] for i in step.operands))
            places.append(steps.setdefault(moved, len(blocks) + len(constants) + len(steps)))
        results.append(places[-1] if one.steps else places[own - 1])
    return Joined(blocks, constants, tuple(steps), tuple(results))


def _folded(joined: Joined, function: str, state: DType) -> tuple[list[str], list[str]] | None:
    """The statements that begin the accumulators ``a0``, ``a1``, ..., and that go on with them."""
    made = rows.statements(joined.steps, joined.dtypes)
    if made is None:
        return None
    begin, go_on = list(made), list(made)
    for number, result in enumerate(joined.results):
        kind = joined.dtypes[result]
        cell = f"v{result}"
        if kind != state:
            cast = scalar_codegen.step("cast", [cell], [kind], state)
            if cast is None:
                return None
            go_on.append(f"c{number} = {cast}")
            begin.append(f"c{number} = {cast}")
            cell = f"c{number}"
        step = scalar_codegen.step(function, [f"a{number}", cell], [state, state], state)
        if step is None:
            return None
        begin.append(f"a{number} = {cell}")
        go_on.append(f"a{number} = {step}")
    return begin, go_on


def _text(joined: Joined, state: DType, begin: Sequence[str], go_on: Sequence[str]) -> str:
    formulas, blocks = len(joined.results), len(joined.blocks)
    scalars = HEAD_WORDS + 2 * blocks
    accumulators = [f"read{i}, write{i} = apart({i}, {formulas})" for i in range(formulas)]
    places = [HEAD_WORDS + 2 * i for i in range(blocks)]
    lines = [f"x{i}, down{i} = table[{at}], table[{at + 1}]" for i, at in enumerate(places)]
    for i, dtype in enumerate(joined.constants):
        cells = f"carray(pointer(table[{scalars + i}]), (1,), {scalar_codegen.stored(dtype)})"
        lines.append(f"v{blocks + i} = {cells}[0]")
    lines += [f"at{i} = at + {i} * far" for i in range(formulas)]
    gathered = rows.gathered_in(go_on)
    lines += [f"{name} = {rows.KEPT[name]}(0)" for name in gathered]
    lines += _loops(joined, state, begin, go_on)
    lines += [f"keep({name})" for name in gathered]
    words = scalars + len(joined.constants)
    head = HEAD.format(formulas=formulas, accumulators="\n".join(accumulators), words=words)
    return head + "\n".join([*rows.indented(lines), ""])


def _loops(
    joined: Joined, state: DType, begin: Sequence[str], go_on: Sequence[str]
) -> Iterator[str]:
    """Loops over the rows, several of them together and the others one by one."""
    several = max(1, min(MOST_ROWS, STREAMS // len(joined.blocks)))
    further = [go_on] * several
    yield from ("row = np.int64(0)", f"if first and rows >= {several}:")
    yield from rows.indented(_loop(joined, state, [begin, *further[1:]], begins=True))
    yield "elif first:"
    yield from rows.indented(_loop(joined, state, [begin], begins=True))
    yield f"while row + {several} <= rows:"
    yield from rows.indented(_loop(joined, state, further))
    yield "while row < rows:"
    yield from rows.indented(_loop(joined, state, [go_on]))


def _loop(
    joined: Joined, state: DType, rounds: Sequence[Sequence[str]], begins: bool = False
) -> list[str]:
    """A loop over the columns of some rows, for each of which there are statements."""
    kind, formulas = scalar_codegen.stored(state), range(len(joined.results))
    blocks = sorted({i for step in joined.steps for i in step.operands} | set(joined.results))
    blocks = [i for i in blocks if i < len(joined.blocks)]
    lines = [f"p{i}_{r} = x{i} + (row + {r}) * down{i}" for i in blocks for r in range(len(rounds))]
    places = [(i, r) for i in blocks for r in range(len(rounds)) if i in joined.still]
    lines += [f"s{i}_{r} = {_read(f'p{i}_{r}', joined.blocks[i], '0')}" for i, r in places]
    cell = [] if begins else [f"a{f} = read{f}(at{f}, i, {kind}(0))" for f in formulas]
    for r, statements in enumerate(rounds):
        read = {
            i: f"s{i}_{r}" if i in joined.still else _read(f"p{i}_{r}", joined.blocks[i])
            for i in blocks
        }
        cell += [f"v{i} = {text}" for i, text in read.items()]
        cell += statements
    cell += [f"write{f}(at{f}, i, a{f})" for f in formulas]
    return [*lines, "for i in range(columns):", *rows.indented(cell), f"row += {len(rounds)}"]


def _read(address: str, dtype: DType, column: str = "i") -> str:
    if dtype.kind == "b":
        return f"read({address}, {column}, np.uint8(0)) != 0"
    return f"read({address}, {column}, {scalar_codegen.stored(dtype)}(0))"
