"""The texts of CUDA kernels that merge nodes of the canonical tree, and make values of its root."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry_kernels.cuda.jit.program import CudaProgram, memory_type, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    indented,
    loaded,
    module_text,
    to_store,
)
from dask_tapestry_kernels.cuda.reduction.monoid_texts import SPREADS, MonoidText, combine
from dask_tapestry_kernels.formulas import scalar_codegen

DType = np.dtype[Any]


@lru_cache(maxsize=256)
def merge_program(key: str, made: Any, reduced: int, axis: int) -> CudaProgram:
    """The program that merges neighbours along an axis; the last of an odd number passes through.

    Nodes lie in C order, the kept axes as one after the reduced ones.
    """
    text = MonoidText(made[0], dict(made[1]), made[2])
    axes = range(reduced)
    words = [f"n{a}" for a in axes] + [f"m{a}" for a in axes] + ["kept"]
    if text.monoid in SPREADS:
        words += [f"{name}{a}" for a in axes for name in ("number", "start", "side", "whole")]
    arguments = [("n", "int64"), *[(word, "int64") for word in words]]
    arguments += [(f"x_{name}", pointer_type(d)) for name, d in text.fields.items()]
    arguments += [(f"out_{name}", pointer_type(d)) for name, d in text.fields.items()]
    coordinate_names = [f"c{a}" for a in axes] + ["k"]
    left = [f"c{a} * 2" if a == axis else f"c{a}" for a in axes]
    place = "np.int64(0)"
    for a in axes:
        place = f"({place}) * n{a} + {left[a]}"
    after = " * ".join(["kept", *[f"n{a}" for a in range(axis + 1, reduced)]])
    lines = coordinates("i", coordinate_names, [f"m{a}" for a in axes] + ["kept"], "int64")
    lines += [f"left = ({place}) * kept + k"]
    for side, at in (("a", "left"), ("b", "right")):
        loads = [f"{side}_{n} = {loaded(f'x_{n}[{at}]', d)}" for n, d in text.fields.items()]
        if side == "a":
            lines += loads
            continue
        merge = [f"right = left + {after}", *loads, *_cells(text, reduced, axis)]
        merge += combine(text, [f"a_{n}" for n in text.names], [f"b_{n}" for n in text.names])
        lines += [f"if c{axis} * 2 + 1 < n{axis}:", *indented(merge)]
    lines += [f"out_{n}[i] = {to_store(f'a_{n}', d)}" for n, d in text.fields.items()]
    return CudaProgram(module_text(arguments, grid_stride(lines)), key)


def _cells(text: MonoidText, reduced: int, axis: int) -> list[str]:
    """Statements that count the cells that two neighbours stand for."""
    if text.monoid not in SPREADS:
        return []
    lines = []
    for side, more in (("a", "0"), ("b", "1")):
        lines.append(f"cells_{side} = np.float64(1)")
        for a in range(reduced):
            at = f"number{a} + c{a} * 2 + {more}" if a == axis else f"number{a} + c{a}"
            lines += [f"low = start{a} + ({at}) * side{a}", f"high = min(low + side{a}, whole{a})"]
            lines += [f"cells_{side} = cells_{side} * np.float64(high - max(np.int64(0), low))"]
    return lines


@lru_cache(maxsize=256)
def pair_program(key: str, made: Any) -> CudaProgram:
    """The program that merges the nodes of one array with those of another, cell by cell."""
    text = MonoidText(made[0], dict(made[1]), made[2])
    arguments = [("n", "int64")]
    if text.monoid in SPREADS:
        arguments += [("cells_a", "float64"), ("cells_b", "float64")]
    fields = text.fields.items()
    arguments += [(f"{s}_{name}", pointer_type(d)) for s in "xyz" for name, d in fields]
    lines = [f"a_{n} = {loaded(f'x_{n}[i]', d)}" for n, d in fields]
    lines += [f"b_{n} = {loaded(f'y_{n}[i]', d)}" for n, d in fields]
    lines += combine(text, [f"a_{n}" for n in text.names], [f"b_{n}" for n in text.names])
    lines += [f"z_{n}[i] = {to_store(f'a_{n}', d)}" for n, d in fields]
    return CudaProgram(module_text(arguments, grid_stride(lines)), key)


@lru_cache(maxsize=256)
def value_program(key: str, monoid: str, state: DType, dtype: DType) -> CudaProgram | None:
    """The program that makes values of roots; None where a dtype cannot be converted.

    `by` is what a mean or a spread is divided by, in the dtype of the state.
    """
    lines = [f"state = {loaded('x[i]', state)}"]
    lines += _finished(monoid, state)
    text = "state" if state == dtype else scalar_codegen.step("cast", ["state"], [state], dtype)
    if text is None:
        return None
    lines += [f"value = {text}", f"out[i] = {to_store('value', dtype)}"]
    held = "float32" if state.char == "e" else memory_type(state)
    arguments = [("n", "int64"), ("by", held), ("x", pointer_type(state))]
    arguments.append(("out", pointer_type(dtype)))
    return CudaProgram(module_text(arguments, grid_stride(lines)), key)


def _finished(monoid: str, state: DType) -> list[str]:
    """Statements that turn the state of a root into the value."""
    kinds = [state, state]
    zero = f"{scalar_codegen.held_type_text(state)}(0)"
    if monoid == "sum" and state.kind == "f":
        return [f"state = {scalar_codegen.step('add', [zero, 'state'], kinds, state)}"]
    quotient = f"state = {scalar_codegen.step('divide', ['state', 'by'], kinds, state)}"
    if monoid == "mean":
        return [f"state = {scalar_codegen.step('add', ['state', zero], kinds, state)}", quotient]
    if monoid in SPREADS:
        rooted = f"state = {scalar_codegen.step('sqrt', ['state'], [state], state)}"
        return [quotient, rooted] if monoid == "std" else [quotient]
    return []
