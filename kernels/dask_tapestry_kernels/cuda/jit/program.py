"""Programs for a GPU: the text of a kernel, and how many threads it takes."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

DType = np.dtype[Any]
THREADS: Final = 256  # of a block, where a program does not say otherwise
WARP: Final = 32


class Program(NamedTuple):
    """A kernel as its compiler and its launcher know it.

    Attributes
    ----------
    source
        Text of a module that defines `kernel`, a function of pointers and numbers, and `SIGNATURE`,
        the types of its arguments.
    what
        What it computes, for errors.
    threads
        Threads of a block.
    """

    source: str
    what: str
    threads: int = THREADS


def pointer_type(dtype: DType) -> str:
    """Text of the type of a pointer to cells in memory: a truth value is a byte, a half its bits.

    Examples
    --------
    >>> pointer_type(np.dtype("f8")), pointer_type(np.dtype(bool)), pointer_type(np.dtype("f2"))
    ('CPointer(float64)', 'CPointer(uint8)', 'CPointer(uint16)')
    """
    return f"CPointer({memory_type(dtype)})"


def memory_type(dtype: DType) -> str:
    """Text of the type of a cell in memory."""
    return {"?": "uint8", "e": "uint16"}.get(dtype.char, dtype.name)
