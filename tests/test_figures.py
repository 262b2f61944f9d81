"""The tables of the pages are those that were measured, and nobody writes them by hand."""

import importlib.util
import io
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
    figures = script.kept()
    for by_hand in (False, True):
        for page, command, text in script.blocks(by_hand):
            assert command in figures, f"{page.name}: {command} was not measured: make figures"
            expected = script.written(command, figures, by_hand)
            assert text == expected, f"{page.name}: run docs/figures.py --write"
    commands = [command for _, command, _ in script.blocks()]
    assert sorted(figures) == sorted(commands), "a table of no page, or two of one command"


def tables(text):
    """Tables of a page that lie outside of the marks: the lines below their headers."""
    outside = re.sub("<!-- figures.*?<!-- end of figures -->", "", text, flags=re.DOTALL)
    for table in re.findall(r"(?:^\|.*\n)+", outside, re.MULTILINE):
        yield table.splitlines()[2:]


def holds_figures(rows):
    """Whether many cells beside the first of each row are numbers, with units or without."""
    cells = [cell.strip(" *`") for row in rows for cell in row.strip("|").split("|")[1:]]
    number = re.compile(r"[<≈]?[\d.,]+( ?[a-zA-Zµ%]{1,3}\b|$|,| /| of)")
    return sum(bool(number.match(cell)) for cell in cells) > 0.4 * len(cells)


def test_no_table_of_figures_is_written_by_hand(script):
    written_whole = {"machine.md", "rules.md", "support.md"}  # by scripts
    written_whole |= {"gpu.md"}  # what an assembler said, of which tests assert the bounds
    misses = [
        f"{page.name}: {rows[0]}"
        for page in [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]
        for rows in tables(page.read_text("utf-8"))
        if page.name not in written_whole and holds_figures(rows)
    ]
    assert not misses, "\n".join(misses)
    page = "| x | ms |\n|--|--|\n| y | 1.2 |\n| z | 3 s |\n\n| a | b |\n|--|--|\n| c | d |\n"
    assert [holds_figures(rows) for rows in tables(page)] == [True, False]


def test_a_table_measured_by_hand_is_kept(script, tmp_path, monkeypatch):
    marks = "<!-- figures kept: a long job -->\n<!-- end of figures -->\n"
    (tmp_path / "page.md").write_text(marks)
    monkeypatch.setattr(script, "HERE", tmp_path)
    monkeypatch.setattr(script, "KEPT", tmp_path / "f.json")
    monkeypatch.setattr(script, "commit", lambda: "0123abcd")
    monkeypatch.setattr("sys.argv", ["figures.py", "--keep", "long"])
    monkeypatch.setattr("sys.stdin", io.StringIO("| a |\n|--|\n| 1 |\n"))
    script.main()
    text = (tmp_path / "page.md").read_text()
    assert "-->\n| a |\n|--|\n| 1 |\n\nMeasured " in text
    assert "at commit `0123abcd`" in text
    monkeypatch.setattr("sys.argv", ["figures.py", "--keep", "short"])
    with pytest.raises(SystemExit, match="0 commands"):
        script.main()


def test_every_command_names_a_script_that_is_there(script):
    for page, command, _ in script.blocks(by_hand=False):
        program, name, *_ = shlex.split(command)
        assert program == "python", page
        assert (ROOT / name).is_file(), f"{page.name}: {command}"


def test_every_table_is_closed_and_says_when_and_where(script):
    figures = script.kept().values()
    for page in DOCS.glob("*.md"):
        text = page.read_text("utf-8")
        begun = len(re.findall("^<!-- figures(?: kept)?: ", text, re.MULTILINE))
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
