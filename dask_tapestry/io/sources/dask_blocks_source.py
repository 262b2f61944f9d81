"""Blocks of another Dask collection, or of a persisted array, as a source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields, replace
from itertools import product
from typing import Any
from uuid import uuid4

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.io.sources.bytes_on_workers import holds_futures, remember_blocks
from dask_tapestry.io.sources.cells_digest import cells_digest
from dask_tapestry.io.sources.source_parameter import SourceParameter
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Block, Source, Tensor, TensorType, apply
from dask_tapestry.teg.chunking import Chunks, Known, said_but
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.origin import TO_ZARR, UnnamedError
from dask_tapestry.zspace import Cuts, ZRange
from dask_tapestry_kernels.block_format import BlockFormat


@dataclass(frozen=True)
class BlockSource(Source):
    """Blocks that the tasks ``(key_name, i, j, ...)`` of `graph` yield, cut as `cuts` says.

    `held` is what must live as long as they may be computed again; `stored_cuts` is the
    grid in which the data that they are made of is stored; `format` what blocks are held in.
    Along axes that are `canonical` nobody said the cuts. `in_runs` says whether a worker has blocks
    that follow each other.
    """

    name = "blocks"
    external = True
    repeats = False  # as far as is known of tasks that may be others'
    key_name: str
    identity: str
    type: TensorType
    cuts: tuple[Cuts, ...]
    graph: Mapping[Any, Any] = field(compare=False, repr=False)
    held: object = field(default=None, compare=False, repr=False)
    stored_cuts: tuple[Cuts | None, ...] | None = None
    format: BlockFormat | None = None
    canonical: tuple[int, ...] = ()
    in_runs: bool = False

    @property
    def layout(self) -> tuple[Cuts, ...]:
        return self.cuts

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.type

    def nominal(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        return said_but(self.cuts, self.canonical)

    def slot(self, number: int, identity: str = "") -> SourceParameter:
        told = (self.cuts, self.order, identity, self.stored_cuts, self.format)
        return SourceParameter(number, self.type, *told, in_runs=self.in_runs)

    def origin(self) -> str:
        """Digest of the cells, where all blocks are arrays in this process."""
        shape = [cuts.count for cuts in self.cuts]
        keys = [(self.key_name, *index) for index in product(*map(range, shape))]
        blocks = [block for block in map(self.graph.get, keys) if type(block) is np.ndarray]
        if len(blocks) < len(keys):
            what = f"blocks of {self.type} that others compute, or that workers keep, have no name"
            raise UnnamedError(what, TO_ZARR)
        return f"{self.type} {self.cuts} {[cells_digest(block) for block in blocks]}"

    def read(self, box: ZRange, out: Block | None = None) -> Block:
        raise NotImplementedError(
            "blocks of a collection are arguments of a task and cannot be read from a store"
        )

    def text(self) -> str:
        return ", ".join(map(str, self.cuts))

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, tuple(getattr(self, each.name) for each in fields(self))


def _arrived(key_name: str, identity: str, *rest: Any) -> BlockSource:
    """A source that was pickled; one of futures is equal to no other.

    Its futures are those of the client that takes it, which no node may share that another client
    of this process has: they end with their client.
    """
    arrived = BlockSource(key_name, identity, *rest)
    if holds_futures(key_name, arrived.graph):
        return replace(arrived, identity=uuid4().hex)
    return arrived


def from_blocks(
    key_name: str,
    type_: TensorType,
    cuts: tuple[Cuts, ...],
    graph: Mapping[Any, Any],
    identity: str = "",
    held: object = None,
    stored_cuts: tuple[Cuts | None, ...] | None = None,
    block_format: BlockFormat | None = None,
    canonical: tuple[int, ...] = (),
    in_runs: bool = False,
) -> Tensor:
    """Return the tensor whose blocks are the results of a graph's tasks.

    `identity` tells apart graphs that hold results under equal keys, on two clusters say;
    `held` must live as long as they; `stored_cuts` is the grid in which the data is stored that
    these are made of; `block_format` is what blocks are held in; along axes that are `canonical`
    nobody said the cuts; `in_runs` says whether a worker has blocks that follow each other.
    """
    told = (graph, held, stored_cuts, block_format, canonical, in_runs)
    source = BlockSource(key_name, identity, type_, cuts, *told)
    remember_blocks(source, key_name, graph)
    return apply(source)


def cuts_of_chunks(chunks: tuple[tuple[int, ...], ...]) -> tuple[Cuts, ...]:
    """Cuts for Dask's block lengths.

    Raises
    ------
    ShapeError
        If a length is unknown (NaN): shapes here are always exact.
    """
    if any(n != n for lengths in chunks for n in lengths):
        raise ShapeError("the Dask array has unknown chunk sizes: call compute_chunk_sizes() first")
    return tuple(Cuts.of_lengths([int(n) for n in lengths]) for lengths in chunks)
