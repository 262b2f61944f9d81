"""Unordered cells: those of a flattened value as they lie, for what does not ask in which order.

A vector that is cut in runs reads chunks of many rows again for each run that begins inside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from dask_tapestry.cells import Spaced
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.tuning import WIDEST_CHUNK_ROW_BYTES
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.operators.views.reshape import Reshape, reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Node
from dask_tapestry.teg.node import reapply
from dask_tapestry.teg.stored_grid import stored_spacing


def unordered(x: Node) -> Node:
    """The cells of `x`, of any shape and in any order: those that it is a reshape of, if it is one.

    Or what is computed of reshapes of one shape, cell by cell.
    """
    found = _unflattened(x)
    return x if found is None else found


def _unflattened(x: Node) -> Node | None:
    """What `x` is a reshape of; of what formulas read, once, however many paths lead to it."""
    known: dict[Node, Node | None] = {}
    unmet = [x]
    while unmet:
        first = [one for one in _inputs_of_formula(unmet[-1]) if one not in known]
        if first:
            unmet += first
        else:
            one = unmet.pop()
            known[one] = _unflattened_by(known, one)
    return known[x]


def _inputs_of_formula(x: Node) -> tuple[Node, ...]:
    return x.inputs if x.operator.is_formula and not x.annotations and x.format is None else ()


def _unflattened_by(known: Mapping[Node, Node | None], x: Node) -> Node | None:
    """... where it is `known` of the inputs of a formula."""
    if x.annotations or x.format is not None:
        return None
    if isinstance(x.operator, Reshape):
        return x.inputs[0]
    if not x.operator.is_formula or not x.inputs:
        return None
    inputs = [known[one] for one in x.inputs]
    found = [one for one in inputs if one is not None]
    is_alike = len({one.type.shape for one in found}) == 1 and len(found) == len(inputs)
    return reapply(x, found, x.after) if is_alike else None


def in_order_of_chunks(x: Node) -> Node:
    """The cells of a vector in the order of the chunks in which they are stored, or `x`.

    It is `x` where these lie one behind the other anyway, where a row of them is so short that it
    is read at once, where they are not alike, and of objects, which differ where they are equal.
    """
    cells = unordered(x)
    if cells is x or not x.type.size or x.type.dtype.hasobject:
        return x
    chunks = [one for one in stored_spacing(cells) if one is not None]
    if len(chunks) < cells.type.ndim or not _are_mixed(cells, chunks):
        return x
    runs = [list(_alike_runs(n, one)) for n, one in zip(cells.type.shape, chunks, strict=True)]
    found = concat([_chunk_by_chunk(cells, box) for box in product(*runs)])
    return found if found.type == x.type else rename(found, x.type.dims or ())


def run_of_chunks(x: Node, least: int) -> int:
    """Cells of a vector, `least` or up to twice as many, that whole chunks or parts of one have.

    So many of `x` as it is, or in the order of its chunks. `least` where there are none.
    """
    cells = unordered(x)
    chunks = [one for one in stored_spacing(cells) if one is not None]
    if len(chunks) < cells.type.ndim or not cells.type.size or any(one.offset for one in chunks):
        return least
    return whole_parts(_cells_together(cells, chunks), least)


def whole_parts(chunk: int, least: int) -> int:
    """A multiple or an even part of `chunk` from `least` to twice that, or `least`.

    Examples
    --------
    >>> whole_parts(10_000_000, 65_540), whole_parts(1000, 2500), whole_parts(1009, 300)
    (78125, 3000, 300)
    """
    if least >= chunk:
        return -(-least // chunk) * chunk
    fitting = (
        chunk // n for n in range(chunk // least, chunk // (2 * least), -1) if chunk % n == 0
    )
    return next(fitting, least)


def _cells_together(x: Node, chunks: Sequence[Spaced]) -> int:
    """Cells that follow each other where whole chunks are read one after the other."""
    sides = [min(one.side, n) for one, n in zip(chunks, x.type.shape, strict=True)]
    if _are_mixed(x, chunks):
        return prod(sides)
    first = next((dim for dim, side in enumerate(sides) if side > 1), len(sides))
    return prod(sides[: first + 1]) * prod(x.type.shape[first + 1 :])


def _are_mixed(x: Node, chunks: Sequence[Spaced]) -> bool:
    """Whether in C order long rows of chunks alternate."""
    shape = x.type.shape
    sides = [min(one.side, n) for one, n in zip(chunks, shape, strict=True)]
    first = next((dim for dim, side in enumerate(sides) if side > 1), len(shape))
    if sides[first + 1 :] == list(shape[first + 1 :]):
        return False
    row = x.type.nbytes // prod(shape[: first + 1]) * sides[first]
    return row > WIDEST_CHUNK_ROW_BYTES


def _alike_runs(extent: int, chunks: Spaced) -> Iterator[tuple[int, int, int]]:
    """Where chunks of one length along an axis begin and end, and their length."""
    lead = min(extent, chunks.offset % chunks.side)
    whole = (extent - lead) // chunks.side * chunks.side
    for start, end, side in (
        (0, lead, lead),
        (lead, lead + whole, chunks.side),
        (lead + whole, extent, extent - lead - whole),
    ):
        if end > start:
            yield start, end, side


def _chunk_by_chunk(x: Node, box: Sequence[tuple[int, int, int]]) -> Node:
    """The cells of a box of `x` that chunks of one shape tile: one chunk behind the other."""
    part = basic_slice(x, tuple(slice(start, end) for start, end, _ in box))
    split = reshape(part, [n for a, b, side in box for n in ((b - a) // side, side)])
    order = [*range(0, 2 * len(box), 2), *range(1, 2 * len(box), 2)]
    return reshape(permute(split, order), -1)
