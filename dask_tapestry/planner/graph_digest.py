"""Graph digests: texts that graphs share which differ in their data and places alone."""

from __future__ import annotations

from hashlib import blake2b

from dask_tapestry.teg import Graph, Node, Sink, Source
from dask_tapestry.teg.token import token


def digest(graph: Graph) -> str:
    """Text that is the same for graphs that differ in their data and places alone."""
    number = {node: i for i, node in enumerate(graph.nodes)}
    rows = []
    for node in graph.nodes:
        ends = (number[x] for x in (*node.inputs, *node.after))
        said = node.annotations.text
        text = f"{_form(node, number[node])} {' '.join(map(str, ends))} {len(node.inputs)}"
        rows.append(f"{text} {said}" if said else text)
    roots = " ".join(str(number[root]) for root in graph.roots)
    return blake2b("\n".join([*rows, roots]).encode(), digest_size=16).hexdigest()


def _form(node: Node, number: int) -> str:
    """What a node's operator is, without data and places."""
    operator = node.operator
    if not isinstance(operator, Source | Sink):
        return node.form
    slot = operator.slot(number)
    if slot is not None:
        return token(slot)
    return token((operator.name, node.type, operator.chunks, operator.layout))
