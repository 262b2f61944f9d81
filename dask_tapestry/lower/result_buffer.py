"""Result buffers: a local run writes its blocks straight into the final array.

A buffer knows whether it is still in the process that planned it: pickling one gives a remote one,
which holds nothing. So the same tasks write in place under threads and return blocks elsewhere.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, Literal
from weakref import ref

import numpy as np

from dask_tapestry.memory.buffer_pool import POOL
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange

Block = np.ndarray[Any, Any]


class ResultBuffer:
    """The final array of one planned compute; allocated when the first block asks for it.

    One that is not `kept` is that of a step between, and lives as long as some block of it does.
    """

    __slots__ = ("_array", "_lock", "_seen", "kept", "order", "type")

    def __init__(
        self, type_: TensorType | None = None, order: Literal["C", "F"] = "C", kept: bool = True
    ) -> None:
        self.type, self.order, self.kept = type_, order, kept
        self._array: Block | None = None
        self._seen: ref[Block] | None = None  # the memory of what is not kept
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
        if self.type is not None and not self.kept:
            return self._seen_array(self.type)
        if self._array is None:
            with self._lock:
                if self._array is None and self.type is not None:
                    self._array = _memory(self.type, self.order)
        if self._array is None:
            raise RuntimeError("a remote buffer holds no cells")
        return self._array

    def _seen_array(self, type_: TensorType) -> Block:
        with self._lock:
            memory = None if self._seen is None else self._seen()
            if memory is None:
                cells = POOL.empty((type_.nbytes,), np.dtype(np.uint8))
                memory = cells if cells.base is None else cells.base
                self._seen = ref(memory)
        return memory[: type_.nbytes].view(type_.dtype).reshape(type_.shape, order=self.order)

    def adopt(self, block: Block) -> bool:
        """Be `block`, if that is a whole array of its own of this layout; return whether it is."""
        if self.type is None or (block.shape, block.dtype) != (self.type.shape, self.type.dtype):
            return False
        flags = block.flags
        lies_so = flags.c_contiguous if self.order == "C" else flags.f_contiguous
        if not (lies_so and flags.owndata and flags.writeable):
            return False
        with self._lock:
            self._array = block
        return True

    def __reduce__(self) -> tuple[type[ResultBuffer], tuple[()]]:
        return ResultBuffer, ()

    def __dask_tokenize__(self) -> str:
        return "tapestry-buffer"


def _memory(type_: TensorType, order: Literal["C", "F"]) -> Block:
    used = POOL.array(type_.shape, type_.dtype, order)
    return np.empty(type_.shape, type_.dtype, order) if used is None else used


REMOTE = ResultBuffer()
