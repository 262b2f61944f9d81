"""Pictures of expression graphs as in the whitepaper: tensors square, operators rounded.

Graphviz text for those who have it, and an SVG laid out here in layers for everyone else.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dask_tapestry.teg.node import Node
from dask_tapestry.teg.tuning import NODES_DRAWN

COLOURS = {
    "source": "#d8e8d0",
    "generator": "#d8e8d0",
    "index": "#f0ecc8",
    "selector": "#e8e4d0",
    "block": "#d0dff0",
    "sink": "#f0d8d0",
    "sequence": "#e0d0e8",
}
WIDTH, HEIGHT, GAP_X, GAP_Y = 190, 26, 24, 30


def graph_dot(order: Sequence[Node]) -> str:
    """Return a graph, its nodes in order, in Graphviz's language."""
    lines = ["digraph teg {", "  rankdir=TB;", '  node [fontname="sans-serif", fontsize=10];']
    names = {node: f"n{i}" for i, node in enumerate(order)}
    for node, name in names.items():
        colour = COLOURS.get(node.operator.category, "#eeeeee")
        label = node.operator.name.replace('"', "'")
        lines.append(
            f'  {name} [label="{label}", shape=ellipse, style=filled, fillcolor="{colour}"];'
        )
        if node.operator.category not in ("sink", "sequence"):
            lines.append(f'  {name}t [label="{node.type}", shape=box];')
            lines.append(f"  {name} -> {name}t;")
        lines += [f"  {names[x]}t -> {name};" for x in node.inputs]
        lines += [f"  {names[a]} -> {name} [style=dashed];" for a in node.after]
    return "\n".join([*lines, "}"])


def graph_svg(order: Sequence[Node]) -> str:
    """Return a graph, its nodes in order, as an SVG picture, sources on top."""
    nodes = tuple(order[:NODES_DRAWN])
    position = _layout(nodes)
    shapes = [
        _edge(position[x], position[node])
        for node in nodes
        for x in (*node.inputs, *node.after)
        if x in position
    ]
    shapes += [_node(node, *position[node]) for node in nodes]
    width = max((x for x, _ in position.values()), default=0) + WIDTH + GAP_X
    height = max((y for _, y in position.values()), default=0) + 2 * HEIGHT + GAP_Y
    more = len(order) - len(nodes)
    if more:
        shapes.append(f'<text x="10" y="{height - 8}">… and {more} more nodes</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="11">{"".join(shapes)}</svg>'
    )


def _layout(nodes: tuple[Node, ...]) -> dict[Node, tuple[int, int]]:
    """Top left corner of each node: rows by longest way from a source, columns in order."""
    row: dict[Node, int] = {}
    used: dict[int, int] = {}
    position: dict[Node, tuple[int, int]] = {}
    for node in nodes:
        row[node] = 1 + max((row[x] for x in (*node.inputs, *node.after) if x in row), default=-1)
        column = used.get(row[node], 0)
        used[row[node]] = column + 1
        position[node] = (
            GAP_X + column * (WIDTH + GAP_X),
            GAP_Y // 2 + row[node] * (2 * HEIGHT + GAP_Y),
        )
    return position


def _edge(start: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1 = start[0] + WIDTH // 2, start[1] + 2 * HEIGHT
    x2, y2 = end[0] + WIDTH // 2, end[1]
    middle = (y1 + y2) // 2
    return (
        f'<path d="M{x1} {y1} C{x1} {middle} {x2} {middle} {x2} {y2}" fill="none" stroke="#999"/>'
    )


def _node(node: Node, x: int, y: int) -> str:
    colour = COLOURS.get(node.operator.category, "#eeeeee")
    text = node.operator.text()
    tip = f"<title>{escape(f'{node.operator.name} {text}')}</title>"
    shape = (
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="13" fill="{colour}" '
        f'stroke="#666"/><text x="{x + WIDTH // 2}" y="{y + 17}" text-anchor="middle">'
        f"{escape(node.operator.name)}</text>"
    )
    if node.operator.category in ("sink", "sequence"):
        return f"<g>{tip}{shape}</g>"
    label = str(node.type)
    shown = label if len(label) < 34 else label[:32] + "…"
    tensor = (
        f'<rect x="{x}" y="{y + HEIGHT}" width="{WIDTH}" height="{HEIGHT}" fill="white" '
        f'stroke="#666"/><text x="{x + WIDTH // 2}" y="{y + HEIGHT + 17}" text-anchor="middle">'
        f"{escape(shown)}</text>"
    )
    return f"<g>{tip}{shape}{tensor}</g>"
