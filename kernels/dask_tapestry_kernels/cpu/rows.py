"""Rows: the source text of a compiled loop over cells, from a cell expression.

A row is ``row(n, inputs, out)``: n cells of each operand lie side by side at the addresses that
`inputs` points to, and the results are written side by side. One statement a step, in the dtype of
the step, no contraction and no reassociation: the bits are those of one ufunc after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry_kernels.cpu import meanings

DType = np.dtype[Any]
ARITY: Final = 3
STRIP: Final = 256  # cells that are done again where one needs care
HEAD: Final = '''\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu import steps
from dask_tapestry_kernels.cpu.native import *


@njit("void(int64, int64, int64)", nogil=True, error_model="numpy")
def kernel(n, inputs, out):
    """{formula}"""
    table = carray(pointer(inputs), ({count},), np.int64)'''


class _Step(NamedTuple):
    """A step: what it calls, on which values, and what dtype comes out."""

    function: str
    operands: tuple[int, ...]
    dtype: DType
    constant: np.generic | None = None


@lru_cache(maxsize=1024)
def source(expression: Any) -> str | None:
    """Return the source of the row of `expression`; None if a step has no compiled meaning."""
    steps = [
        _Step(s.function, s.operands, s.dtype, expression.constant(s) if s.value else None)
        for s in expression.steps
    ]
    names = [f"x{i}" for i in range(len(expression.parameters))]
    return _source(expression.parameters, steps, expression.format(names))


@lru_cache(maxsize=256)
def call_source(function: str, arity: int, dtype: DType) -> str | None:
    """Return the source of the row of one function of operands of its own dtype."""
    return _source((dtype,) * arity, [_Step(function, tuple(range(arity)), dtype)], function)


def _source(parameters: Sequence[DType], steps: Sequence[_Step], formula: str) -> str | None:
    dtypes = [*parameters, *[step.dtype for step in steps]]
    if not all(map(meanings.is_known, dtypes)):
        return None
    count = len(parameters)
    used = sorted({i for step in steps for i in step.operands if i < count} or {count - 1})
    lines = [
        f"x{i} = carray(pointer(table[{i}]), (n,), {meanings.stored(dtypes[i])})" for i in used
    ]
    lines.append(f"result = carray(pointer(out), (n,), {meanings.stored(dtypes[-1])})")
    fast = _cell(used, steps, dtypes, careful=False)
    if fast is None:
        return None
    if any(step.function in meanings.CAREFUL for step in steps):
        lines += _in_strips(fast, _cell(used, steps, dtypes, careful=True) or [])
    else:
        lines += ["for i in range(n):", *_indented(fast)]
    shown = formula.replace('"', "'").replace("\\", "")
    return "\n".join([HEAD.format(formula=shown, count=count), *_indented(lines), ""])


def _cell(
    used: Sequence[int], steps: Sequence[_Step], dtypes: Sequence[DType], careful: bool
) -> list[str] | None:
    """The statements of one cell; fast ones note whether a careful function was needed."""
    count = len(dtypes) - len(steps)
    lines = [f"v{i} = {meanings.loaded(f'x{i}[i]', dtypes[i])}" for i in used]
    for number, step in enumerate(steps, start=count):
        text = _step(step, dtypes, careful)
        if text is None:
            return None
        if step.function in meanings.CAREFUL and not careful:
            needed = meanings.needs_care(step.function, f"v{step.operands[0]}", step.dtype)
            lines.append(f"care |= {needed}")
        lines.append(f"v{number} = {text}")
    lines.append(f"result[i] = {meanings.to_store(f'v{len(dtypes) - 1}', dtypes[-1])}")
    return lines


def _in_strips(fast: Sequence[str], careful: Sequence[str]) -> list[str]:
    """Strips of cells by the fast functions, and again by careful ones where a cell needs them.

    Far arguments of sines are rare, and their remainders cost twice as much as the sine.
    """
    strip = ["care = False", "for i in range(start, stop):", *_indented(fast)]
    strip += ["if care:", *_indented(["for i in range(start, stop):", *_indented(careful)])]
    head = [f"for start in range(0, n, {STRIP}):", f"    stop = min(n, start + {STRIP})"]
    return [*head, *_indented(strip)]


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _step(step: _Step, dtypes: Sequence[DType], careful: bool) -> str | None:
    if step.constant is not None:
        return meanings.constant(step.constant)
    names = [f"v{i}" for i in step.operands]
    kinds = [dtypes[i] for i in step.operands]
    return meanings.step(step.function, names, kinds, step.dtype, careful)
