"""Given values: how those that come from outside a plan lie, before its first step.

Blocks of persisted arrays and of other collections lie as they are. An array in the memory of the
client is sent to a cluster's workers in blocks before the plan runs; a small one travels inside the
tasks that read it.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry.plan.machine.machine import Machine
from dask_tapestry.teg import Node
from dask_tapestry.zspace import Cuts

EMBEDDED_BYTES: Final = 2**20  # arrays in memory up to this size travel inside tasks
SENT_BYTES: Final = 16 * 2**20  # of a block of a larger one, about


def given_cuts(node: Node, machine: Machine) -> tuple[Cuts, ...] | None:
    """How the blocks of an external value lie; None where each task has all of its cells at hand.

    Examples
    --------
    >>> import numpy as np
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.plan.machine.machine import Machine
    >>> x = dt.asarray(np.ones((4000, 1000))).node
    >>> local, far = (Machine.of(dt.Resources(4, 1, local=way)) for way in (True, False))
    >>> given_cuts(x, local), [c.count for c in given_cuts(x, far)]
    (None, [4, 1])
    """
    if node.operator.layout is not None:
        return node.operator.layout
    if machine.workers == 1 or not is_sent(node, machine):
        return None
    return scatter_cuts(node.type.shape, node.type.dtype.itemsize)


def is_sent(node: Node, machine: Machine) -> bool:
    """Whether an external value is an array that the client sends to workers."""
    given = node.operator.layout is not None
    return not (machine.local or given or node.type.nbytes <= EMBEDDED_BYTES)


def scatter_cuts(shape: tuple[int, ...], itemsize: int) -> tuple[Cuts, ...]:
    """Return cuts into blocks of up to about `SENT_BYTES`: leading dimensions are cut first.

    Blocks have a power of two of cells along a cut dimension, as leaves of reductions have: then
    few leaves lie in two blocks. Of a sum of 62500 x 1000 cells 91 slices went.

    Examples
    --------
    >>> [c.count for c in scatter_cuts((1000, 4096), 8)]
    [4, 1]
    >>> scatter_cuts((62500, 1000), 8)[0].block(0)
    (0, 2048)
    """
    cuts = []
    rest = itemsize
    for n in shape:
        rest *= max(n, 1)
    for n in shape:
        count = min(max(n, 1), -(-rest // SENT_BYTES))
        side = max(1, -(-n // count))
        cuts.append(Cuts.regular(n, side if count == 1 else 1 << side.bit_length() - 1))
        rest //= max(count, 1)
    return tuple(cuts)
