"""Composite blocks: blocks whose cells are not those of one array.

The value of most operators is an array. Of some it is several arrays for a range of points: an
array for each output, or one for each bucket of an exchange. What moves blocks slices and joins
them as it does arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

Block = np.ndarray[Any, Any]


class Collected(ABC):
    """Arrays that belong to a range of points, of extents `shape`."""

    shape: tuple[int, ...]

    @property
    @abstractmethod
    def held(self) -> Iterator[Block]:
        """All arrays, which lie together, in the memory of the host or of a device."""

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.held)

    @abstractmethod
    def like(self, shape: tuple[int, ...]) -> Self:
        """Blocks of the same kind for a range of other extents, to be written."""

    @abstractmethod
    def map(self, function: Callable[[Block], Block]) -> Self:
        """These blocks with a function applied to each array; it keeps the shape."""

    def keeping(self, own: Callable[[Block], Block]) -> Self:
        """These blocks as arrays that keep no larger array alive; `own` copies one if needed."""
        return self.map(own)

    def __sizeof__(self) -> int:
        """Bytes, as Dask counts what its workers hold."""
        return self.nbytes
