"""The texts of CUDA kernels of bincount: numbers counted, or their weights added in order.

Counts are whole numbers, which no order of adding changes: each block of threads counts in a table
of its own in shared memory. Weights are added by a warp a leaf, 32 cells at a time: of lanes with
one number the first adds the weights of all, in C order, so that the bits are those of a loop.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cuda.jit.program import CudaProgram, memory_type, pointer_type
from dask_tapestry_kernels.cuda.kernel_texts import (
    coordinates,
    grid_stride,
    indented,
    loaded,
    module_text,
    number_text,
)
from dask_tapestry_kernels.cuda.reduction.monoid_texts import cell_value

DType = np.dtype[Any]
LANES: Final = 32
GROUP: Final = 16  # tables that a thread adds up


def _number(cell: DType, rank: int, strict: bool) -> list[str]:
    """Statements that read the number of cell ``c`` of a box, and its place ``at`` in a table."""
    axes = range(rank)
    place = " + ".join(["base", *[f"c{a} * s{a}" for a in axes]])
    lines = coordinates("c", [f"c{a}" for a in axes], [f"width{a}" for a in axes], "int64")
    lines.append(f"at = {number_text(f'x[{place}]', cell)}")
    if strict:
        lines += ["if at < 0 or at >= most:", "    found[0] = np.int32(1)"]
    return [*lines, "at = at - first"]


def _box(rank: int) -> list[str]:
    """Statements that clip the box of node ``number`` to the block."""
    axes = range(rank)
    lines = coordinates("number", [f"node{a}" for a in axes], [f"grid{a}" for a in axes], "int64")
    for a in axes:
        lines += [f"low{a} = start{a} + node{a} * side{a}"]
        lines += [f"high{a} = min(low{a} + side{a}, extent{a})"]
        lines += [f"low{a} = max(low{a}, np.int64(0))", f"width{a} = high{a} - low{a}"]
    lines.append(f"base = {' + '.join(f'low{a} * s{a}' for a in axes)}")
    return [*lines, f"cells = {' * '.join(f'width{a}' for a in axes)}"]


def _words(rank: int, *more: str) -> list[tuple[str, str]]:
    box = [f"{name}{a}" for a in range(rank) for name in ("grid", "extent", "side", "start")]
    words = [*box, *[f"s{a}" for a in range(rank)], *more, "first", "held", "most"]
    return [(word, "int64") for word in words]


@lru_cache(maxsize=64)
def count_program(cell: DType, rank: int, size: int, strict: bool) -> CudaProgram:
    """The program that counts numbers in tables of at most `size` bins, one a part of a node.

    Parameters
    ----------
    cell
        Dtype of the numbers.
    rank
        Of the block.
    strict
        Whether `found` tells of numbers that are none of all bins.
    """
    arguments = [("n", "int64"), ("parts", "int64"), *_words(rank)]
    arguments += [("x", pointer_type(cell)), *[("found", "CPointer(int32)")] * strict]
    arguments.append(("out", "CPointer(int32)"))
    look = [*_number(cell, rank, strict), "if at >= 0 and at < held:"]
    look += ["    cuda.atomic.add(table, at, np.int32(1))", "c += threads"]
    work = [
        "number = item // parts",
        "part = item - number * parts",
        *_box(rank),
        "chunk = (cells + parts - 1) // parts",
        "c = part * chunk + thread",
        "end = min(cells, (part + 1) * chunk)",
        *_over_bins("table[b] = np.int32(0)"),
        "cuda.syncthreads()",
        "while c < end:",
        *indented(look),
        "cuda.syncthreads()",
        *_over_bins("out[item * held + b] = table[b]"),  # by the thread that empties it next
        "item += np.int64(cuda.gridDim.x)",
    ]
    lines = [
        f"table = cuda.shared.array({size}, np.int32)",
        "thread, threads = np.int64(cuda.threadIdx.x), np.int64(cuda.blockDim.x)",
        "item = np.int64(cuda.blockIdx.x)",
        "while item < n:",
        *indented(work),
    ]
    return CudaProgram(module_text(arguments, lines), f"tabulate: counts of {cell}")


def _over_bins(statement: str) -> list[str]:
    return ["b = thread", "while b < held:", f"    {statement}", "    b += threads"]


@lru_cache(maxsize=4)
def sum_program(state: DType) -> CudaProgram:
    """The program that adds up tables of counts, of each node some at a time."""
    arguments = [(word, "int64") for word in ("n", "parts", "groups", "held")]
    arguments += [("x", pointer_type(state)), ("out", "CPointer(int64)")]
    body = [
        "b = i % held",
        "number = i // held // groups",
        f"part = (i // held - number * groups) * {GROUP}",
        f"end = min(parts, part + {GROUP})",
        "total = np.int64(0)",
        "while part < end:",
        "    total += np.int64(x[(number * parts + part) * held + b])",
        "    part += 1",
        "out[i] = total",
    ]
    return CudaProgram(module_text(arguments, grid_stride(body)), "tabulate: sums of counts")


@lru_cache(maxsize=64)
def ordered_program(
    cell: DType, weight: DType | None, state: DType, rank: int, strict: bool
) -> CudaProgram | None:
    """The program that fills a table a leaf, adding weights in C order, or ones without them.

    None where weights do not become states.
    """
    added_text = "total + 1" if weight is None else "total + weights[other]"
    value = None if weight is None else cell_value("weight", weight, state)
    if weight is not None and value is None:
        return None
    weighted = weight is not None
    steps = [f"t{a}" for a in range(rank)] * weighted
    arguments = [("n", "int64"), *_words(rank, *steps), ("x", pointer_type(cell))]
    if weight is not None:
        arguments.append(("w", pointer_type(weight)))
    arguments += [("found", "CPointer(int32)")] * strict
    arguments.append(("out", pointer_type(state)))
    load = []
    if weight is not None:
        place = " + ".join(f"(low{a} + c{a}) * t{a}" for a in range(rank))
        load = [f"weight = {loaded(f'w[{place}]', weight)}", f"weights[lane] = {value}"]
    own = [*_number(cell, rank, strict), "if at >= held:", "    at = np.int64(-1)", *load]
    add = ["if numbers[other] == at:", f"    total = {added_text}", "other += 1"]
    fold = ["place = number * held + at", "total = out[place]", "other = lane"]
    fold += [f"while other < {LANES}:", *indented(add), "out[place] = total"]
    turn = [
        "c = begin + lane",
        "at = np.int64(-1)",
        "if c < cells:",
        *indented(own),
        "numbers[lane] = at",
        "cuda.syncthreads()",
        "leads = at >= 0",
        "other = np.int64(0)",
        "while other < lane:",
        "    leads = leads and numbers[other] != at",
        "    other += 1",
        "if leads:",
        *indented(fold),
        "cuda.syncthreads()",
        f"begin += {LANES}",
    ]
    zero = f"np.{memory_type(state)}(0)"
    leaf = [*_box(rank), "thread, threads = lane, np.int64(32)"]
    leaf += _over_bins(f"out[number * held + b] = {zero}")
    leaf += ["begin = np.int64(0)", "while begin < cells:", *indented(turn)]
    shared = [f"numbers = cuda.shared.array({LANES}, np.int64)"]
    shared += [f"weights = cuda.shared.array({LANES}, np.{state.name})"] * weighted
    lines = [
        *shared,
        "lane = np.int64(cuda.threadIdx.x)",
        "number = np.int64(cuda.blockIdx.x)",
        "while number < n:",
        *indented([*leaf, "number += np.int64(cuda.gridDim.x)"]),
    ]
    what = f"tabulate: {'ones' if weight is None else f'weights of {weight}'} by {cell}"
    return CudaProgram(module_text(arguments, lines, LANES), what, LANES)
