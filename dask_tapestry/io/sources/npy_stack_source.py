"""Stacks of npy files as sources."""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any, Final
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import StoreError, StoreNotFoundError
from dask_tapestry.io.sources.declared_type import checked_block
from dask_tapestry.io.sources.npy_stack_info import INFO, read_info
from dask_tapestry.io.stores.retry_policy import read_patiently
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Source, Tensor, TensorType, apply
from dask_tapestry.teg.origin import file_stamp
from dask_tapestry.zspace import Cuts, ZRange, block_box, block_range

HEADERS: Final = Lock()  # NumPy parses them by `ast`, which fails at times in two threads at once


@dataclass(frozen=True)
class NpyStackSource(Source):
    """Files ``0.npy``, ``1.npy``, ... in a folder, cut along one axis."""

    name = "stack"
    is_plain = True
    fills = True
    folder: str
    type: TensorType
    cuts: tuple[Cuts, ...]
    axis: int
    mode: str | None
    identity: str

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.type

    @property
    def chunks(self) -> tuple[int, ...] | None:
        regular = not any(c.edges for c in self.cuts)
        return tuple(max(1, c.step) for c in self.cuts) if regular else None

    @property
    def stored_cuts(self) -> tuple[Cuts, ...]:
        """The files."""
        return self.cuts

    def stored_bytes(self, box: ZRange) -> int:
        return box.size * self.type.dtype.itemsize

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        block = np.empty(box.shape, self.type.dtype) if out is None else out
        if box.is_empty:
            return block
        for number in block_range(self.cuts, box)[self.axis]:
            at = tuple(number * (axis == self.axis) for axis in range(box.ndim))
            held = block_box(self.cuts, at)
            part = held.intersection(box)
            block[part.slices(box)] = self._file(number, held)[part.slices(held)]
        return block

    def _file(self, number: int, held: ZRange) -> Block:
        path = Path(self.folder) / f"{number}.npy"
        try:
            cells = read_patiently(lambda: _load(path, self.mode), self.folder)
            return checked_block(cells, held.shape, self.type.dtype, self)
        except (OSError, ValueError, TypeError, OverflowError, RecursionError) as error:
            raise StoreError(f"cannot read {held} of the stack from {path}: {error}") from error

    def origin(self) -> str:
        """The folder, and the stamps of its files."""
        folder = Path(self.folder).resolve()
        names = [INFO, *[f"{number}.npy" for number in range(self.cuts[self.axis].count)]]
        return f"{folder} {self.type} {[file_stamp(folder / name) for name in names]}"

    @property
    def retry_names(self) -> frozenset[str]:
        """The names under which retries of reading a file of the stack are counted."""
        return frozenset({self.folder})

    def text(self) -> str:
        return repr(self.folder)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.read(self.type.box)


def _load(path: Path, mode: Any) -> Block:
    with HEADERS:
        cells: Block = np.load(path, mode, allow_pickle=False)
    return cells


def from_npy_folder(folder: Path, mode: str | None) -> Tensor:
    """Return the tensor of a stack.

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is none, or its description cannot be read.
    """
    try:
        info = read_info(folder)
        cuts = tuple(Cuts.of_lengths([int(n) for n in lengths]) for lengths in info["chunks"])
        dtype, axis = np.dtype(info["dtype"]), range(len(cuts))[int(info["axis"])]
    except FileNotFoundError:
        raise StoreNotFoundError(f"there is no stack of npy files at {folder}") from None
    except Exception as error:
        raise StoreError(f"cannot read {folder / INFO}: {error}") from error
    if 0 in info["chunks"][axis] and cuts[axis].extent:
        raise StoreError(f"the stack at {folder} has empty files, which cannot be ordered")
    native = dtype.newbyteorder("=")
    type_ = TensorType(tuple(c.extent for c in cuts), native)
    return apply(NpyStackSource(str(folder), type_, cuts, axis, mode, uuid4().hex))
