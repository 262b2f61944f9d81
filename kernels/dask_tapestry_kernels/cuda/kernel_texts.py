"""What the texts of CUDA kernels have in common: their head, and loops over cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.formulas import scalar_codegen

DType = np.dtype[Any]
Arguments = Sequence[tuple[str, str]]  # names and types

HEAD: Final = f"""\
{scalar_codegen.IMPORTS}\
from dask_tapestry_kernels.elementary.number_intrinsics import wide_product
from numba import cuda

SIGNATURE = "({{signature}},)"
THREADS = {{threads}}


def kernel({{names}}):"""


def module_text(arguments: Arguments, lines: Sequence[str], threads: int = 0) -> str:
    """The text of a kernel from the names and types of its arguments and its statements.

    Where it is for blocks of so many threads it says so, as registers are then fewer.
    """
    signature = ", ".join(kind for _, kind in arguments)
    names = ", ".join(name for name, _ in arguments)
    head = HEAD.format(signature=signature, names=names, threads=threads)
    return "\n".join([head, *indented(lines), ""])


def indented(lines: Sequence[str]) -> list[str]:
    """Lines of a block of statements."""
    return [f"    {line}" for line in lines]


def grid_stride(body: Sequence[str], count: str = "n") -> list[str]:
    """Statements that run `body` for every ``i`` below `count`, dealt to the threads in turn."""
    loop = [f"while i < {count}:", *indented([*body, "i += step"])]
    return ["i = cuda.grid(1)", "step = cuda.gridsize(1)", *loop]


def coordinates(number: str, names: Sequence[str], extents: Sequence[str], word: str) -> list[str]:
    """Statements that take a number apart into coordinates, of which the first has no extent.

    Examples
    --------
    >>> print(*coordinates("i", ["c0", "c1"], ["n0", "n1"], "uint32"), sep=chr(10))
    rest = np.uint32(i)
    c1 = np.uint32(rest % n1)
    rest = np.uint32(rest // n1)
    c0 = rest
    """
    if not names:
        return []
    lines = [f"rest = np.{word}({number})"]
    for name, extent in zip(reversed(names[1:]), reversed(extents), strict=False):
        lines.append(f"{name} = np.{word}(rest % {extent})")
        lines.append(f"rest = np.{word}(rest // {extent})")
    return [*lines, f"{names[0]} = rest"]


def loaded(cell: str, dtype: DType) -> str:
    """Text of the value of a cell in memory; any byte but zero is true."""
    return f"{cell} != 0" if dtype.char == "?" else scalar_codegen.loaded(cell, dtype)


def number_text(read: str, dtype: DType) -> str:
    """Text of an integer in memory as int64; those that it does not hold are its largest.

    Examples
    --------
    >>> number_text("x[i]", np.dtype("i2")), number_text("x[i]", np.dtype("?"))
    ('np.int64(x[i])', 'np.int64(x[i] != 0)')
    """
    largest = np.iinfo(np.int64).max
    held = f"min({read}, np.uint64({largest}))" if dtype == np.uint64 else loaded(read, dtype)
    return f"np.int64({held})"


def to_store(value: str, dtype: DType) -> str:
    """Text of the cell that is written to memory for a value."""
    return f"np.uint8({value})" if dtype.char == "?" else scalar_codegen.to_store(value, dtype)
