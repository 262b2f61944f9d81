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
from dask_tapestry.io.duck_source import checked_block
from dask_tapestry.io.folder_swap import PARTIAL, remove
from dask_tapestry.teg import Node, Sink, Source, Tensor, TensorType, apply
from dask_tapestry.teg.node import topological
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
            return checked_block(cells, shape, self.type.dtype, self)
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
    """Writes a file for each `length` cells along an axis.

    The files are written in a folder within, and take their places when all are there: what they
    replace can be read until then, and is kept if a write fails.
    """

    name = "storenpy"
    folder: str
    type: TensorType
    axis: int
    length: int
    overwrite: bool
    identity: str
    once: bool = False  # its value reads what it replaces: written again, it would be another one

    @property
    def chunks(self) -> tuple[int, ...]:
        sides = (self.length if d == self.axis else n for d, n in enumerate(self.type.shape))
        return tuple(max(1, n) for n in sides)

    @property
    def part(self) -> Path:
        """The folder in which the files are written."""
        return Path(self.folder) / PARTIAL

    def prepare(self, type_: TensorType, run: str) -> None:
        maker, made = (self.identity, run), _maker_of(Path(self.folder))
        if maker in (made, _maker_of(self.part)):
            return  # Dask does a task again if its worker was lost; others may have written since
        mine = made is not None and made[0] == self.identity
        if mine and self.once:
            return
        if not self.overwrite and not mine:
            refuse_filled(Path(self.folder))
        remove(self.part)
        self.part.mkdir(parents=True)
        self._describe(run)

    def _describe(self, run: str) -> None:
        whole: list[tuple[int, ...]] = [(n,) for n in self.type.shape]
        cuts = Cuts.regular(self.type.shape[self.axis], self.length)
        whole[self.axis] = tuple(cuts.lengths())
        info = {"chunks": tuple(whole), "dtype": self.type.dtype, "axis": self.axis}
        with (self.part / INFO).open("wb") as file:
            _dump(info | {"by": (self.identity, run)}, file)

    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        if self._is_in_place:
            return
        for piece in box.cut(self.axis, self.length) if box.shape[self.axis] else [box]:
            path = self.part / f"{piece.lo[self.axis] // self.length}.npy"
            try:
                np.save(path, block[piece.slices(box)], allow_pickle=False)
            except OSError as error:
                raise StoreError(f"cannot write {path}: {error}") from error

    def finish(self) -> None:
        """Put the files in their places, the description last; done again, it goes on."""
        folder = Path(self.folder)
        if not (self.part / INFO).exists():  # it is in its place
            remove(self.part)
            return
        (folder / INFO).unlink(missing_ok=True)
        count = Cuts.regular(self.type.shape[self.axis], self.length).count
        kept = {f"{number}.npy" for number in range(count)}
        for path in folder.glob("*.npy"):
            if path.name not in kept:
                path.unlink()
        for path in sorted(self.part.glob("*.npy")):
            path.replace(folder / path.name)
        (self.part / INFO).replace(folder / INFO)
        remove(self.part)

    def meets(self, other: Sink) -> bool:
        if not isinstance(other, NpyStackSink):
            return False
        return Path(other.folder).resolve() == Path(self.folder).resolve()

    @property
    def _is_in_place(self) -> bool:
        """Whether the stack is complete, so that a task that is done again does nothing."""
        made = None if self.part.exists() else _maker_of(Path(self.folder))
        return made is not None and made[0] == self.identity

    def text(self) -> str:
        return f"{self.folder!r}, axis {self.axis}"


def _maker_of(folder: Path) -> tuple[str, str] | None:
    """The sink that wrote a stack and the compute in which it did; None if it is not known."""
    try:
        with (folder / INFO).open("rb") as file:
            made: tuple[str, str] | None = _InfoUnpickler(file).load().get("by")
    except Exception:  # whatever is there, this sink did not write it
        return None
    return made


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
    reads = (n.operator for n in topological([x]) if isinstance(n.operator, NpyStackSource))
    once = any(Path(source.folder).resolve() == folder.resolve() for source in reads)
    sink = NpyStackSink(str(folder), x.type, axis, max(1, length), overwrite, uuid4().hex, once)
    return apply(sink, x, after=after)
