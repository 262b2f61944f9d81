"""Results on the devices that were asked for, where rewriting has left nothing that lies there.

``where(True, 1.0, x)`` of an array on a device is a constant, which no device need compute. Then
its cells cross the link at the end, which the plan counts, as their room on the device.
"""

from __future__ import annotations

from dask_tapestry.operators.layouts.on_device import on_device
from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.node import written_as


def on_their_devices(written: Graph, rewritten: Graph) -> Graph:
    """The rewritten graph, each of whose results lies on the device that the written one's does.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x, constant = dt.zeros(3, device="cuda:1"), dt.ones(3)
    >>> on_their_devices(Graph([x.node]), Graph([constant.node])).roots[0].format.device
    'cuda:1'
    """
    roots = [_on_asked_device(*pair) for pair in zip(written.roots, rewritten.roots, strict=True)]
    return rewritten if tuple(roots) == tuple(rewritten.roots) else Graph(roots)


def _on_asked_device(asked: Node, found: Node) -> Node:
    known = asked.format
    if known is None or not known.on_device or found.format == known:
        return found
    with written_as(asked):
        return on_device(found, known)
