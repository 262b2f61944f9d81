"""Invariants: what is true of an instruction of a program in every block."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

from dask_tapestry.steps.tuning import DEMANDS_REMEMBERED, PIECES_REMEMBERED
from dask_tapestry.teg import Operator, Sink, Source
from dask_tapestry.teg.operator import Demanding, Types
from dask_tapestry.zspace import ZRange

Pieces = Callable[[ZRange], tuple[tuple[int, ZRange], ...]]  # of inputs, each with its number


class Invariants(NamedTuple):
    """What is true of an instruction in every block.

    Attributes
    ----------
    is_source, is_sink
        Whether it reads, and writes, what lies outside.
    stored, flops, scratch
        Whether it may read from stores, do operations, and take scratch memory; others need not
        be asked how much.
    copies, passes_alone
        Whether its blocks are no views, and those that are made of one input nevertheless are.
    demand
        The box of each input that it reads for a box; None where it reads other `pieces`.
    pieces
        These, with the number of the input that each is of; None where it reads its `demand`.
    """

    is_source: bool
    is_sink: bool
    stored: bool
    flops: bool
    scratch: bool
    copies: bool
    passes_alone: bool
    demand: Demanding | None
    pieces: Pieces | None

    @staticmethod
    def of(operator: Operator, inputs: Types) -> Invariants:
        """What is true of an operator with inputs of these types."""
        own = type(operator)
        plain = own.pieces is Operator.pieces
        return Invariants(
            isinstance(operator, Source),
            isinstance(operator, Sink),
            own.stored_bytes is not Operator.stored_bytes,
            own.flops is not Operator.flops,
            own.scratch_bytes is not Operator.scratch_bytes,
            operator.copies,
            operator.passes_alone,
            _remembered_demand(operator, inputs) if plain else None,
            None if plain else _remembered_pieces(operator, inputs),
        )


@lru_cache(maxsize=512)  # one for all programs that an instruction is in
def _remembered_demand(operator: Operator, inputs: Types) -> Demanding:
    """What an operator reads for boxes, asked once: of nine in ten a search asks again."""
    ask = operator.demanding(inputs)
    known: dict[tuple[tuple[int, ...], tuple[int, ...]], tuple[ZRange, ...]] = {}

    def demand(box: ZRange) -> tuple[ZRange, ...]:
        corners = box.lo, box.hi  # found in a third of the time that the box takes
        found = known.get(corners)
        if found is None:
            if len(known) >= DEMANDS_REMEMBERED:
                known.clear()
            found = known[corners] = ask(box)
        return found

    return demand


@lru_cache(maxsize=1024)
def _remembered_pieces(operator: Operator, inputs: Types) -> Pieces:
    """What an operator reads for boxes, each asked once."""
    return lru_cache(maxsize=PIECES_REMEMBERED)(partial(operator.pieces, inputs))
