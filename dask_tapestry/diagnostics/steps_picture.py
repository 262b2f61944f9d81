"""The graph of a plan's steps as an SVG picture, laid out here in rows, producers on top."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Final

from dask_tapestry.diagnostics.html_text import html_text
from dask_tapestry.diagnostics.plan_summary import StepSummary
from dask_tapestry.diagnostics.tuning import LABEL_LINE_LETTERS, LABEL_LINES

WIDTH, GAP_X, GAP_Y, LINE = 210, 20, 26, 16  # pixels of a box, between boxes, and of a text's line
HEATS: Final = (0.02, 0.1, 0.25, 0.5)  # shares of a plan's seconds that colour a step's box

Place = tuple[int, int]


def steps_svg(steps: Sequence[StepSummary]) -> str:
    """The picture; each box is a link to its step."""
    texts = [_lines(number, step) for number, step in enumerate(steps, start=1)]
    high = 12 + LINE * max(map(len, texts), default=1)
    position = _layout(steps, high + GAP_Y)
    total = sum(step.seconds for step in steps) or 1.0
    boxes = [
        _box(number, text, step.seconds / total, position[number], high)
        for number, (text, step) in enumerate(zip(texts, steps, strict=True), start=1)
    ]
    curves = [
        _curve(position[x], position[number], high)
        for number, step in enumerate(steps, start=1)
        for x in _producers(number, step)
    ]
    width = max((x for x, _ in position.values()), default=0) + WIDTH + GAP_X
    height = max((y for _, y in position.values()), default=0) + high + GAP_Y
    return (
        f'<svg class="steps" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<path class="edges" d="{"".join(curves)}"/>{"".join(boxes)}</svg>'
    )


def _producers(number: int, step: StepSummary) -> list[int]:
    return [x for x in step.inputs if isinstance(x, int) and x < number]


def _lines(number: int, step: StepSummary) -> list[str]:
    words = wrap(f"{number} {step.words.label}", LABEL_LINE_LETTERS) or [str(number)]
    if len(words) > LABEL_LINES:
        words = [*words[: LABEL_LINES - 1], f"{words[LABEL_LINES - 1][: LABEL_LINE_LETTERS - 2]} …"]
    kind = (
        step.type
        if len(step.type) <= LABEL_LINE_LETTERS
        else f"{step.type[: LABEL_LINE_LETTERS - 1]}…"
    )
    return [*words, kind]


def _layout(steps: Sequence[StepSummary], row_height: int) -> dict[int, Place]:
    """Top left corner of each box: rows by the longest way from a source.

    In its row, a step stands as far right as the steps that it reads on average, if it can.
    """
    rows: dict[int, list[int]] = {}
    row: dict[int, int] = {}
    for number, step in enumerate(steps, start=1):
        row[number] = 1 + max((row[x] for x in _producers(number, step)), default=-1)
        rows.setdefault(row[number], []).append(number)
    place: dict[int, Place] = {}
    for at, members in sorted(rows.items()):
        wished = {n: _middle([place[x][0] for x in _producers(n, steps[n - 1])]) for n in members}
        for column, number in enumerate(sorted(members, key=wished.__getitem__)):
            place[number] = GAP_X + column * (WIDTH + GAP_X), 4 + at * row_height
    return place


def _middle(found: Sequence[int]) -> float:
    return sum(found) / len(found) if found else 0.0


def _curve(start: Place, end: Place, high: int) -> str:
    x1, y1 = start[0] + WIDTH // 2, start[1] + high
    x2, y2 = end[0] + WIDTH // 2, end[1]
    middle = (y1 + y2) // 2
    if x1 == x2 and y2 - y1 == GAP_Y:
        return f"M{x1} {y1}V{y2}"
    return f"M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}"


def _box(number: int, lines: Sequence[str], share: float, place: Place, high: int) -> str:
    x, y = place
    heat = sum(share >= limit for limit in HEATS)
    texts = "".join(
        f'<text x="{x + 8}" y="{y + 18 + LINE * at}">{html_text(line)}</text>'
        for at, line in enumerate(lines)
    )
    return (
        f'<a href="#step-{number}" class="box{f" heat{heat}" if heat else ""}">'
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{high}" rx="8"/>{texts}</a>'
    )
