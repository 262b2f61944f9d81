"""The picture is well-formed, and bars are as long as the logarithm of what they show."""

from xml.etree import ElementTree

import pytest

from benchmarks.bars import LABEL, PLOT, Scale, bars, short

GROUPS = [("a & b", {"NumPy": 100.0, "JAX": 0.1}), ("c", {"JAX": 1.0})]
SVG = "{http://www.w3.org/2000/svg}"


def rectangles():
    """The bars' places and widths, without the legend's squares."""
    tree = ElementTree.fromstring(bars("title <1>", GROUPS))
    found = [r for r in tree.iter(f"{SVG}rect") if r.find(f"{SVG}title") is not None]
    return [(float(r.get("x")), float(r.get("width")), r.get("fill")) for r in found]


def test_bars_start_at_one_and_end_at_the_ratio():
    (slower, width, _), (faster, short, _), (one, thin, _) = rectangles()
    unit = PLOT / 3  # from .1 to 100
    assert abs(slower - (LABEL + unit)) < 0.2
    assert abs(width - 2 * unit) < 0.2
    assert abs(faster - LABEL) < 0.2
    assert abs(short - unit) < 0.2
    assert (one, thin) == (slower, 1.0)


@pytest.mark.parametrize(
    ("ratio", "text"), [(1234.5, "1234"), (12.34, "12"), (1.26, "1.3"), (0.0123, "0.012")]
)
def test_two_digits_of_a_ratio_are_told(ratio, text):
    assert short(ratio) == text


def test_a_name_keeps_its_colour():
    colours = [fill for *_, fill in rectangles()]
    assert colours[1] == colours[2] != colours[0]


def test_labels_and_titles_are_escaped_and_dark_pages_are_thought_of():
    text = bars("title <1>", GROUPS)
    assert "a &amp; b" in text
    assert "title &lt;1&gt;" in text
    assert "prefers-color-scheme: dark" in text


def test_a_scale_always_has_a_length():
    scale = Scale(1.0, 1.0)
    assert scale.place(1.0) == LABEL
    assert scale.place(10.0) == LABEL + PLOT


def test_no_figures_make_an_empty_picture():
    assert ElementTree.fromstring(bars("none", [])).tag == f"{SVG}svg"
