"""Graphs: roots and all nodes that they need, in order, as one printable value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from dask_tapestry.teg.node import Node, load, table, topological
from dask_tapestry.teg.picture import graph_dot, graph_svg


class Graph:
    """What `roots` need, each node after its inputs; nothing else is in it.

    Two graphs are equal when their roots are. Printing is stable: it depends on the values alone.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> print((dt.arange(6) + 1).teg)
    %0 = arange(0, 6, 1) : int64[6]
    %1 = elementwise(%0) : int64[6]  # add(%0, 1)
    return %1
    """

    def __init__(self, roots: Sequence[Node]) -> None:
        self.roots = tuple(roots)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, inputs first."""
        return tuple(topological(self.roots))

    @cached_property
    def consumers(self) -> dict[Node, list[Node]]:
        """The nodes that read each node, one entry for each input."""
        readers: dict[Node, list[Node]] = {node: [] for node in self.nodes}
        for node in self.nodes:
            for source in node.inputs:
                readers[source].append(node)
        return readers

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self.roots == other.roots

    def __hash__(self) -> int:
        return hash(self.roots)

    def __reduce__(self) -> tuple[Any, ...]:
        rows = table(self.roots)
        number = {node: i for i, node in enumerate(topological(self.roots))}
        return _load, (rows, tuple(number[root] for root in self.roots))

    def to_dot(self) -> str:
        """Return the graph in Graphviz's language: operators round, tensors as boxes."""
        return graph_dot(self.nodes)

    def to_svg(self) -> str:
        """Return the graph as an SVG picture, as notebooks show it."""
        return graph_svg(self.nodes)

    _repr_svg_ = to_svg

    def __str__(self) -> str:
        names = {node: f"%{i}" for i, node in enumerate(self.nodes)}
        lines = [f"{names[node]} = {node_text(node, names)}" for node in self.nodes]
        lines.append("return " + ", ".join(names[root] for root in self.roots))
        return "\n".join(lines)

    def __repr__(self) -> str:
        counts = Counter(node.operator.name for node in self.nodes)
        parts = ", ".join(f"{name} x{n}" if n > 1 else name for name, n in sorted(counts.items()))
        return f"<Graph of {len(self)} nodes: {parts}>"


def node_text(node: Node, names: dict[Node, str]) -> str:
    """One line for a node: operator, inputs, parameters, type, order, comment."""
    operator = node.operator
    inputs = [names[i] for i in node.inputs]
    parameters, comment = operator.text(), ""
    if "$0" in parameters:  # a formula is printed after the line
        comment = parameters
        for i, name in reversed(list(enumerate(inputs))):
            comment = comment.replace(f"${i}", name)
        parameters = ""
    inside = ", ".join([*inputs, *([parameters] if parameters else [])])
    after = f" after {', '.join(names[a] for a in node.after)}" if node.after else ""
    type_ = "" if node.is_sequence_point else f" : {node.type}"
    return f"{operator.name}({inside}){type_}{after}" + (f"  # {comment}" if comment else "")


def _load(rows: Any, roots: tuple[int, ...]) -> Graph:
    nodes = load(rows)
    return Graph([nodes[i] for i in roots])
