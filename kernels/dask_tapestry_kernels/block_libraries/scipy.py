"""SciPy's matrices and arrays of two dimensions that hold the cells which are not 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.block_library import Block, BlockLibrary, Number


class ScipyMatrices(BlockLibrary):
    """Matrices and arrays of `scipy.sparse`.

    Examples
    --------
    >>> ScipyMatrices().takes("csr_array", 3, np.dtype("f8"))
    False
    """

    described = "SciPy's of two dimensions"

    def takes(self, name: str, ndim: int, dtype: np.dtype[Any]) -> bool:
        return ndim == 2 and dtype.char != "e"

    def holding(self, cells: Block, module: str, name: str, fill: Number) -> Any:
        return getattr(import_module(module), name)(cells)

    def joined(self, blocks: Sequence[Any], axis: int, holding: Callable[[Block], Any]) -> Any:
        scipy = import_module("scipy.sparse")
        return (scipy.vstack, scipy.hstack)[axis](blocks, format=blocks[0].format)

    def indexable(self, array: Any) -> Any:
        return array.tocsr()


LIBRARY: Final = ScipyMatrices()
