"""Forms of graphs: what those have in common that differ in their data alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from dask_tapestry.teg import Node, Sink, Source

NOTHING: Final[Mapping[Node, Node]] = {}
ENDS: Final = (Source, Sink)


class GraphForm(NamedTuple):
    """A graph, and what it has in common with those that differ in data.

    Attributes
    ----------
    key
        What they have in common: a row for each node, and the numbers of the results.
    roots
        The results.
    order
        All nodes, inputs before what reads them.
    ends
        The sources and sinks.
    stored, sinks
        Whether something of it is stored, and how many sinks there are.
    given
        Sources that some nodes are: these values need not be computed.
    """

    key: tuple[Any, ...]
    roots: tuple[Node, ...]
    order: Sequence[Node]
    ends: list[Node]
    stored: bool
    sinks: int
    given: Mapping[Node, Node]


def form_of_graph(
    roots: Sequence[Node], order: Sequence[Node], given: Mapping[Node, Node] = NOTHING
) -> GraphForm | None:
    """The form of what `roots` need; None where a plan depends on more than that.

    `order` is all nodes, inputs before what reads them; `given` the sources that some of them are.
    """
    number = {node: i for i, node in enumerate(order)}
    rows: list[Any] = []
    ends: list[Node] = []
    stored, sinks = False, 0
    for written in order:
        node = given.get(written, written) if given else written
        operator = node.operator
        what: Any = node.form
        line = node.line
        if isinstance(operator, ENDS):
            what = operator.slot(len(ends))
            if what is None:
                return None
            ends.append(node)
            if isinstance(operator, Source) and operator.external:
                line = None
            else:
                stored = True
                sinks += isinstance(operator, Sink)
        inputs = [number[x] for x in node.inputs]
        after = tuple([number[x] for x in node.after]) if node.after else ()
        rows.append((what, *inputs, after, line, node.annotations.text))
    key = (*rows, *[number[root] for root in roots])
    return GraphForm(key, tuple(roots), order, ends, stored, sinks, given)
