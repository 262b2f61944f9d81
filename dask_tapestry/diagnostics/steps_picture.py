"""The graph of a plan's steps as an SVG picture, laid out here in rows, producers on top."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Final

from dask_tapestry.diagnostics.step_text import operators
from dask_tapestry.planner.cost.step import Step
from dask_tapestry.teg import Node

WIDTH, HEIGHT, GAP_X, GAP_Y = 190, 44, 20, 26  # pixels of a step's box, and between boxes
LABEL: Final = 30  # letters that fit into a box
LABELLED: Final = 250  # steps; of a larger plan types are left out of the picture
HEATS: Final = (0.02, 0.1, 0.25, 0.5)  # shares of a plan's seconds that colour a step's box

Place = tuple[int, int]


def steps_svg(steps: Mapping[Node, Step]) -> str:
    """The picture; the box of step n has the id ``step-n``, from 1 on."""
    place = _layout(steps)
    total = sum(step.cost.seconds for step in steps.values()) or 1.0
    typed = len(steps) <= LABELLED
    boxes = [
        _box(number, step, place[node], step.cost.seconds / total, typed)
        for number, (node, step) in enumerate(steps.items(), start=1)
    ]
    curves = [
        _curve(place[x], place[node])
        for node, step in steps.items()
        for x in step.inputs
        if x in place and x is not node
    ]
    width = max((x for x, _ in place.values()), default=0) + WIDTH + GAP_X
    height = max((y for _, y in place.values()), default=0) + HEIGHT + GAP_Y
    return (
        f'<svg class="steps" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<defs><rect id="box" width="{WIDTH}" height="{HEIGHT}" rx="8"/></defs>'
        f'<path class="edges" d="{"".join(curves)}"/>{"".join(boxes)}</svg>'
    )


def _layout(steps: Mapping[Node, Step]) -> dict[Node, Place]:
    """Top left corner of each box: rows by the longest way from a source.

    In its row, a step stands as far right as the steps that it reads on average, if it can.
    """
    rows: dict[int, list[Node]] = {}
    row: dict[Node, int] = {}
    for node, step in steps.items():
        row[node] = 1 + max((row[x] for x in step.inputs if x in row), default=-1)
        rows.setdefault(row[node], []).append(node)
    place: dict[Node, Place] = {}
    for number, members in sorted(rows.items()):
        wished = {node: _middle(steps[node], place) for node in members}
        for column, node in enumerate(sorted(members, key=wished.__getitem__)):
            place[node] = (GAP_X + column * (WIDTH + GAP_X), 4 + number * (HEIGHT + GAP_Y))
    return place


def _middle(step: Step, place: Mapping[Node, Place]) -> float:
    found = [place[x][0] for x in step.inputs if x in place]
    return sum(found) / len(found) if found else 0.0


def _curve(start: Place, end: Place) -> str:
    x1, y1 = start[0] + WIDTH // 2, start[1] + HEIGHT
    x2, y2 = end[0] + WIDTH // 2, end[1]
    middle = (y1 + y2) // 2
    if x1 == x2 and y2 - y1 == GAP_Y:
        return f"M{x1} {y1}V{y2}"
    return f"M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}"


def _box(number: int, step: Step, place: Place, share: float, typed: bool) -> str:
    x, y = place
    heat = sum(share >= limit for limit in HEATS)
    lines = [f"{number} {operators(step).rpartition(' > ')[2]}"]
    if typed:
        lines.append(str(step.node.type))
    texts = "".join(
        f'<text x="{x + 8}" y="{y + 18 + 16 * at}">{escape(_short(line))}</text>'
        for at, line in enumerate(lines)
    )
    return (
        f'<g id="step-{number}" class="step{f" heat{heat}" if heat else ""}">'
        f'<use href="#box" x="{x}" y="{y}"/>{texts}</g>'
    )


def _short(text: str) -> str:
    return text if len(text) <= LABEL else text[: LABEL - 1] + "…"
