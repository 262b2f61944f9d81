"""The contract of sources: operators without inputs that bring data into an expression."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar, Final, Literal

import numpy as np

from dask_tapestry.teg.chunking import Chunks, Known, declared_chunks
from dask_tapestry.teg.operator import Operator, Types
from dask_tapestry.teg.origin import TO_ZARR, UnnamedError
from dask_tapestry.zspace import Cuts, ZRange
from dask_tapestry_kernels.block_format import BlockFormat

Block = np.ndarray[Any, Any]
PLAIN_CODEC: Final = "plain"  # no codec: cells are stored as they lie in memory
USUAL_CODEC: Final = "zstd"  # which Zarr takes, and Blosc unless told otherwise


class Source(Operator):
    """A block operator without inputs that brings data into an expression.

    Attributes
    ----------
    external
        Its blocks are handed to a step instead of read by it: they are in memory.
    may_change
        Whether other processes may write to what is stored while it is read: see `confirm`.
    order
        Order in which its cells lie in memory, where they do.
    data
        The array, or what can be sliced like one, that it reads; None where it holds none.
    is_table
        What reads it reads most of it: workers have it once, instead of each task.
    waits_where_read
        The steps that read it follow what it follows: no value of it is held.
    joined
        The sources whose cells it has, of one that joins them; else none.
    joined_forms
        The forms of all that do not join others themselves.
    """

    transparent = True
    repeats = True
    category = "source"
    kernel = "read"
    external: ClassVar[bool] = False
    may_change: ClassVar[bool] = False
    order: Literal["C", "F"] = "C"
    data: Any = None
    is_table: bool = False
    waits_where_read: ClassVar[bool] = False
    joined: tuple[Source, ...] = ()
    joined_forms: tuple[str, ...] = ()

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return ()

    @property
    def chunks(self) -> tuple[int, ...] | None:
        """Sides of the longest stored chunks, or None where it has none."""
        return None

    @property
    def chunk_cuts(self) -> tuple[Cuts, ...] | None:
        """The stored chunks along each axis, or None where it has none."""
        return None if self.chunks is None else self._cuts_of(self.chunks)

    @property
    def read_sides(self) -> tuple[int, ...] | None:
        """Longest sides of what is read as a whole: of chunks, or of parts of them."""
        return self.chunks

    @property
    def read_cuts(self) -> tuple[Cuts, ...] | None:
        """What is read as a whole, along each axis."""
        return None if self.read_sides is None else self._cuts_of(self.read_sides)

    @property
    def is_plain(self) -> bool:
        """Whether it reads files whose cells are not encoded: no faster than memory is copied."""
        return False

    @property
    def codec(self) -> str:
        """The name of what encodes its cells; some are read as they lie in memory."""
        return PLAIN_CODEC if self.is_plain else USUAL_CODEC

    def strided_scratch_bytes(self, box: ZRange) -> int:
        """Bytes beside the cells `box` that reading takes, to memory that has others between them.

        It is `scratch_bytes`, or more where cells in a row are decoded to where they are wanted.
        """
        return self.scratch_bytes((), box)

    @property
    def helper_bytes(self) -> int | None:
        """Bytes that another thread takes which helps to read chunks; None where none helps."""
        return None

    @property
    def in_runs(self) -> bool:
        """Whether a worker has blocks that follow each other, as of an array that is sent."""
        return self.external and self.layout is None

    def nominal(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """The user's or another collection's layout, else the stored chunks."""
        if self.layout is not None:
            return declared_chunks(self.layout)
        stored = self.chunk_cuts
        return (None,) * self.infer().ndim if stored is None else declared_chunks(stored)

    @property
    def stored_cuts(self) -> tuple[Cuts | None, ...] | None:
        return self.chunk_cuts

    def _cuts_of(self, chunks: tuple[int, ...]) -> tuple[Cuts, ...]:
        sides = zip(self.infer().shape, chunks, strict=True)
        return tuple([Cuts.regular(n, max(1, side)) for n, side in sides])

    def slot(self, number: int, identity: str = "") -> Source | None:
        """Slot `number`, which stands for it in a plan for any data of its type, or None.

        `identity` says whose plan it is in.
        """
        return None

    def with_joined(self, sources: Sequence[Source]) -> Source:
        """The one that joins other `sources` likewise."""
        raise NotImplementedError(f"{self.name} joins no sources")

    def for_run(self, run: str) -> Source:
        """The source as the compute `run` finds it: one version of what is stored."""
        del run
        return self

    @property
    def stamp(self) -> str:
        """Text that is another for other versions of what is stored; empty where none is known."""
        return ""

    def origin(self) -> str:
        """Text that any process finds for these data, and that is another for others.

        Raises
        ------
        UnnamedError
            If nothing tells the data from others.
        """
        raise UnnamedError(f"the cells of {self.label}({self.text()}) have no name", TO_ZARR)

    def confirm(self, boxes: Iterable[ZRange]) -> None:
        """Raise `StoreError` if the cells that a task has read are not all of the version read."""

    @abstractmethod
    def read(self, box: ZRange, out: Block | None = None) -> Block:
        """Return the cells `box`; the caller may not write to them.

        Parameters
        ----------
        out
            Memory for them, of the tensor's dtype. A source that ``fills`` puts the cells there and
            returns it where it can; others return the cells where they lie.
        """

    def read_some(self, box: ZRange, out: Block | None, every: int) -> Block:
        """Like `read`, but only every so many rows of the first axis are needed, from the first on.

        Other cells of what is returned may be anything.
        """
        del every
        return self.read(box, out)

    def opened(self, box: ZRange) -> AbstractContextManager[tuple[int, int] | None]:
        """A context: the open file where the cells `box` lie side by side as they are in memory.

        That is its descriptor, and the byte at which they begin. None where there is no such file,
        or it cannot be opened: `read` says why.
        """
        del box
        return nullcontext()

    def read_on_device(self, box: ZRange, wanted: BlockFormat) -> Any:
        """The cells `box` on a device; None where the host reads them and brings them there."""
        del box, wanted
        return None
