"""Stacks of npy files as sinks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import DTypeError, ShapeError, StoreError
from dask_tapestry.io.files.folder_swap import PARTIAL, remove_folder
from dask_tapestry.io.journals.writer_id import WriterId, next_step
from dask_tapestry.io.sources.npy_stack_info import INFO, maker_of_stack, write_info
from dask_tapestry.io.sources.npy_stack_source import NpyStackSource
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import PLAIN_CODEC, Node, Sink, Tensor, TensorType, apply
from dask_tapestry.teg.node import topological
from dask_tapestry.zspace import Cuts, ZRange


@dataclass(frozen=True)
class NpyStackSink(Sink):
    """Writes a file for each `length` cells along an axis.

    The files are written in a folder within, and take their places when all are there: what they
    replace can be read until then, and is kept if a write fails.
    """

    name = "storenpy"
    codec = PLAIN_CODEC
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
        """Folder in which the files are until all are written."""
        return Path(self.folder) / PARTIAL

    def prepare(self, type_: TensorType, run: str) -> None:
        folder, maker = Path(self.folder), WriterId(self.identity, run)
        found, beside = maker_of_stack(folder), maker_of_stack(self.part)
        step = next_step(maker, found, beside, once=self.once, overwrite=self.overwrite)
        if step == "keep":
            return
        if step == "create" and not self.overwrite:
            refuse_filled(folder)
        remove_folder(self.part)
        try:
            self.part.mkdir(parents=True)
            write_info(self.part, self._info, maker)
        except OSError as error:
            raise StoreError(f"cannot write a stack of npy files to {folder}: {error}") from error

    @property
    def _info(self) -> dict[str, Any]:
        chunks: list[tuple[int, ...]] = [(n,) for n in self.type.shape]
        cuts = Cuts.regular(self.type.shape[self.axis], self.length)
        chunks[self.axis] = tuple(cuts.lengths())
        return {"chunks": tuple(chunks), "dtype": self.type.dtype, "axis": self.axis}

    def write(self, box: ZRange, block: np.ndarray[Any, Any]) -> None:
        if self._is_in_place:
            return
        for part in box.cut(self.axis, self.length) if box.shape[self.axis] else [box]:
            path = self.part / f"{part.lo[self.axis] // self.length}.npy"
            try:
                np.save(path, block[part.slices(box)], allow_pickle=False)
            except OSError as error:
                raise StoreError(f"cannot write {path}: {error}") from error

    def finish(self) -> None:
        """Move the files into their places, ``info`` last; called again, it goes on."""
        folder = Path(self.folder)
        if not (self.part / INFO).exists():  # it is in its place
            remove_folder(self.part)
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
        remove_folder(self.part)

    def meets(self, other: Sink) -> bool:
        if not isinstance(other, NpyStackSink):
            return False
        return Path(other.folder).resolve() == Path(self.folder).resolve()

    @property
    def _is_in_place(self) -> bool:
        """Whether the stack is complete, so that a task that runs again does nothing."""
        made = None if self.part.exists() else maker_of_stack(Path(self.folder))
        return made is not None and made.has_done(self.identity)

    def text(self) -> str:
        return f"{self.folder!r}, axis {self.axis}"


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
        raise DTypeError(f"cells of {x.type.dtype} are not stored: convert them first, with astype")
    if not overwrite and folder.exists():
        refuse_filled(folder)
    reads = (n.operator for n in topological([x]) if isinstance(n.operator, NpyStackSource))
    once = any(Path(source.folder).resolve() == folder.resolve() for source in reads)
    sink = NpyStackSink(str(folder), x.type, axis, max(1, length), overwrite, uuid4().hex, once)
    return apply(sink, x, after=after)
