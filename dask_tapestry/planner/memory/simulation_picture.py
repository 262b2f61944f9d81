"""Pictures of simulated runs: steps, busy threads and memory over time, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from dask.utils import format_bytes, format_time

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.tuning import MOST_CURVE_POINTS, MOST_ROWS_DRAWN, STEP_NAME_LETTERS

WIDTH, LEFT, RIGHT = 900, 260, 20  # pixels
ROW, CURVE, GAP = 22, 90, 34
STYLE = "font: 12px sans-serif; fill: #333"

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Picture:
    """An SVG image.

    Attributes
    ----------
    svg
        Its text.
    """

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, filename: str | Path) -> None:
        """Write the image to a file.

        Parameters
        ----------
        filename
            Of any name; browsers expect ``.svg``.
        """
        Path(filename).write_text(self.svg, encoding="utf-8")


def draw(
    seconds: float,
    rows: Sequence[tuple[str, float, float]],
    running: tuple[Points, float],
    memory: tuple[Points, float],
) -> Picture:
    """Draw bars for `rows` of (name, begin, end) above curves of running blocks and of bytes.

    Each curve comes with the most that it may reach, which is marked.
    """
    longest = sorted(rows, key=lambda row: row[1] - row[2])[:MOST_ROWS_DRAWN]
    rows = [row for row in rows if row in longest]
    parts = [_bar(number, row, seconds) for number, row in enumerate(rows)]
    top = len(rows) * ROW + GAP
    parts.append(_curve(top, "blocks at a time", running, f"{running[1]:,.0f} slots", seconds))
    top += CURVE + GAP
    limit = f"{format_bytes(round(memory[1]))} usable"
    parts.append(_curve(top, "bytes of a worker", memory, limit, seconds))
    top += CURVE + GAP
    parts.append(_text(LEFT, top - 8, "0 s"))
    parts.append(_text(WIDTH - RIGHT, top - 8, format_time(seconds), "end"))
    inside = "\n".join(parts)
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top}" '
        f'viewBox="0 0 {WIDTH} {top}">\n{inside}\n</svg>'
    )


def _x(at: float, seconds: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * (at / seconds if seconds else 0.0)


def _bar(number: int, row: tuple[str, float, float], seconds: float) -> str:
    name, begin, end = row
    y, left = number * ROW + 4, _x(begin, seconds)
    width = max(1.0, _x(end, seconds) - left)
    shown = name if len(name) <= STEP_NAME_LETTERS else name[: STEP_NAME_LETTERS - 1] + "…"
    told = escape(f"{name}: {format_time(begin)} to {format_time(end)}")
    bar = f'<rect x="{left:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 6}" fill="#4878a8">'
    return _text(4, y + 12, shown) + f"{bar}<title>{told}</title></rect>"


def _curve(top: int, name: str, curve: tuple[Points, float], limit: str, seconds: float) -> str:
    points, most = curve
    high = max(most, *[value for _, value in points], 1e-12)
    if len(points) > MOST_CURVE_POINTS:
        points = points[:: -(-len(points) // MOST_CURVE_POINTS)]
    path, before = [], 0.0
    for at, value in points:
        x = _x(at, seconds)
        path += [f"{x:.1f},{_y(before, high, top)}", f"{x:.1f},{_y(value, high, top)}"]
        before = value
    path.append(f"{_x(seconds, seconds):.1f},{_y(before, high, top)}")
    line, mark = _y(0.0, high, top), _y(most, high, top)
    right = WIDTH - RIGHT
    return (
        _text(4, top + 12, name)
        + _text(4, top + 28, limit)
        + f'<path d="M{LEFT},{line} H{right} M{LEFT},{mark} H{right}" stroke="#bbb" fill="none"/>'
        + f'<polyline points="{" ".join(path)}" stroke="#4878a8" fill="none"/>'
    )


def _y(value: float, high: float, top: int) -> str:
    return f"{top + CURVE * (1 - value / high):.1f}"


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" style="{STYLE}">{escape(text)}</text>'
