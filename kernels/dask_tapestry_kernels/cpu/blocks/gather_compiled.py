"""Windows of a block in a compiled loop; whatever their dtype, as words of bytes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.jit.compile_service import compiled
from dask_tapestry_kernels.cpu.jit.memory_layout import address

Block = np.ndarray[Any, Any]

SMALL: Final = 16_384  # cells; fewer are not worth a kernel that is not loaded
WORDS: Final = {1: "uint8", 2: "uint16", 4: "uint32", 8: "uint64", 16: "complex128"}
ARITY: Final = 9

SOURCE: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer


def gather(cells, ahead, batch, behind, out, aheads, count, behinds, words):
    a = carray(pointer(ahead), (aheads,), np.int64)
    b = carray(pointer(batch), (count,), np.int64)
    w = carray(pointer(behind), (behinds,), np.int64)
    at = out
    for i in range(aheads):
        if behinds * words == 1:
            o = carray(pointer(at), (count,), np.{word})
            for k in range(count):
                o[k] = carray(pointer(cells + a[i] + b[k]), (1,), np.{word})[0]
            at += count * {size}
        else:
            for k in range(count):
                for j in range(behinds):
                    x = carray(pointer(cells + a[i] + b[k] + w[j]), (words,), np.{word})
                    y = carray(pointer(at), (words,), np.{word})
                    for c in range(words):
                        y[c] = x[c]
                    at += words * {size}


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(gather)
"""


@lru_cache(maxsize=8)
def source(size: int) -> str:
    """The text of a module that moves words of `size` bytes."""
    return SOURCE.format(word=WORDS[size], size=size, arguments=", ".join(["int64"] * ARITY))


def gather(
    out: Block | None,
    operand: Block,
    starts: Sequence[Block | None],
    steps: Sequence[Any],
    batch: tuple[int, ...],
    shape: tuple[int, ...],
) -> Block | None:
    """The windows, as `gather.gather` has them; None where no kernel serves.

    `starts` are where windows begin along each axis of the whole operand, where an index says so.
    """
    if operand.dtype.hasobject:
        return None
    first, end = (batch[0], batch[-1] + 1) if batch else (0, 0)
    if end - first > len(batch):
        order = (*batch, *(axis for axis in range(len(shape)) if axis not in batch))
        back = np.argsort(order)
        moved = [s._replace(axis=None if s.axis is None else int(back[s.axis])) for s in steps]
        sides = tuple(shape[axis] for axis in order)
        made = gather(None, operand, starts, moved, tuple(range(len(batch))), sides)
        return None if made is None else made.transpose(back)
    strides = {s.axis: n for s, n in zip(steps, operand.strides, strict=True)}
    inner = _row(strides, shape, end, operand.itemsize)
    row = operand.itemsize * prod(shape[inner:])
    word = next((size for size in (16, 8, 4, 2) if row % size == 0), 1)
    native = compiled(source(word), ARITY, "gathering", prod(shape))
    if native is None:
        return None
    fits = out is not None and out.flags.c_contiguous
    result = out if out is not None and fits else np.empty(shape, operand.dtype)
    tables = (
        _table(strides, shape, range(first)),
        _batch_table(operand, starts, steps, batch, shape),
        _table(strides, shape, range(end, inner)),
    )
    places = map(address, (operand, *tables, result))
    native(*places, *(t.size for t in tables), row // word)
    return result


def _row(strides: dict[int | None, int], shape: tuple[int, ...], end: int, size: int) -> int:
    """The first axis from `end` on of those that lie side by side in the operand too."""
    axis = len(shape)
    while axis > end and (shape[axis - 1] == 1 or strides[axis - 1] == size):
        axis -= 1
        size *= shape[axis]
    return axis


def _table(strides: dict[int | None, int], shape: tuple[int, ...], axes: Iterable[int]) -> Block:
    """Bytes from the first cell of a window to each, along some axes of the result."""
    table = np.zeros(1, np.int64)
    for axis in axes:
        table = np.add.outer(table, strides[axis] * np.arange(shape[axis])).ravel()
    return table


def _batch_table(
    operand: Block,
    starts: Sequence[Block | None],
    steps: Sequence[Any],
    batch: tuple[int, ...],
    shape: tuple[int, ...],
) -> Block:
    """Bytes from the first cell of the operand to that of each window."""
    sides = tuple(shape[axis] for axis in batch)
    table = np.zeros(sides, np.int64)
    for start, step, stride in zip(starts, steps, operand.strides, strict=True):
        if start is not None:
            table += start * stride
        if step.axis in batch:
            line = [1] * len(sides)
            line[batch.index(step.axis)] = -1
            table += (np.arange(shape[step.axis]) * stride).reshape(line)
        table += (step.first - step.origin) * stride
    return table
