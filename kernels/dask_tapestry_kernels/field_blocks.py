"""Structured cells on a device: an array for each field, as CuPy has no structured arrays.

States of folds are such cells (means with spreads, values with places), and what several reductions
in one pass yield. On the host their blocks are NumPy's structured arrays. A field may have fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from dask_tapestry_kernels.cupy_module import room_beside
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputBlocks, OutputShape, Slices

Block = Any  # an array, of host or device; of a field with fields `FieldBlocks`


class FieldBlocks(OutputBlocks):
    """The block of structured cells as outputs that have a cell for each point.

    Examples
    --------
    >>> cells = np.array([(1.0, 2), (3.0, 4)], [("value", "f8"), ("place", "i8")])
    >>> block = FieldBlocks.of(cells)
    >>> block[1:2,]["place"], block.ndim, block.structured().tolist()
    (array([4]), 1, [(1.0, 2), (3.0, 4)])
    """

    __slots__ = ("dtype",)

    def __init__(self, shape: Sequence[int], dtype: np.dtype[Any], arrays: Sequence[Block]) -> None:
        axes = tuple([OutputAxis(dim, 1) for dim in range(len(shape))])
        outputs = [OutputShape(name, dtype[name], axes) for name in dtype.names or ()]
        super().__init__(shape, tuple(outputs), arrays)
        self.dtype = dtype

    @classmethod
    def of(cls, cells: np.ndarray[Any, Any]) -> FieldBlocks:
        """The fields of a structured array of NumPy, as views."""
        dtype = cells.dtype
        fields = [cells[name] for name in dtype.names or ()]
        return cls(cells.shape, dtype, [cls.of(f) if f.dtype.names else f for f in fields])

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def held(self) -> Iterator[Block]:
        parts: Sequence[Any] = self.arrays
        for array in parts:
            yield from array.held if isinstance(array, FieldBlocks) else (array,)

    def like(self, shape: Sequence[int]) -> FieldBlocks:
        return self._of_shape(shape, [_room_beside(array, shape) for array in self.arrays])

    def map(self, function: Callable[[Block], Block]) -> FieldBlocks:
        def mapped(array: Block) -> Block:
            return array.map(function) if isinstance(array, FieldBlocks) else function(array)

        return self._of_shape(self.shape, list(map(mapped, self.arrays)))

    def transpose(self, order: Sequence[int]) -> FieldBlocks:
        """The block with its axes in another order: views."""
        shape = [self.shape[axis] for axis in order]
        return self._of_shape(shape, [array.transpose(order) for array in self.arrays])

    def __getitem__(self, key: str | Slices) -> Any:
        """One field by its name, or the cells of some slices, as views."""
        found = super().__getitem__(key)
        return found if isinstance(key, str) else self._of_shape(found.shape, found.arrays)

    def structured(self) -> np.ndarray[Any, Any]:
        """The block as one array of NumPy, whose fields must lie on the host."""
        cells, parts = np.empty(self.shape, self.dtype), tuple[Any, ...](self.arrays)
        for name, array in zip(self.dtype.names or (), parts, strict=True):
            cells[name] = array.structured() if isinstance(array, FieldBlocks) else array
        return cells

    def _of_shape(self, shape: Sequence[int], arrays: Sequence[Block]) -> FieldBlocks:
        return FieldBlocks(shape, self.dtype, arrays)

    def __reduce__(self) -> tuple[Any, ...]:
        return FieldBlocks, (self.shape, self.dtype, self.arrays)


def _room_beside(array: Block, shape: Sequence[int]) -> Block:
    return array.like(shape) if isinstance(array, FieldBlocks) else room_beside(array, shape)


def cell_dtypes(dtype: Any) -> tuple[np.dtype[Any], ...]:
    """Dtypes of the arrays that a block on a device is made of.

    Of a structured dtype those of its fields; of what stands where others have a dtype, as of
    several outputs or of buckets, its `arrays`.

    Examples
    --------
    >>> cell_dtypes(np.dtype([("f0", "i4,f8"), ("f1", "?")]))
    (dtype('int32'), dtype('float64'), dtype('bool'))
    """
    if not isinstance(dtype, np.dtype):
        return tuple([one for array in dtype.arrays for one in cell_dtypes(array)])
    if not dtype.names:
        return (dtype,)
    return tuple([one for name in dtype.names for one in cell_dtypes(dtype[name])])
