"""Parts of a device's work that the host may do: forms of nodes that a search compares."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final

from dask_tapestry.rules.computed_on_host import computed_on_host, has_several, may_move_to_host
from dask_tapestry.steps.device_values import why_on_host
from dask_tapestry.steps.program import Instruction
from dask_tapestry.teg import Form, Graph, Node, Sink
from dask_tapestry.teg.node import device_of

HOST: Final = "host"


def host_form(node: Node) -> Form | None:
    """The form in which the host computes what a device would; None of what has none."""
    return Form(HOST, (1,), _by_host) if may_move_to_host(node) else None


def _by_host(node: Node, _: int) -> Node:
    return computed_on_host(node)


def host_parts(graph: Graph) -> Iterator[frozenset[Node]]:
    """Sets of nodes that the host may compute together instead of a device: few for any graph.

    All; and those that it computes anyway, for want of a kernel: alone, with all that leads to
    them, with all that follows, and with both.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.ndimage.spline_filter1d(dt.placeholder((8,), "f8").to_device("cuda") + 1) * 2
    >>> for part in host_parts(x.teg):
    ...     print(*sorted(node.operator.name for node in part))
    elementwise elementwise splinefilter
    splinefilter
    elementwise splinefilter
    elementwise splinefilter
    """
    movable = {node for node in graph.nodes if may_move_to_host(node)}
    lacking = {node for node in movable if _lacks_kernel(node)}
    before = _reached(lacking, lambda node: node.inputs)
    after = _reached(lacking, lambda node: graph.consumers[node])
    near = (set[Node](), before, after, before | after)
    parts = (movable, *((lacking | more) & movable for more in near if lacking))
    yield from dict.fromkeys(frozenset(part) for part in parts if part)


def _lacks_kernel(node: Node) -> bool:
    """Whether the host computes a node for a device, or what it is an output of."""
    if isinstance(node.operator, Sink):
        return False
    nodes = (node, *(x for x in node.inputs if has_several(x)))
    ones = (Instruction(n.operator, (), n.input_types, n.type, device=device_of(n)) for n in nodes)
    return any(why_on_host(one) is not None for one in ones)


def _reached(begin: Collection[Node], neighbours: Callable[[Node], Collection[Node]]) -> set[Node]:
    """The nodes to which neighbours lead."""
    found, stack = set[Node](), list(begin)
    while stack:
        new = [x for x in neighbours(stack.pop()) if x not in found]
        found.update(new)
        stack.extend(new)
    return found
