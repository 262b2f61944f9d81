"""Tables of kernels by name: each module has its own, a device joins them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

Kernel = Callable[..., np.ndarray[Any, Any]]


def joined(*tables: Mapping[str, Kernel]) -> Mapping[str, Kernel]:
    """One table of all kernels.

    Raises
    ------
    ValueError
        If two tables have a kernel of the same name.
    """
    kernels: dict[str, Kernel] = {}
    for table in tables:
        if twice := kernels.keys() & table.keys():
            raise ValueError(f"two kernels are called {', '.join(sorted(twice))}")
        kernels |= table
    return MappingProxyType(kernels)
