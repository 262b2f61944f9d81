"""The script that takes the pictures of pages."""

import importlib.util
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

DOCS = Path(__file__).parent.parent / "docs"


def script():
    spec = importlib.util.spec_from_file_location("screenshots", DOCS / "screenshots.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_a_browser_it_says_what_is_missing(monkeypatch):
    monkeypatch.setenv("BROWSER", "/no/such/browser")
    with pytest.raises(SystemExit, match=r"no browser is found .*BROWSER="):
        script().browser()


def test_the_empty_part_below_is_left_out(tmp_path):
    whole = Image.new("RGB", (40, 100), "white")
    whole.paste("black", (0, 0, 10, 10))
    drawn = BytesIO()
    whole.save(drawn, "png")
    script().small(drawn.getvalue(), tmp_path / "small.png")
    with Image.open(tmp_path / "small.png") as kept:
        assert kept.size == (40, 22)


def test_pictures_are_small_and_shown():
    module, page = script(), (DOCS / "running-jobs.md").read_text("utf-8")
    for name in (module.FIRST, module.SECOND):
        assert (DOCS / name).stat().st_size < 200_000
        assert f"]({name})" in page
