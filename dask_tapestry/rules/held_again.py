"""Held again: ``x -> rename(x)``, which may be held in other blocks than `x`, under its names."""

from __future__ import annotations

from dask_tapestry.operators.views.rename import rename
from dask_tapestry.teg import Node
from dask_tapestry.teg.node import written_as


def held_again(node: Node) -> Node:
    """The value of a node as another one's, written where the node was."""
    with written_as(node):
        return rename(node, node.type.dims or ())
