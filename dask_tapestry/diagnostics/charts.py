"""Charts as SVG: how much memory a plan takes, and which plans cannot be bettered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Final, NamedTuple

from dask.utils import format_bytes

from dask_tapestry.diagnostics.html_text import html_text
from dask_tapestry.diagnostics.step_text import UNITS, duration
from dask_tapestry.diagnostics.tuning import MOST_TICKS

WIDTH, HEIGHT = 640, 240  # pixels of a chart
LEFT, TOP, BOTTOM = 56, 34, 46  # of its margins
BINARY: Final = ("B", "kiB", "MiB", "GiB", "TiB", "PiB")


class Axis(NamedTuple):
    """An axis from 0 on: its name with the unit, its end, a unit's amount, and its ticks."""

    name: str
    end: float
    unit: float
    ticks: tuple[float, ...]


def axis(name: str, most: float, kind: str) -> Axis:
    """An axis for amounts up to `most`: of "seconds", of "bytes", or of anything else.

    Examples
    --------
    >>> axis("time", 420.0, "seconds")
    Axis(name='time (min)', end=441.0, unit=60, ticks=(0.0, 2.0, 4.0, 6.0))
    >>> axis("bytes moved", 3 * 2**30, "bytes").name
    'bytes moved (GiB)'
    """
    unit, unit_name = 1.0, ""
    if kind == "seconds":
        unit, unit_name = next(((u, n) for u, n in UNITS if most >= u), (1, "s"))
    elif kind == "bytes":
        power = min(len(BINARY) - 1, max(0, (int(most).bit_length() - 1) // 10))
        unit, unit_name = 1024.0**power, BINARY[power]
    end = 1.05 * most or 1.0
    gap = _round_tick(end / unit / MOST_TICKS)
    ticks = tuple(gap * n for n in range(MOST_TICKS + 1) if gap * n * unit <= end)
    return Axis(f"{name} ({unit_name})" if unit_name else name, end, unit, ticks)


def _round_tick(least: float) -> float:
    """The next of 1, 2, 5, 10, … that is not below."""
    power = 10.0 ** floor(log10(least))
    return next((n * power for n in (1, 2, 5) if n * power >= least), 10 * power)


def memory_svg(points: Sequence[tuple[float, float]], limit: float) -> str:
    """Bytes of a worker over time, each pair holding until the next, under its limit."""
    x = axis("time, predicted", max((time for time, _ in points), default=0.0), "seconds")
    y = axis("memory of a worker", max([limit, *(size for _, size in points)]), "bytes")
    path = f"M{LEFT} {_y_position(0, y):.1f}"
    for at, (peak, last) in _by_pixel(points, x).items():
        path += f"H{at}V{_y_position(peak, y):.1f}" + (
            f"V{_y_position(last, y):.1f}" if last < peak else ""
        )
    top = _y_position(limit, y)
    label = f"a plan may fill {format_bytes(round(limit))}"
    return _svg(
        [
            _axes(x, y),
            f'<path class="line" d="{path}"/>',
            f'<path class="limit" d="M{LEFT} {top:.1f}H{WIDTH - 10}"/>',
            f'<text x="{WIDTH - 10}" y="{top - 4:.1f}" text-anchor="end">{label}</text>',
        ],
    )


def frontier_svg(
    costs: Sequence[Mapping[str, float]], chosen: Mapping[str, float], resource: str
) -> str:
    """Plans by seconds (to the right) and another resource (up); the chosen one is marked."""
    every = [*costs, chosen]
    kind = "bytes" if "bytes" in resource else ""
    x = axis("time, predicted", max(cost["seconds"] for cost in every), "seconds")
    y = axis(resource.replace("_", " "), max(cost[resource] for cost in every), kind)
    parts = [_axes(x, y)]
    for cost, mark in [*((cost, "plan") for cost in costs), (chosen, "plan chosen")]:
        across, up = _x_position(cost["seconds"], x), _y_position(cost[resource], y)
        size = cost[resource]
        amount = format_bytes(round(size)) if kind else f"{size:,.4g}"
        text = f"{duration(cost['seconds'])}, {amount}"
        parts.append(
            f'<circle class="{mark}" cx="{across:.1f}" cy="{up:.1f}" '
            f'r="{5 if mark == "plan" else 8}"><title>{html_text(text)}</title></circle>'
        )
    across, up = _x_position(chosen["seconds"], x), _y_position(chosen[resource], y)
    anchor, aside = ("end", -13) if across > WIDTH / 2 else ("start", 13)
    parts.append(
        f'<text x="{across + aside:.1f}" y="{up + 4:.1f}" text-anchor="{anchor}">this plan</text>'
    )
    return _svg(parts)


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


def _by_pixel(points: Sequence[tuple[float, float]], x: Axis) -> dict[int, tuple[float, float]]:
    """The most and the last bytes in each pixel: a chart has hundreds, for thousands of moments."""
    found: dict[int, tuple[float, float]] = {}
    for time, size in points:
        at = round(_x_position(time, x))
        found[at] = max(size, found.get(at, (0.0, 0.0))[0]), size
    return found


def _x_position(value: float, x: Axis) -> float:
    return LEFT + value / x.end * (WIDTH - LEFT - 10)


def _y_position(value: float, y: Axis) -> float:
    return HEIGHT - BOTTOM - value / y.end * (HEIGHT - TOP - BOTTOM)


def _axes(x: Axis, y: Axis) -> str:
    """Both axes, with their names, units and ticks."""
    foot = HEIGHT - BOTTOM
    parts = [
        f'<path class="axis" d="M{LEFT} {TOP - 8}V{foot}H{WIDTH - 10}"/>',
        f'<text x="{WIDTH - 10}" y="{HEIGHT - 6}" text-anchor="end">{html_text(x.name)}</text>',
        f'<text x="4" y="14">{html_text(y.name)}</text>',
    ]
    for tick in x.ticks:
        at = _x_position(tick * x.unit, x)
        parts.append(f'<text x="{at:.1f}" y="{foot + 16}" text-anchor="middle">{tick:,.4g}</text>')
    for tick in y.ticks:
        at = _y_position(tick * y.unit, y)
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{tick:,.4g}</text>')
    return "".join(parts)


def _svg(parts: Sequence[str]) -> str:
    return (
        f'<svg class="chart" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"{''.join(parts)}</svg>"
    )
