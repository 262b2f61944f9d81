"""Reading back what a sink wrote: a source that waits until the sink has finished."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Node, Source, Tensor, TensorType, apply, sequence_point
from dask_tapestry.zspace import Cuts, ZRange


@dataclass(frozen=True)
class ReadBackSource(Source):
    """A source that is written before it is read, so it is read in tasks of its own."""

    name = "stored"
    holds = True
    may_change = True
    inner: Source
    run: str = ""

    def for_run(self, run: str) -> ReadBackSource:
        return replace(self, run=run)

    @property
    def _stored(self) -> Source:
        """What is there since the first task of this process has looked."""
        return _open_written(self.inner, self.run) if self.run else self.inner

    def confirm(self, boxes: Iterable[ZRange]) -> None:
        self._stored.confirm(boxes)

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.inner.infer()

    @property
    def fills(self) -> bool:  # type: ignore[override]
        return self.inner.fills

    @property
    def chunks(self) -> tuple[int, ...] | None:
        return self.inner.chunks

    @property
    def read_sides(self) -> tuple[int, ...] | None:
        return self.inner.read_sides

    @property
    def chunk_cuts(self) -> tuple[Cuts, ...] | None:
        return self.inner.chunk_cuts

    @property
    def read_cuts(self) -> tuple[Cuts, ...] | None:
        return self.inner.read_cuts

    @property
    def is_plain(self) -> bool:
        return self.inner.is_plain

    @property
    def codec(self) -> str:
        return self.inner.codec

    @property
    def local_only(self) -> str | None:
        """Why only this process can read, or None where any can."""
        return self.inner.local_only

    def origin(self) -> str:
        """The location of the array; which cells it has depends on the writes that it follows."""
        return self.inner.text()

    def stored_bytes(self, box: ZRange) -> int:
        return self.inner.stored_bytes(box)

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        return self._stored.read(box, out)

    def text(self) -> str:
        return self.inner.text()


@lru_cache(maxsize=256)
def _open_written(source: Source, run: str) -> Source:
    return source.for_run(run)


def read_back(source: Source, sink: Node) -> Tensor:
    """Return the tensor that a source reads once a sink has finished."""
    return apply(ReadBackSource(source), after=[sequence_point(sink)])
