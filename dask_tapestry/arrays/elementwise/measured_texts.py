"""Texts whose length follows from cells: the longest is found now, as NumPy's dtypes have it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.teg import Tensor


@dataclass(frozen=True)
class Lengths:
    """Lengths of the texts that a function returns, called on blocks.

    {Attributes} function: Takes blocks, and returns texts; None takes the texts themselves.
    """

    function: Callable[..., Any] | None = None

    def __call__(self, *blocks: Any) -> Any:
        texts = blocks[0] if self.function is None else self.function(*blocks)
        if np.asarray(texts).dtype.kind in "SU":
            return np.strings.str_len(texts)
        return np.vectorize(len, otypes=[np.int64])(texts)


def longest(operands: Sequence[Array], function: Callable[..., Any] | None = None) -> int:
    """Return the length of the longest text that a function gives; it is computed now.

    {Examples}
    >>> longest([dt.asarray(["a", "bcd"])])
    3
    """
    nodes: list[Tensor] = [one.node for one in operands]
    lengths = Array(called_on_cells(Lengths(function), np.dtype(np.int64), nodes))
    return int(lengths.max()) if lengths.size else 0


def text_dtype(kind: str, length: int) -> np.dtype[Any]:
    """The dtype of texts, ``"U"`` or ``"S"``, of a length, which is one at least."""
    return np.dtype(f"{kind}{max(length, 1)}")
