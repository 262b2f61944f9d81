"""Bars of ratios on a logarithmic scale, as plain SVG that reads on light and dark pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from xml.sax.saxutils import escape

COLOURS = ("#4477aa", "#ee8866", "#228833", "#ccbb44", "#aa3377", "#66ccee")
LABEL, PLOT, VALUE = 230, 540, 50  # widths in pixels
BAR, GAP, TOP, AXIS = 9, 8, 58, 24
STYLE = """\
text { font: 12px system-ui, sans-serif; fill: #24292f }
.title { font-size: 14px; font-weight: 600 }
.value, .tick { font-size: 10px; fill: #57606a }
.grid { stroke: #d0d7de }
.one { stroke: #24292f; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .value, .tick { fill: #9198a1 }
  .grid { stroke: #3d444d }
  .one { stroke: #e6edf3 }
}
"""

Groups = Sequence[tuple[str, Mapping[str, float]]]


def bars(title: str, groups: Groups) -> str:
    """Return an SVG: for each group a bar for each name, from 1 to its ratio.

    Parameters
    ----------
    title
        What stands above.
    groups
        Label of each group, from top to bottom, and its ratios by name. A name has one colour.
    """
    names = list(dict.fromkeys(name for _, ratios in groups for name in ratios))
    values = [ratio for _, ratios in groups for ratio in ratios.values()] or [1.0]
    scale = Scale(min(*values, 1.0), max(*values, 1.0))
    height, body = TOP, []
    for label, ratios in groups:
        body += group(label, ratios, names, scale, height)
        height += len(ratios) * BAR + GAP
    parts = [heading(title, names), *axis(scale, height), *body]
    width = LABEL + PLOT + VALUE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height + AXIS}" '
        f'width="{width}" height="{height + AXIS}" role="img" aria-label="{escape(title)}">\n'
        f"<style>\n{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
    )


class Scale:
    """Powers of ten that hold all values, along the plot's width."""

    def __init__(self, low: float, high: float) -> None:
        self.first = floor(log10(low))
        self.last = max(ceil(log10(high)), self.first + 1)

    def place(self, value: float) -> float:
        share = (log10(value) - self.first) / (self.last - self.first)
        return round(LABEL + PLOT * share, 1)


def heading(title: str, names: Sequence[str]) -> str:
    """The title, and the names beside their colours."""
    parts = [f'<text class="title" x="8" y="20">{escape(title)}</text>']
    place = LABEL
    for number, name in enumerate(names):
        parts.append(f'<rect x="{place}" y="32" width="10" height="10" fill="{colour(number)}"/>')
        parts.append(f'<text x="{place + 14}" y="41">{escape(name)}</text>')
        place += 30 + 7 * len(name)
    return "\n".join(parts)


def axis(scale: Scale, bottom: int) -> list[str]:
    """A line at each power of ten, the heaviest at one."""
    parts = []
    for power in range(scale.first, scale.last + 1):
        place, kind = scale.place(10.0**power), "grid" if power else "one"
        line = f'<line class="{kind}" x1="{place}" x2="{place}" y1="{TOP - 6}" y2="{bottom}"/>'
        tick = f'<text class="tick" x="{place}" y="{bottom + 14}" text-anchor="middle">'
        parts.append(f"{line}{tick}{10.0**power:g}</text>")
    return parts


def group(
    label: str, ratios: Mapping[str, float], names: Sequence[str], scale: Scale, top: int
) -> list[str]:
    """The bars of one row; each starts at one and says how long it is."""
    middle = top + len(ratios) * BAR / 2 + 4
    parts = [f'<text x="{LABEL - 50}" y="{middle}" text-anchor="end">{escape(label)}</text>']
    one = scale.place(1.0)
    for number, (name, ratio) in enumerate(ratios.items()):
        end, y = scale.place(ratio), top + number * BAR
        left, width = min(one, end), max(1.0, round(abs(end - one), 1))
        fill = colour(names.index(name))
        parts.append(
            f'<rect x="{left}" y="{y}" width="{width}" height="{BAR - 1}" fill="{fill}">'
            f"<title>{escape(label)}, {escape(name)}: {short(ratio)}</title></rect>"
        )
        beside, anchor = (end + 3, "start") if ratio >= 1 else (end - 3, "end")
        parts.append(
            f'<text class="value" x="{beside}" y="{y + BAR - 1}" text-anchor="{anchor}">'
            f"{short(ratio)}</text>"
        )
    return parts


def short(ratio: float) -> str:
    """A ratio with the two digits that tell."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]
