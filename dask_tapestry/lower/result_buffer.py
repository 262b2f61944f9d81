"""Result buffers: a local run writes its blocks straight into the final array.

A buffer knows whether it is still in the process that planned it: pickling one gives a remote one,
which holds nothing. So the same tasks write in place under threads and return blocks elsewhere.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, Literal

import numpy as np

from dask_tapestry.memory.buffer_pool import POOL
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange

Block = np.ndarray[Any, Any]


class ResultBuffer:
    """The final array of one planned compute; allocated when the first block asks for it."""

    __slots__ = ("_array", "_lock", "order", "type")

    def __init__(self, type_: TensorType | None = None, order: Literal["C", "F"] = "C") -> None:
        self.type, self.order = type_, order
        self._array: Block | None = None
        self._lock = Lock()

    @property
    def is_local(self) -> bool:
        """Whether blocks can be written here."""
        return self.type is not None

    def box(self, box: ZRange) -> Block:
        """Return the cells `box`, to be written."""
        return self.array[box.index()]

    @property
    def array(self) -> Block:
        """The whole array."""
        if self._array is None:
            with self._lock:
                if self._array is None and self.type is not None:
                    self._array = _memory(self.type, self.order)
        if self._array is None:
            raise RuntimeError("a remote buffer holds no cells")
        return self._array

    def __reduce__(self) -> tuple[type[ResultBuffer], tuple[()]]:
        return ResultBuffer, ()

    def __dask_tokenize__(self) -> str:
        return "tapestry-buffer"


def _memory(type_: TensorType, order: Literal["C", "F"]) -> Block:
    used = POOL.array(type_.shape, type_.dtype, order)
    return np.empty(type_.shape, type_.dtype, order) if used is None else used


REMOTE = ResultBuffer()
