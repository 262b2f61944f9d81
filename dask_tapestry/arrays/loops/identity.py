"""Identity of a loop: of the graph of its step, of the data that steps read, of its first state.

Cells that no origin names are known by a sum of their bits, each mixed with its place: a reduction
like others, so that a state may be as large as a cluster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.arrays.loops.traced_functions import Traced
from dask_tapestry.arrays.planning import compute
from dask_tapestry.arrays.shape.reshaping import reshape
from dask_tapestry.errors import DTypeError
from dask_tapestry.io.resuming.identity import COMPUTED, Identity, graph_parts
from dask_tapestry.teg import Node, Source
from dask_tapestry.teg.origin import UnnamedError

ODD: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


def identity_of(step: Traced, state: Sequence[Array], more: str = "") -> Identity:
    """The identity of a loop; `more` is what its graph does not tell.

    {Raises} UnnamedError: If a function of the step holds something that has no name.
    """
    roots, slots = [step.nodes[n] for n in step.roots], [step.nodes[n] for n in step.slots]
    parts = graph_parts(roots, slots, _data_of)
    types = [str(x.node.type) for x in state]
    computed = f"{parts.pop(COMPUTED)} {types} {more}"
    read = {"the data that steps read": sorted(parts.items())}
    return Identity.of({"what a step computes": computed, **read, "the first state": _cells(state)})


def _data_of(node: Node) -> str:
    """Name of the data of a source."""
    assert isinstance(node.operator, Source)
    try:
        return node.operator.origin()
    except UnnamedError:
        return _cells([Array(node)])


def _cells(arrays: Sequence[Array]) -> str:
    """Text of the cells of arrays."""
    sums: Sequence[Any] = compute(*[checksum(x) for x in arrays]) if arrays else ()
    return " ".join([f"{x.node.type} {int(n)}" for x, n in zip(arrays, sums, strict=True)])


def checksum(x: Array) -> Array:
    """A sum of the bits of all cells, each mixed with its place: 0-d, uint64, lazy.

    {Raises} DTypeError: For cells that are no numbers.
    {Examples}
    >>> one, other = dt.asarray([1.0, 2.0]), dt.asarray([2.0, 1.0])
    >>> bool((checksum(one) == checksum(other)).compute())
    False
    """
    cells = reshape(x, (-1,))
    place = arange(x.size, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    first, *more = [_mix_digest(bits, place).sum(dtype=np.uint64) for bits in _bits(cells)]
    total: Array = sum(more, first * ODD[0])
    return total


def _mix_digest(bits: Array, place: Array) -> Array:
    mixed: Array = (bits + np.uint64(1)) * ODD[0]
    mixed = (mixed ^ (mixed >> np.uint64(29))) * place * ODD[1]
    return mixed ^ (mixed >> np.uint64(32))


def _bits(cells: Array) -> list[Array]:
    """Cells as unsigned integers; of complex ones both parts."""
    kind, size = cells.dtype.kind, cells.dtype.itemsize
    if kind == "c" and size <= 16:
        return [*_bits(cells.real), *_bits(cells.imag)]
    if kind in "biu":
        return [cells.astype(np.uint64)]
    if kind in "fmM" and size in (2, 4, 8):
        return [cells.view(f"u{size}").astype(np.uint64)]
    raise DTypeError(f"a checkpoint keeps numbers, not {cells.dtype}")
