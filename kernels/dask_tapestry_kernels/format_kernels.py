"""Kernels of blocks in formats of other libraries: sparse ones, whose cells not held stay unseen.

Each takes blocks in one format, and returns one in it, or None where it needs all cells. Values are
those of the kernel of the same name, bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.block_format import BlockFormat
from dask_tapestry_kernels.devices import kernels_of

Foreign = Any  # a block in the arrays of another library


def computed(name: str, blocks: Sequence[Foreign], arguments: Mapping[str, Any]) -> Foreign | None:
    """What the kernel `name` makes of blocks; None where it needs all their cells."""
    kernel, formats = KERNELS.get(name), set(map(BlockFormat.of, blocks))
    classes = {None if one is None else (one.module, one.name) for one in formats}
    if kernel is None or len(classes) > 1 or None in classes:
        return None
    return kernel(*blocks, **arguments)


def identity(block: Foreign) -> Foreign:
    """The block itself."""
    return block


def concat(*blocks: Foreign, axis: int) -> Foreign | None:
    """Join blocks along `axis`, those that are filled alike."""
    formats = set(map(BlockFormat.of, blocks))
    known = formats.pop()
    return None if known is None or formats else known.joined(blocks, axis)


def view(
    block: Foreign,
    *,
    index: tuple[int | slice, ...],
    order: tuple[int, ...],
    broadcast: tuple[int, ...],
    shape: tuple[int, ...],
    runs: tuple[int, ...] = (),
) -> Foreign | None:
    """Index, reorder, repeat; see `select.view`."""
    if runs or 0 in shape:
        return None
    if not _is_coordinates(block):
        return _matrix_view(block, index, order, broadcast)
    seen = block[(*index, ...)].transpose(order)
    if broadcast:
        inner = tuple(None if dim in broadcast else slice(None) for dim in range(len(shape)))
        seen = seen[inner].broadcast_to(shape)
    return seen


def _matrix_view(
    block: Foreign, index: Sequence[int | slice], order: Sequence[int], broadcast: Sequence[int]
) -> Foreign | None:
    """A view of a matrix as a matrix."""
    plain = not broadcast and all(isinstance(one, slice) for one in index)
    known = BlockFormat.of(block)
    if known is None or known.library != "scipy" or not plain or not hasattr(block, "indptr"):
        return None
    seen = block[(*index, *[slice(None)] * (2 - len(index)))]
    return seen if tuple(order) == (0, 1) else seen.transpose().asformat(block.format)


def elementwise(*blocks: Foreign, expression: Any) -> Foreign | None:
    """A formula of the cells that blocks hold, and of their fill values."""
    if all(map(_is_coordinates, blocks)):
        return import_module("sparse").elemwise(_Formula(expression), *blocks)
    if len(blocks) > 1 or getattr(blocks[0], "format", "") not in ("csr", "csc"):
        return None
    (block,) = blocks
    if not block.has_canonical_format:  # a cell may be held as several terms of a sum
        block = block.copy()
        block.sum_duplicates()
    kernel = kernels_of("cpu")["map"]
    if kernel(None, np.zeros(1, block.dtype), expression=expression).any():
        return None  # cells that it does not hold are 0
    held = kernel(None, block.data, expression=expression)
    return type(block)((held, block.indices, block.indptr), shape=block.shape)


class _Formula:
    """A cell expression, as a function of arrays that broadcast."""

    def __init__(self, expression: Any) -> None:
        self.expression = expression

    def __call__(self, *cells: Any, **_: Any) -> np.ndarray[Any, Any]:
        whole = np.broadcast_arrays(*cells)
        rows = [np.ascontiguousarray(one).reshape(-1) for one in whole]
        made = kernels_of("cpu")["map"](None, *rows, expression=self.expression)
        return made.reshape(whole[0].shape)


def _is_coordinates(block: Foreign) -> bool:
    """Whether a block is an array of coordinates of pydata's sparse."""
    return type(block).__name__ == "COO" and type(block).__module__.partition(".")[0] == "sparse"


KERNELS: Final[Mapping[str, Callable[..., Any]]] = {
    "identity": identity,
    "concat": concat,
    "view": view,
    "map": elementwise,
}
