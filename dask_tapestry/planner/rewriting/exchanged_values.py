"""Exchange through a store: a value that workers cannot hold is written, and read again.

``x -> exchanged(after=[exchangestore(x)])``. Its readers wait until all of it is written. So
blocks of rows become blocks of columns at the price of writing and reading each cell once, whatever
the memory; without a store each block of columns would read, or compute, all rows again.

The form is every node's, and that of each part of another form: what a sort makes on its way, as
sorted runs and buckets, goes through a store like any value. Its size is the sides of the chunks,
as one number.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

import numpy as np

from dask_tapestry.io.sinks.temporary_sink import TemporarySink
from dask_tapestry.io.sources.temporary_source import TemporarySource
from dask_tapestry.io.stores.temporary_folder import value_name
from dask_tapestry.teg import Form, Node, Sink, Source, apply, sequence_point
from dask_tapestry.teg.buckets import cells_of, is_buckets
from dask_tapestry.teg.node import written_as
from dask_tapestry.teg.stored_grid import stored_cuts

EXCHANGED: Final = "exchanged"
KINDS: Final = "biufcmMSUV"  # of dtypes whose cells are stored as they are, integers or bytes


def is_exchangeable(node: Node) -> bool:
    """Whether a node has cells that a store takes as they are, and cuts that are free."""
    dtype, operator = node.type.dtype, node.operator
    if node.is_sequence_point or isinstance(operator, Sink) or operator.layout is not None:
        return False
    if isinstance(operator, TemporarySource) or (
        isinstance(operator, Source) and operator.external
    ):
        return False
    if node.format is not None or not node.type.size:
        return False
    if is_buckets(node.type):
        return _is_stored(cells_of(node.type))
    return isinstance(dtype, np.dtype) and _is_stored(dtype)


def _is_stored(dtype: np.dtype[np.generic]) -> bool:
    """Whether a dtype has the same cells on all machines: not those of C's long double."""
    if dtype.fields is not None:
        return all(_is_stored(field[0]) for field in dtype.fields.values())
    plain = dtype.kind in KINDS and dtype.isnative and dtype.char not in "gG"
    return plain and dtype.itemsize > 0


def exchanged_form(node: Node) -> Form | None:
    """The form of a node in which its value is written, and read again; None where it cannot be."""
    if not is_exchangeable(node):
        return None
    return Form(EXCHANGED, (0, max(0, prod(node.type.shape) - 1)), _exchanged)


def _exchanged(node: Node, number: int) -> Node:
    sides = sides_of(number, node.type.shape)
    value = value_name(node.digest, sides)
    with written_as(node):
        written = apply(TemporarySink(value, sides), node, line=node.line)
        source = TemporarySource(value, node.type, sides, stored_cuts(node))
        return apply(source, after=[sequence_point(written)], line=node.line)


def is_exchange(node: Node) -> bool:
    """Whether a node writes what the plan reads again, or reads it."""
    return isinstance(node.operator, TemporarySink | TemporarySource)


def number_of(sides: Sequence[int], shape: Sequence[int]) -> int:
    """The sides of chunks of an array of a `shape` as one number.

    Examples
    --------
    >>> sides_of(number_of((3, 2, 7), (10, 2, 8)), (10, 2, 8))
    (3, 2, 7)
    """
    number = 0
    for side, extent in zip(sides, shape, strict=True):
        number = number * extent + side - 1
    return number


def sides_of(number: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The sides that a number stands for."""
    sides = []
    for extent in reversed(shape):
        number, side = divmod(number, extent)
        sides.append(side + 1)
    return tuple(reversed(sides))
