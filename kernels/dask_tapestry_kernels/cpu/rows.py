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
HEAD: Final = '''\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu import steps
from dask_tapestry_kernels.cpu.native import *


@njit("void(int64, int64, int64)", nogil=True, error_model="numpy")
def kernel(n, inputs, out):
    """{formula}"""
    table = carray(pointer(inputs), ({count},), np.int64)
'''


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
        f"    x{i} = carray(pointer(table[{i}]), (n,), {meanings.stored(dtypes[i])})" for i in used
    ]
    lines.append(f"    result = carray(pointer(out), (n,), {meanings.stored(dtypes[-1])})")
    lines.append("    for i in range(n):")
    lines += [f"        v{i} = {meanings.loaded(f'x{i}[i]', dtypes[i])}" for i in used]
    for number, step in enumerate(steps, start=count):
        text = _step(step, dtypes)
        if text is None:
            return None
        lines.append(f"        v{number} = {text}")
    lines.append(f"        result[i] = {meanings.to_store(f'v{len(dtypes) - 1}', dtypes[-1])}")
    shown = formula.replace('"', "'").replace("\\", "")
    return HEAD.format(formula=shown, count=count) + "\n".join(lines) + "\n"


def _step(step: _Step, dtypes: Sequence[DType]) -> str | None:
    if step.constant is not None:
        return meanings.constant(step.constant)
    names = [f"v{i}" for i in step.operands]
    return meanings.step(step.function, names, [dtypes[i] for i in step.operands], step.dtype)
