"""The tables of the pages are those that were measured, and nobody writes them by hand."""

import importlib.util
import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("figures", DOCS / "figures.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_show_what_was_measured(script):
    figures, pages = script.kept(), list(script.blocks())
    for page, command, text in pages:
        assert command in figures, f"{page.name}: {command} was not measured: make figures"
        assert text == script.written(command, figures), f"{page.name}: run docs/figures.py --write"
    assert set(figures) == {command for _, command, _ in pages}


def test_every_command_names_a_script_that_is_there(script):
    for page, command, _ in script.blocks():
        program, name, *_ = shlex.split(command)
        assert program == "python", page
        assert (ROOT / name).is_file(), f"{page.name}: {command}"


def test_every_table_is_closed_and_says_when_and_where(script):
    figures = script.kept().values()
    for page in DOCS.glob("*.md"):
        text = page.read_text("utf-8")
        begun = len(re.findall("^<!-- figures: ", text, re.MULTILINE))
        assert begun == text.count("<!-- end of figures -->"), page.name
        assert begun == len(list(script.BLOCK.finditer(text))), page.name
    for one in figures:
        assert re.fullmatch(r"[0-9a-f]{8}\+?", one["commit"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", one["date"])
        assert one["hardware"]
        assert one["output"]


def test_what_a_script_prints_comes_into_the_page(script, tmp_path, monkeypatch):
    for name in ("HERE", "KEPT"):
        monkeypatch.setattr(script, name, tmp_path / "docs" / ("" if name == "HERE" else "f.json"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "one.py").write_text("print('| a |\\n|--|\\n| 1 |')\n")
    page = tmp_path / "docs" / "page.md"
    mark = "<!-- figures: python one.py -->\nold\n<!-- end of figures -->\n"
    page.write_text(f"# Page\n\n{mark}\nAfter.\n")
    monkeypatch.setattr("sys.argv", ["figures.py"])
    monkeypatch.setattr(script, "commit", lambda: "0123abcd")
    script.main()
    text = page.read_text()
    assert "| 1 |" in text
    assert "at commit `0123abcd`" in text
    assert "old" not in text
    assert text.endswith("\nAfter.\n")
    ((_, command, inside),) = script.blocks()
    assert inside == script.written(command, script.kept())


def test_a_command_that_fails_is_named(script, monkeypatch):
    with pytest.raises(SystemExit, match="ended with"):
        script.measured("python benchmarks/no_such_script.py")
    with pytest.raises(SystemExit, match="begin with python"):
        script.measured("rm -r x")
