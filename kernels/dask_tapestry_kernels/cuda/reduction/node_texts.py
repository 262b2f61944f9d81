"""The texts of CUDA kernels that merge nodes of the canonical tree, and make values of its root."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

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
from dask_tapestry_kernels.cuda.reduction.monoid_texts import (
    NUMBER_SPREADS,
    PLACES,
    SPREADS,
    MonoidText,
    combine,
    divided,
)
from dask_tapestry_kernels.formulas import scalar_codegen

DType = np.dtype[Any]


@lru_cache(maxsize=256)
def merge_program(key: str, text: MonoidText, reduced: int, axis: int) -> CudaProgram:
    """The program that merges neighbours along an axis; the last of an odd number passes through.

    Nodes lie in C order, the kept axes as one after the reduced ones.
    """
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
def pair_program(key: str, text: MonoidText) -> CudaProgram:
    """The program that merges the nodes of one array with those of another, cell by cell."""
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
def value_program(key: str, text: MonoidText, dtype: DType) -> CudaProgram | None:
    """The program that makes values of roots; None where a dtype cannot be converted.

    `by` is what a mean or a spread is divided by, in the real dtype of the state; of spreads of
    numbers it is ``ddof``.
    """
    lines, state = finished(text)
    made = "state" if state == dtype else scalar_codegen.step("cast", ["state"], [state], dtype)
    if made is None:
        return None
    loads = [f"s_{n} = {loaded(f'x_{n}[i]', d)}" for n, d in text.fields.items()]
    lines = [*loads, *lines, f"value = {made}", f"out[i] = {to_store('value', dtype)}"]
    arguments = [("n", "int64"), ("by", divisor(text).name)]
    arguments += [(f"x_{n}", pointer_type(d)) for n, d in text.fields.items()]
    arguments.append(("out", pointer_type(dtype)))
    return CudaProgram(module_text(arguments, grid_stride(lines)), key)


def divisor(text: MonoidText) -> DType:
    """The dtype of what roots are divided by."""
    last = text.fields.get("m2", text.parts[0][1])
    if text.monoid in NUMBER_SPREADS or last.kind not in "fc":
        return np.dtype(np.float64)
    return np.dtype(np.float32) if last.char == "e" else np.dtype(last.char.lower())


def finished(text: MonoidText) -> tuple[list[str], DType]:
    """Statements that turn the fields of a root into ``state``, and the dtype of that."""
    monoid, fields = text.monoid, text.fields
    first, dtype = text.parts[0]
    if monoid in PLACES:
        return ["state = s_place"], fields["place"]
    if "m2" in fields:
        m2 = fields["m2"]
        rooted = f"state = {scalar_codegen.step('sqrt', ['state'], [m2], m2)}"
        return [*_mean_square(text), *[rooted] * monoid.endswith("std")], m2
    if monoid == "ptp":
        both = ["s_greatest", "s_least"]
        return [f"state = {scalar_codegen.step('subtract', both, [dtype, dtype], dtype)}"], dtype
    return _from_identity(text, f"s_{first}", dtype), dtype


def _from_identity(text: MonoidText, total: str, dtype: DType) -> list[str]:
    """Statements that finish sums, products and means as if begun at the identity."""
    kinds, type_text = [dtype, dtype], scalar_codegen.held_type_text(dtype)
    zero = f"{type_text}(0)"
    if text.monoid == "sum" and dtype.kind in "fc":
        return [f"state = {scalar_codegen.step('add', [zero, total], kinds, dtype)}"]
    if text.monoid == "gcd" and dtype.kind == "i":
        return [f"state = {scalar_codegen.step('gcd', [zero, total], kinds, dtype)}"]
    if text.monoid == "prod" and dtype.kind == "c":
        return [
            f"state = {scalar_codegen.step('multiply', [f'{type_text}(1)', total], kinds, dtype)}"
        ]
    if text.monoid in ("mean", "nanmean"):
        real = scalar_codegen.held_type_text(np.dtype(dtype.char.lower()))
        by = ["by = " + f"{real}(s_count)"] if text.monoid == "nanmean" else []
        added = f"state = {scalar_codegen.step('add', [total, zero], kinds, dtype)}"
        return [*by, added, f"state = {divided('state', 'by', dtype)}"]
    return [f"state = {total}"]


def _mean_square(text: MonoidText) -> list[str]:
    """Statements that divide squared deviations by the degrees of freedom."""
    m2 = text.fields["m2"]
    if text.monoid in SPREADS:
        return [f"state = {scalar_codegen.step('divide', ['s_m2', 'by'], [m2, m2], m2)}"]
    held = scalar_codegen.held_type_text(m2)
    share = scalar_codegen.step("divide", ["s_m2", f"{held}(degrees)"], [m2, m2], m2)
    lines = ["degrees = np.float64(s_count) - by"]
    return [*lines, f"state = {share} if degrees > 0 else {held}(np.nan)"]
