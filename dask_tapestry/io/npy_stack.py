"""Stacks of npy files, as `dask.array.to_npy_stack` writes them: a folder with a file a block.

The file ``info`` holds chunks, dtype and axis, pickled by Dask; here it is read without running
anything that a pickle could name. It is written last, so a folder without it is not complete.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import DTypeError, ShapeError, StoreError, StoreNotFoundError
from dask_tapestry.io.duck import as_declared
from dask_tapestry.teg import Node, Sink, Source, Tensor, TensorType, apply
from dask_tapestry.zspace import Cuts, ZRange, block_box, block_range

INFO = "info"


class _InfoUnpickler(pickle.Unpickler):
    """Unpickles numbers, containers and NumPy's dtypes, and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "numpy" and name == "dtype":
            return np.dtype
        if module == "numpy.dtypes" and name.endswith("DType"):
            return getattr(np.dtypes, name)
        raise pickle.UnpicklingError(f"{module}.{name} has no place in it")


@dataclass(frozen=True)
class NpyStackSource(Source):
    """Files ``0.npy``, ``1.npy``, ... in a folder, cut along one axis."""

    name = "stack"
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

    def stored_bytes(self, box: ZRange) -> int:
        return box.size * self.type.dtype.itemsize

    def read(self, box: ZRange) -> np.ndarray[Any, Any]:
        block = np.empty(box.shape, self.type.dtype)
        if box.is_empty:
            return block
        for number in block_range(self.cuts, box)[self.axis]:
            at = tuple(number * (axis == self.axis) for axis in range(box.ndim))
            held = block_box(self.cuts, at)
            part = held.intersection(box)
            block[part.slices(box)] = self._file(number, held.shape)[part.slices(held)]
        return block

    def _file(self, number: int, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        path = Path(self.folder) / f"{number}.npy"
        try:
            cells = np.load(path, self.mode, allow_pickle=False)  # type: ignore[arg-type]
            return as_declared(cells, shape, self.type.dtype, self)
        except (OSError, ValueError, TypeError) as error:
            raise StoreError(f"cannot read {path}: {error}") from error

    def text(self) -> str:
        return repr(self.folder)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return self.read(self.type.box)


def from_npy_folder(folder: Path, mode: str | None) -> Tensor:
    """Return the tensor of a stack.

    Raises
    ------
    StoreNotFoundError, StoreError
        If there is none, or its description cannot be read.
    """
    try:
        with (folder / INFO).open("rb") as file:
            info = _InfoUnpickler(file).load()
        cuts = tuple(Cuts.of_lengths([int(n) for n in lengths]) for lengths in info["chunks"])
        dtype, axis = np.dtype(info["dtype"]), int(info["axis"])
    except FileNotFoundError:
        raise StoreNotFoundError(f"there is no stack of npy files at {folder}") from None
    except Exception as error:
        raise StoreError(f"cannot read {folder / INFO}: {error}") from error
    if 0 in info["chunks"][axis] and cuts[axis].extent:
        raise StoreError(f"the stack at {folder} has empty files, which cannot be told apart")
    native = dtype.newbyteorder("=")
    type_ = TensorType(tuple(c.extent for c in cuts), native)
    return apply(NpyStackSource(str(folder), type_, cuts, axis, mode, uuid4().hex))


@dataclass(frozen=True)
class NpyStackSink(Sink):
    """Writes a file for each `length` cells along an axis."""

    name = "storenpy"
    folder: str
    type: TensorType
    axis: int
    length: int
    overwrite: bool

    @property
    def chunks(self) -> tuple[int, ...]:
        sides = (self.length if d == self.axis else n for d, n in enumerate(self.type.shape))
        return tuple(max(1, n) for n in sides)

    def prepare(self, type_: TensorType) -> None:
        folder = Path(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        if not self.overwrite:
            refuse_filled(folder)
        for path in (folder / INFO, *folder.glob("*.npy")):
            path.unlink(missing_ok=True)

    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        for piece in box.cut(self.axis, self.length) if box.shape[self.axis] else [box]:
            path = Path(self.folder) / f"{piece.lo[self.axis] // self.length}.npy"
            try:
                np.save(path, block[piece.slices(box)], allow_pickle=False)
            except OSError as error:
                raise StoreError(f"cannot write {path}: {error}") from error

    def finish(self) -> None:
        whole: list[tuple[int, ...]] = [(n,) for n in self.type.shape]
        cuts = Cuts.regular(self.type.shape[self.axis], self.length)
        whole[self.axis] = tuple(cuts.lengths())
        info = {"chunks": tuple(whole), "dtype": self.type.dtype, "axis": self.axis}
        with (Path(self.folder) / INFO).open("wb") as file:
            _dump(info, file)

    def text(self) -> str:
        return f"{self.folder!r}, axis {self.axis}"


def _dump(info: dict[str, Any], file: BinaryIO) -> None:
    pickle.dump(info, file)


def refuse_filled(folder: Path) -> None:
    """Raise `StoreError` if a folder holds a stack, or part of one."""
    if (folder / INFO).exists() or any(folder.glob("*.npy")):
        raise StoreError(f"{folder} holds npy files: give overwrite=True to replace them")


def npy_stack_sink(
    x: Tensor, folder: Path, axis: int, length: int, overwrite: bool, after: Sequence[Node] = ()
) -> Node:
    """Return the sink that writes `x` as a stack.

    Raises
    ------
    StoreError
        If files are there and `overwrite` is false.
    ShapeError, DTypeError
        For a tensor without dimensions, or one of Python objects.
    """
    if not x.type.ndim:
        raise ShapeError("an array without dimensions cannot be cut into a stack")
    if x.type.dtype.hasobject:
        raise DTypeError("Python objects are not stored")
    if not overwrite and folder.exists():
        refuse_filled(folder)
    sink = NpyStackSink(str(folder), x.type, axis, max(1, length), overwrite)
    return apply(sink, x, after=after)
