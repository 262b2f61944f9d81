"""The kernels of one CPU thread, by the name operators give them.

A kernel is called as ``kernel(out, *blocks, **arguments)``. It returns the block; `out`, when it is
not None, is a buffer of the block's shape and dtype that the kernel may fill and return instead.
What it returns may be a view of an input.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu import generate, matmul, reduce, select, tape

KERNELS: Final[MappingProxyType[str, Callable[..., np.ndarray[Any, Any]]]] = MappingProxyType(
    {
        "identity": select.identity,
        "view": select.view,
        "concat": select.concat,
        "reshape": select.reshape,
        "full": generate.full,
        "arange": generate.arange,
        "index": generate.index,
        "map": tape.evaluate,
        "reduce": reduce.reduce,
        "matmul": matmul.matmul,
        "linear": matmul.linear,
    }
)
