"""Blocks of Dask's graphs as nodes: those of its arrays, and those that a graph's author names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

import numpy as np
from dask.base import is_dask_collection
from numpy.typing import DTypeLike

from dask_tapestry.cells.fixed_dtype import cell_dtype
from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.io.sources.dask_blocks_source import cuts_of_chunks, from_blocks
from dask_tapestry.teg import Node, TensorType
from dask_tapestry_kernels.block_format import BlockFormat

if TYPE_CHECKING:
    from dask.array import Array as DaskArray

TOKEN: Final = re.compile(r"-[0-9a-f]{32}$")  # of what a value is made of: `dask.base.tokenize`


def blocks_of(d: DaskArray) -> Node:
    """The node whose blocks are those of a Dask array, as they are if their cells are native.

    Two arrays of one name are one value if a token of Dask's ends the name; a name that somebody
    chose says nothing of the value.

    {Raises}
        ShapeError: If chunk sizes are unknown.
        {DTypeError.fields}
    """
    if not isinstance(getattr(d, "dask", None), Mapping) or not hasattr(d, "chunks"):
        what = type(d).__name__
        if is_dask_collection(d):
            raise ArgumentTypeError(
                f"one array is needed, and {what} is another kind of Dask's collections: give the "
                "arrays that it holds one by one, as the variables of a dataset"
            )
        raise ArgumentTypeError(f"a dask.array is needed, not {what}")
    dtype = cell_dtype(np.dtype(d.dtype))
    if dtype != d.dtype:
        d = d.astype(dtype)
    cuts = cuts_of_chunks(d.chunks)
    if any(len(lengths) != c.count for lengths, c in zip(d.chunks, cuts, strict=True)):
        d = d.rechunk(tuple(tuple(c.lengths()) for c in cuts))  # without its empty blocks
    type_ = TensorType(tuple(c.extent for c in cuts), dtype)
    identity = "" if TOKEN.search(d.name) else uuid4().hex
    graph, known = d.__dask_graph__(), BlockFormat.of(d._meta)
    return from_blocks(d.name, type_, cuts, graph, identity, None, cuts, known)


def blocks_named(
    graph: Mapping[Any, Any],
    name: str | None,
    chunks: Any,
    dtype: DTypeLike | None,
    meta: Any,
    shape: tuple[int, ...] | None,
) -> Node:
    """The node whose blocks a graph holds under ``(name, i, j, ...)``: Dask's own arguments.

    {Raises} ValueError: If chunks or dtype are not given, or chunks do not fit the shape.
    """
    from dask.array import Array as DaskArray  # noqa: PLC0415  (a quarter of a second)

    return blocks_of(DaskArray(graph, name, chunks, dtype, meta, shape))
