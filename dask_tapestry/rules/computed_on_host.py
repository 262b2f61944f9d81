"""The host computes what a device would: ``f(x) -> todevice(f(tohost(x)))``.

What was brought to the device for `f` alone is taken from where it was before, and what the next
node reads on the host is not brought there and back. So of nodes that are all changed only those
at the edges have transfers, and results lie where they did.
"""

from __future__ import annotations

import numpy as np

from dask_tapestry.operators.layouts.on_device import OnDevice, on_device
from dask_tapestry.teg import Node, Sink, Source
from dask_tapestry.teg.node import device_of, reapply, written_as
from dask_tapestry_kernels.block_format import BlockFormat


def may_move_to_host(node: Node) -> bool:
    """Whether the host can compute a node of a device, or write one, with the same meaning.

    A function of the user is given arrays of the device, as it was written for. What has several
    outputs is moved with what reads them.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.ones(3, device="cuda")
    >>> may_move_to_host((x + 1).node), may_move_to_host(dt.ones(3).node)
    (True, False)
    """
    operator = node.operator
    if isinstance(operator, Sink):
        return any(_device(x) is not None for x in node.inputs)
    if isinstance(operator, Source | OnDevice) or operator.calls or node.after:
        return False
    return device_of(node) is not None and not has_several(node)


def has_several(node: Node) -> bool:
    """Whether a node has several outputs, or fields, each of which is cells that lie somewhere."""
    dtype = node.type.dtype
    return not isinstance(dtype, np.dtype) or dtype.names is not None


def computed_on_host(node: Node) -> Node:
    """A node over inputs on the host, whose value is brought to the device if it lay there.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.ones(3)
    >>> y = computed_on_host((x.to_device("cuda") + 1).node)
    >>> y.operator.name, y.inputs[0] is (x + 1).node
    ('todevice', True)
    """
    with written_as(node):
        made = reapply(node, [_on_host(x) for x in node.inputs], node.after)
        own = _device(node)
        return made if own is None else on_device(made, own)


def _on_host(x: Node) -> Node:
    """`x` on the host: as it was, where it had been brought from there."""
    if has_several(x):
        return computed_on_host(x)
    if isinstance(x.operator, OnDevice) and _device(x) and _device(x.inputs[0]) is None:
        return x.inputs[0]
    return x if _device(x) is None else on_device(x, None)


def _device(node: Node) -> BlockFormat | None:
    """The device on which the cells of a node lie; None of what has none, as of several outputs."""
    known = node.format
    return known if known and known.on_device and not has_several(node) else None
