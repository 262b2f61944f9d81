"""Arrays of pydata's sparse: of any rank, with a value for the cells that they do not hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.block_library import Block, BlockLibrary, Number


class SparseArrays(BlockLibrary):
    """Arrays of pydata's sparse.

    Examples
    --------
    >>> (
    ...     SparseArrays().takes("COO", 0, np.dtype("f8")),
    ...     SparseArrays().takes("COO", 3, np.dtype("f8")),
    ... )
    (False, True)
    """

    described = "pydata's sparse arrays of numbers"
    has_fill = True

    def takes(self, name: str, ndim: int, dtype: np.dtype[Any]) -> bool:
        return ndim > 0 and not (name == "GCXS" and dtype.char in "egG")

    def fill_of(self, array: Any) -> Number:
        fill: Number = array.fill_value.item()
        return fill

    def holding(self, cells: Block, module: str, name: str, fill: Number) -> Any:
        coordinates = import_module("sparse").COO
        made = coordinates.from_numpy(cells, fill_value=cells.dtype.type(fill))
        return made.asformat(name.lower())

    def joined(self, blocks: Sequence[Any], axis: int, holding: Callable[[Block], Any]) -> Any:
        if len({block.fill_value for block in blocks}) > 1:
            return holding(np.concatenate([block.todense() for block in blocks], axis))
        if type(blocks[0]).__name__ == "DOK":  # which is not joined as it is
            pairs: Any = np.concatenate([block.asformat("coo") for block in blocks], axis)
            return pairs.asformat("dok")
        return np.concatenate(blocks, axis)


LIBRARY: Final = SparseArrays()
