"""Phrases of interpolation by splines, compared with their own values computed whole."""

from __future__ import annotations

from tests.fuzz.phrases import Phrase

MODE = "mode={'reflect'|'constant'|'grid-constant'|'nearest'|'mirror'|'grid-wrap'|'wrap'}"


def _own(*texts: str) -> tuple[Phrase, ...]:
    return tuple(Phrase(f"dt.ndimage.{text}", "jump", "", "ours") for text in texts)


PHRASES: dict[str, tuple[Phrase, ...]] = {
    "ndimage.spline_filter1d": _own(f"spline_filter1d(x, {{0|2|3|5}}, {{place}}, 'c16', {MODE})"),
    "ndimage.spline_filter": _own(f"spline_filter(x, {{2|3|4}}, 'c16', {MODE})"),
}
