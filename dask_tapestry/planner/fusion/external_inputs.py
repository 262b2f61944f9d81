"""External inputs: how values that come from outside a plan lie, before its first step.

Blocks of persisted arrays and of other collections lie as they are. An array in the memory of the
client is sent to a cluster's workers in blocks before the plan runs, in one where a task reads all
of it: several would lie on the worker beside what each task joins of them. A small array travels
inside the tasks that read it, or if each of them reads most of it, a tiny one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dask_tapestry.planner.fusion.group import is_external
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.tuning import EMBEDDED_BYTES, SENT_BYTES, TABLE_BYTES
from dask_tapestry.steps.chunk_alignment import Held
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Node, Source
from dask_tapestry.zspace import Cuts, ZRange


def given_cuts(node: Node, machine: Machine) -> tuple[Cuts, ...] | None:
    """How the blocks of an external value lie; None where each task has all of its cells at hand.

    Examples
    --------
    >>> import numpy as np
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.planner.machine.machine import Machine
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
    return not (machine.local or given or is_embedded(node))


def is_embedded(node: Node) -> bool:
    """Whether an array in memory is so small that it travels inside the tasks that read it."""
    source = node.operator
    table = isinstance(source, Source) and source.is_table
    return node.type.nbytes <= (TABLE_BYTES if table else EMBEDDED_BYTES)


def sent_whole(
    steps: Iterable[tuple[Program, tuple[Node, ...], ZRange]], machine: Machine
) -> set[Node]:
    """The sent arrays all of which a block of some step reads.

    Parameters
    ----------
    steps
        Of each its program, its inputs, and the box of a block.
    """
    found: set[Node] = set()
    for program, inputs, box in steps:
        sent = [at for at, x in enumerate(inputs) if is_external(x) and is_sent(x, machine)]
        needs = program.input_boxes(box) if sent else ()
        found |= {inputs[at] for at in sent if inputs[at].type.box in needs[at]}
    return found


def input_cuts(inputs: Iterable[Node], held: Held, whole: Collection[Node]) -> Held:
    """The cuts in which inputs are `held`, where some of them are sent as a `whole`."""
    return tuple(
        tuple(Cuts.regular(n, n) for n in x.type.shape) if x in whole else own
        for x, own in zip(inputs, held, strict=True)
    )


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
    nbytes = itemsize
    for n in shape:
        nbytes *= max(n, 1)
    for n in shape:
        count = min(max(n, 1), -(-nbytes // SENT_BYTES))
        side = max(1, -(-n // count))
        cuts.append(Cuts.regular(n, side if count == 1 else 1 << side.bit_length() - 1))
        nbytes //= max(count, 1)
    return tuple(cuts)
