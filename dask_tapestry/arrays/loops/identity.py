"""Identity of a loop: of its graph, of the data that its steps read, and of its first state.

The graph that a step was traced to is its code: a step that is written otherwise and computes by
the same operators is the same step. Cells are known by a sum of their bits, each mixed with its
place: a reduction like others, so that a state may be as large as a cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.arrays.loops.traced import Traced
from dask_tapestry.arrays.planning import compute
from dask_tapestry.arrays.shape.reshaping import reshape
from dask_tapestry.errors import DTypeError
from dask_tapestry.late_named_tuple import NamedTuple
from dask_tapestry.planner.saved import digest
from dask_tapestry.teg import Graph, Source

ODD: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))


class Identity(NamedTuple):
    """What makes two loops one, each part by itself, so that an error can name it."""

    step: str
    data: str
    state: str

    @classmethod
    def of(cls, step: Traced, state: Sequence[Array], more: str = "") -> Identity:
        """The identity of a loop; `more` is what its graph does not tell."""
        graph = Graph([step.nodes[root] for root in step.roots])
        slots = {step.nodes[place] for place in step.slots}
        read = [Array(n) for n in step.nodes if isinstance(n.operator, Source) and n not in slots]
        types = [str(x.node.type) for x in state]
        return cls(_text([digest(graph), *types, more]), _cells(read), _cells([*state]))

    def as_dict(self) -> dict[str, str]:
        """As it is stored."""
        return dict(zip(self._fields, self, strict=True))

    def differs(self, other: Any) -> str:
        """What another identity, as it is stored, has otherwise."""
        known = other if isinstance(other, dict) else {}
        names = {"step": "what a step computes", "data": "the data that steps read"}
        for name, value in self.as_dict().items():
            if known.get(name) != value:
                return names.get(name, "the first state")
        return "something that this version does not know"


def _text(parts: Iterable[str]) -> str:
    return blake2b("\n".join(parts).encode(), digest_size=16).hexdigest()


def _cells(arrays: Sequence[Array]) -> str:
    """Text of the cells of arrays."""
    if not arrays:
        return _text([])
    sums = compute(*[checksum(x) for x in arrays])
    return _text([f"{x.node.type} {int(value)}" for x, value in zip(arrays, sums, strict=True)])


def checksum(x: Array) -> Array:
    """A sum of the bits of all cells, each mixed with its place: 0-d, uint64, lazy.

    Raises
    ------
    DTypeError
        For cells that are no numbers.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> one, other = dt.asarray([1.0, 2.0]), dt.asarray([2.0, 1.0])
    >>> bool((checksum(one) == checksum(other)).compute())
    False
    """
    cells = reshape(x, (-1,))
    place = arange(x.size, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    first, *more = [_mixed(bits, place).sum(dtype=np.uint64) for bits in _bits(cells)]
    total: Array = sum(more, first * ODD[0])
    return total


def _mixed(bits: Array, place: Array) -> Array:
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
