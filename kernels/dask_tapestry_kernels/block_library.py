"""BlockLibrary: how a library's arrays hold the cells of blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Block = np.ndarray[Any, Any]
Number = bool | int | float | complex


class BlockLibrary(ABC):
    """A library of arrays.

    Attributes
    ----------
    described
        Its arrays that may be blocks, for errors.
    has_fill
        Whether its arrays say which value the cells have that they do not hold.
    """

    described: str
    has_fill = False

    @abstractmethod
    def takes(self, name: str, ndim: int, dtype: np.dtype[Any]) -> bool:
        """Whether arrays of the class `name` may have so many dimensions, and such cells."""

    @abstractmethod
    def holding(self, cells: Block, module: str, name: str, fill: Number) -> Any:
        """The cells as an array of a class, in which those that are `fill` need not be held."""

    @abstractmethod
    def joined(self, blocks: Sequence[Any], axis: int, holding: Callable[[Block], Any]) -> Any:
        """Arrays of one class side by side; `holding` makes such an array of cells."""

    def fill_of(self, array: Any) -> Number:
        """The value of the cells that an array does not hold."""
        return 0

    def indexable(self, array: Any) -> Any:
        """The array in a class that takes slices."""
        return array
