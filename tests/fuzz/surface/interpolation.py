"""Phrases of interpolation by splines, compared with their own values computed whole."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase

MODE = "mode={'reflect'|'constant'|'grid-constant'|'nearest'|'mirror'|'grid-wrap'|'wrap'}"


def _own(*texts: str) -> tuple[Phrase, ...]:
    return tuple(Phrase(f"dt.ndimage.{text}", "jump", "", "ours") for text in texts)


PHRASES: dict[str, tuple[Phrase, ...]] = {
    "ndimage.spline_filter1d": _own(f"spline_filter1d(x, {{0|2|3|5}}, {{place}}, 'c16', {MODE})"),
    "ndimage.spline_filter": _own(f"spline_filter(x, {{2|3|4}}, 'c16', {MODE})"),
    "ndimage.affine_transform": _own(
        f"affine_transform(x, [0.8] * x.ndim, {{0|1.5}}, order={{0|1|3}}, {MODE})",
        f"affine_transform(x, np.eye(x.ndim) + 0.2, {{0|1.5}}, order={{0|1|3}}, {MODE})",
        "affine_transform(x, np.eye(x.ndim) - 0.2, order=1)[{SLICES}]",
    ),
    "ndimage.rotate": _own(f"rotate(x, {{30|90|-7.5}}, order={{0|1|3}}, {MODE}, cval={{0|1.5}})"),
    "ndimage.map_coordinates": _own(
        f"map_coordinates(x, np.indices((3, 4, 5)[:x.ndim]) * 1.3, order={{0|1|3}}, {MODE})",
        f"map_coordinates(x, dt.arange(7.0)[None] + np.ones((x.ndim, 1)), order={{0|1|3}}, {MODE})",
    ),
    "ndimage.geometric_transform": _own(
        f"geometric_transform(x, lambda o: [0.5 * n for n in o], order={{0|1|3}}, {MODE})"
    ),
    "ndimage.zoom": _own(
        f"zoom(x, {{0.5|1|1.7}}, order={{0|1|2|3}}, {MODE}, cval={{0|1.5}})",
        "zoom(x, 2, order=1)[{SLICES}]",
    ),
    "ndimage.shift": _own(f"shift(x, {{0.5|-1.25|9}}, order={{0|1|3}}, {MODE}, cval={{0|1.5}})"),
}
