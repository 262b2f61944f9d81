"""Rows: the source text of a compiled loop over cells, from a cell expression.

A row is ``row(n, inputs, out)``: n cells of each operand lie side by side at the addresses that
`inputs` points to, and the results are written side by side. One statement a step, in the dtype of
the step, no contraction and no reassociation: the bits are those of one ufunc after the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.formulas import scalar_codegen
from dask_tapestry_kernels.formulas.formula_steps import (
    FormulaStep,
    formula_steps,
    is_careful,
    needs_care,
    step_text,
)
from dask_tapestry_kernels.formulas.function_table import facts_of, is_quiet_step

DType = np.dtype[Any]
ARITY: Final = 3
KEPT: Final = {"kept64": "np.int64", "kept32": "np.int32"}  # bits of branches, gathered
STRIP: Final = 256  # cells that are done again where one needs care
# Operations on what is read or written once: such a row waits for its operands, few of which begin
# at a line of memory, and not for what it computes. A second difference of 36 M float64 takes 36 ms
# by vectors of 64 bytes and 29 by those of 32; the sum of as many exponentials takes 20 and 33.
LIGHT: Final = 2
HEAD: Final = f"""\
{scalar_codegen.IMPORTS}\
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import (
    keep, long_vectors, pointer, short_vectors,
)


@njit("void(int64, int64, int64)", nogil=True, error_model="numpy")
def kernel(n, inputs, out):
    table = carray(pointer(inputs), ({{count}},), np.int64)"""


class Row(NamedTuple):
    """Source of a row, and the one-cell operands that it takes after the expression's own."""

    source: str
    scalars: tuple[np.ndarray[Any, Any], ...] = ()


@lru_cache(maxsize=1024)
def row_of(expression: Any, still: tuple[int, ...] = ()) -> Row | None:
    """Return the row of `expression`; None if a step has no compiled meaning.

    Of operands that are `still` the row reads one cell: they are the same along it.

    Floats that are constants are operands of one cell.
    """
    parameters, steps, constants = formula_steps(expression)
    text = _source(parameters, steps, len(constants), still)
    if text is None:
        return None
    return Row(text, tuple(np.asarray(constant) for constant in constants))


@lru_cache(maxsize=1024)
def text(expression: Any) -> str:
    """Return `expression` as text: writing it takes as long as a small block, so it is kept."""
    return str(expression)


@lru_cache(maxsize=256)
def call_source(function: str, arity: int, operand: DType, dtype: DType) -> str | None:
    """Return the source of the row of one function of operands of one dtype."""
    return _source((operand,) * arity, [FormulaStep(function, tuple(range(arity)), dtype)])


def _source(
    parameters: Sequence[DType],
    steps: Sequence[FormulaStep],
    scalars: int = 0,
    still: tuple[int, ...] = (),
) -> str | None:
    """The text of a row; of one cell are the last `scalars` of its parameters and the `still`."""
    dtypes = [*parameters, *[step.dtype for step in steps]]
    if not all(map(scalar_codegen.is_known, dtypes)):
        return None
    count = len(parameters) - scalars
    used = sorted({i for step in steps for i in step.operands if i < count} or {count - 1})
    kinds = [scalar_codegen.stored(dtype) for dtype in dtypes]
    moving = [i for i in used if i not in still]
    lines = [f"x{i} = carray(pointer(table[{i}]), (n,), {kinds[i]})" for i in moving]
    for i in (*[i for i in used if i in still], *range(count, len(parameters))):
        cell = f"carray(pointer(table[{i}]), (1,), {kinds[i]})[0]"
        lines.append(f"v{i} = {scalar_codegen.loaded(cell, dtypes[i])}")
    lines.append(f"result = carray(pointer(out), (n,), {kinds[-1]})")
    lines.append("short_vectors()" if _is_light(steps, len(moving) + 1) else "long_vectors()")
    fast = _cell(moving, steps, dtypes, careful=False)
    if fast is None:
        return None
    gathered = gathered_in(fast)
    lines += [f"{name} = {KEPT[name]}(0)" for name in gathered]
    if any(is_careful(step, dtypes) for step in steps):
        lines += _in_strips(fast, _cell(moving, steps, dtypes, careful=True) or [])
    else:
        lines += ["for i in range(n):", *indented(fast)]
    lines += [f"keep({name})" for name in gathered]
    return "\n".join([HEAD.format(count=len(parameters)), *indented(lines), ""])


def _is_light(steps: Sequence[FormulaStep], moved: int) -> bool:
    """Whether steps compute little of so many cells that are read or written."""
    costs = [facts_of(step.function).cost for step in steps if step.constant is None]
    return None not in costs and sum(filter(None, costs)) <= LIGHT * moved


def _cell(
    used: Sequence[int], steps: Sequence[FormulaStep], dtypes: Sequence[DType], careful: bool
) -> list[str] | None:
    """The statements of one cell; fast ones note whether a careful function was needed."""
    made = statements(steps, dtypes, careful)
    if made is None:
        return None
    lines = [f"v{i} = {scalar_codegen.loaded(f'x{i}[i]', dtypes[i])}" for i in used]
    result = scalar_codegen.to_store(f"v{len(dtypes) - 1}", dtypes[-1])
    return [*lines, *made, f"result[i] = {result}"]


def statements(
    steps: Sequence[FormulaStep], dtypes: Sequence[DType], careful: bool = False
) -> list[str] | None:
    """The statements that compute steps of one cell; None where one has no compiled meaning.

    `dtypes` are those of all values, of which the steps are the last: ``v0``, ``v1``, ...
    """
    count, lines = len(dtypes) - len(steps), list[str]()
    quiet = _quiet_values(steps, dtypes)
    for number, step in enumerate(steps, start=count):
        text = step_text(step, dtypes, careful)
        if text is None:
            return None
        if is_careful(step, dtypes):
            lines.append(f"care |= {needs_care(step, dtypes)}")
        lines += _kept_branches(step, dtypes, quiet)
        lines.append(f"v{number} = {text}")
    return lines


def gathered_in(lines: Sequence[str]) -> list[str]:
    """Names of `KEPT` that statements gather bits in."""
    return [name for name in KEPT if any(line.startswith(name) for line in lines)]


def _quiet_values(steps: Sequence[FormulaStep], dtypes: Sequence[DType]) -> list[bool]:
    """Whether nothing goes wrong where each value is computed, nor where what it is made of is."""
    quiet = [True] * (len(dtypes) - len(steps))
    for step in steps:
        itself = is_quiet_step(step.function, [dtypes[i] for i in step.operands], step.dtype)
        quiet.append(itself and all(quiet[i] for i in step.operands))
    return quiet


def _kept_branches(
    step: FormulaStep, dtypes: Sequence[DType], quiet: Sequence[bool]
) -> Iterator[str]:
    """Statements that have both branches of a choice computed everywhere, as NumPy does.

    A compiler computes a branch where it is chosen alone, and then its flags are not raised: that
    makes no difference to a branch that is `quiet`.
    """
    if step.function != "where":
        return
    for branch in step.operands[1:]:
        told = not quiet[branch]
        found = scalar_codegen.bits_slot(f"v{branch}", dtypes[branch]) if told else None
        if found is not None:
            yield f"{found[0]} = {found[1]}"


def _in_strips(fast: Sequence[str], careful: Sequence[str]) -> list[str]:
    """Strips of cells by the fast functions, and again by careful ones where a cell needs them.

    Careful ones go on with the next strip, until no cell of a strip has needed them: cells that do
    lie together, as those far from a hill, or the ones that are masked. Places are unsigned, as
    numba looks whether a signed one is negative, and then no loop is vectorised.
    """
    cells = ["for k in range(stop - start):", "    i = np.uint64(start) + np.uint64(k)"]
    strip = ["if not care:", *indented([*cells, *indented(fast)])]
    strip += ["if care:", *indented(["care = False", *cells, *indented(careful)])]
    head = [f"for start in range(0, n, {STRIP}):", f"    stop = min(n, start + {STRIP})"]
    return ["care = False", *head, *indented(strip)]


def indented(lines: Sequence[str]) -> list[str]:
    """Lines a level deeper."""
    return [f"    {line}" for line in lines]
