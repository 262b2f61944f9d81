"""Programs for a GPU: the text of a kernel, and how many threads it takes."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

DType = np.dtype[Any]
ANY: Final = 0  # threads of a block: as many as the runtime takes


class CudaProgram(NamedTuple):
    """A kernel as its compiler and its launcher know it.

    Attributes
    ----------
    source
        Text of a module that defines `kernel`, a function of pointers and numbers, `SIGNATURE`, the
        types of its arguments, and `THREADS`, the most of a block, or 0.
    what
        What it computes, for errors.
    threads
        Threads of a block, where the text depends on them.
    """

    source: str
    what: str
    threads: int = ANY


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
