"""Charts as SVG: when steps run, how much memory they take, and which plans cannot be bettered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Final

from dask.utils import format_bytes

from dask_tapestry.diagnostics.step_text import duration
from dask_tapestry.late_named_tuple import NamedTuple

WIDTH, HEIGHT = 640, 200  # pixels of a chart
LEFT, TOP, BOTTOM = 90, 14, 34  # of its margins
LANE: Final = 16  # pixels of a step's lane
LANES: Final = 60  # steps that a timeline shows: of more, those that take longest


class Bar(NamedTuple):
    """When a step runs; `name` is shown, `number` is the step's."""

    number: int
    name: str
    start: float
    end: float


def timeline_svg(bars: Sequence[Bar]) -> str:
    """Bars over time, one lane a step."""
    longest = sorted(bars, key=lambda bar: bar.start - bar.end)[:LANES]
    shown = sorted(longest, key=lambda bar: (bar.start, bar.number))
    end = max((bar.end for bar in bars), default=0.0) or 1.0
    height = TOP + LANE * len(shown) + BOTTOM
    parts = [_ticks(end, height, duration)]
    for lane, bar in enumerate(shown):
        x, y = _across(bar.start, end), TOP + lane * LANE
        width = max(1.0, _across(bar.end, end) - x)
        text = f"{bar.number} {bar.name}: {duration(bar.end - bar.start)}"
        parts.append(
            f'<g class="bar" data-step="{bar.number}"><title>{escape(text)}</title>'
            f'<rect x="{x:.1f}" y="{y + 2}" width="{width:.1f}" height="{LANE - 4}"/>'
            f'<text x="{LEFT - 6}" y="{y + 12}" text-anchor="end">{escape(_label(bar))}</text></g>'
        )
    left_out = len(bars) - len(shown)
    if left_out:
        parts.append(f'<text x="4" y="{height - 4}">… and {left_out:,} shorter steps</text>')
    return _svg(height, parts)


def memory_svg(points: Sequence[tuple[float, float]], limit: float) -> str:
    """Bytes of a worker over time, each pair holding until the next, under its limit."""
    end = max((time for time, _ in points), default=0.0) or 1.0
    most = 1.05 * max([limit, *(size for _, size in points)])
    path = f"M{LEFT} {_up(0, most):.1f}"
    for x, (peak, last) in _by_pixel(points, end).items():
        path += f"H{x}V{_up(peak, most):.1f}" + (f"V{_up(last, most):.1f}" if last < peak else "")
    y, label = _up(limit, most), format_bytes(round(limit))
    return _svg(
        HEIGHT,
        [
            _ticks(end, HEIGHT, duration),
            f'<path class="line" d="{path}"/>',
            f'<path class="limit" d="M{LEFT} {y:.1f}H{WIDTH}"/>',
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>',
        ],
    )


def frontier_svg(
    costs: Sequence[Mapping[str, float]], chosen: Mapping[str, float], resource: str
) -> str:
    """Plans by seconds (to the right) and another resource (up); the chosen one is marked."""
    every = [*costs, chosen]
    end = 1.05 * max(cost["seconds"] for cost in every) or 1.0
    most = 1.05 * max(cost[resource] for cost in every) or 1.0
    write = format_bytes if "bytes" in resource else _plain
    parts = [_ticks(end, HEIGHT, duration)]
    for cost, mark in [*((cost, "plan") for cost in costs), (chosen, "plan chosen")]:
        x, y = _across(cost["seconds"], end), _up(cost[resource], most)
        text = f"{duration(cost['seconds'])}, {write(round(cost[resource]))}"
        parts.append(
            f'<circle class="{mark}" cx="{x:.1f}" cy="{y:.1f}" r="{5 if mark == "plan" else 7}">'
            f"<title>{escape(text)}</title></circle>"
        )
    for size in (0, most / 1.05):
        y = _up(size, most)
        label = escape(write(round(size)))
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>')
    name = escape(resource.replace("_", " "))
    parts.append(f'<text x="{LEFT + 6}" y="{TOP}">{name}</text>')
    return _svg(HEIGHT, parts)


def thinned(
    points: Sequence[tuple[float, float]], most: int = 600
) -> tuple[tuple[float, float], ...]:
    """Some of the moments of a line: in each of `most` parts of its time the most and the last.

    Examples
    --------
    >>> thinned([(0, 1.0), (1, 5.0), (2, 0.0)])
    ((0, 1.0), (1, 5.0), (2, 0.0))
    """
    if len(points) <= most:
        return tuple((time, float(size)) for time, size in points)
    end = points[-1][0] or 1.0
    peaks: dict[int, tuple[float, float]] = {}
    lasts: dict[int, tuple[float, float]] = {}
    for time, size in points:
        part = int(time / end * most)
        if part not in peaks or size > peaks[part][1]:
            peaks[part] = time, float(size)
        lasts[part] = time, float(size)
    return tuple(sorted({*peaks.values(), *lasts.values()}))


def _by_pixel(points: Sequence[tuple[float, float]], end: float) -> dict[int, tuple[float, float]]:
    """The most and the last bytes in each pixel: a chart has hundreds, for thousands of moments."""
    found: dict[int, tuple[float, float]] = {}
    for time, size in points:
        x = round(_across(time, end))
        found[x] = max(size, found.get(x, (0.0, 0.0))[0]), size
    return found


def _plain(number: float) -> str:
    return f"{number:,.4g}"


def _label(bar: Bar) -> str:
    text = f"{bar.number} {bar.name}"
    return text if len(text) <= 13 else text[:12] + "…"


def _across(value: float, end: float) -> float:
    return LEFT + value / end * (WIDTH - LEFT - 10)


def _up(value: float, most: float) -> float:
    return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM)


def _ticks(end: float, height: int, write: Callable[[float], str]) -> str:
    """The horizontal axis, with its quarters named."""
    y = height - BOTTOM + 6
    parts = [f'<path class="axis" d="M{LEFT} {y}H{WIDTH - 10}"/>']
    for quarter in range(5):
        x = _across(quarter * end / 4, end)
        anchor = "end" if quarter == 4 else "middle"
        label = escape(write(quarter * end / 4)) if quarter else "0"
        parts.append(f'<text x="{x:.1f}" y="{y + 14}" text-anchor="{anchor}">{label}</text>')
    return "".join(parts)


def _svg(height: int, parts: Sequence[str]) -> str:
    return (
        f'<svg class="chart" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">'
        f"{''.join(parts)}</svg>"
    )
