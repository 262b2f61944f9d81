"""Tables of kernels by name: each module has its own, a device joins them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np

Kernel = Callable[..., np.ndarray[Any, Any]]


class KernelTable(Mapping[str, Kernel]):
    """Kernels by name; a module is imported when the first of its kernels is asked for.

    The modules of one device take as long to import as everything else that a first compute needs
    of it, and most programs use a few.

    Parameters
    ----------
    package
        Name of the package that the modules lie in.
    modules
        For each module the names of its kernels, apart by spaces.

    Raises
    ------
    ValueError
        If two kernels have one name.
    """

    def __init__(self, package: str, modules: Mapping[str, str]) -> None:
        self._homes: dict[str, str] = {}
        self._found: dict[str, Kernel] = {}
        for module, names in modules.items():
            for name in names.split():
                if name in self._homes:
                    raise ValueError(f"two kernels are called {name}")
                self._homes[name] = f"{package}.{module}"

    def __getitem__(self, name: str) -> Kernel:
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = import_module(self._homes[name]).KERNELS[name]
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)
