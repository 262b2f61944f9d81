"""Relays: a value that goes from many blocks into many others in two steps, by way of some between.

``x -> rename(x)``, which is held in blocks of its own, each of parts of some blocks of `x`, and cut
into parts of some blocks of the readers. So n blocks that are cut into n parts each, for as many
readers, are cut into parts for the square root of so many, twice: the scheduler has fewer tasks, at
the price of moving each cell twice. Dask's `rechunk` does the same by its intermediate chunks.

The form is every node's, and has no size.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry.rules.held_again import held_again
from dask_tapestry.teg import Form, Node, Sink

RELAYED: Final = "relayed"


def relayed_form(node: Node) -> Form | None:
    """The form of a node whose value is held again in other blocks; None where it has none."""
    if node.is_sequence_point or isinstance(node.operator, Sink) or node.format is not None:
        return None
    return Form(RELAYED, (1,), _relayed)


def _relayed(node: Node, _: int) -> Node:
    return held_again(node)
