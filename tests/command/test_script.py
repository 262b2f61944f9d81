import sys

import pytest

from dask_tapestry.command.main import UsageError
from dask_tapestry.command.script import Script


def test_a_script_that_is_not_there(tmp_path):
    with pytest.raises(UsageError, match="cannot read the script"):
        Script(str(tmp_path / "none.py"))


def test_what_a_script_changes_is_put_back(tmp_path):
    path = tmp_path / "job.py"
    path.write_text("import sys\nassert sys.argv[1:] == ['a']\nsys.path.append('x')\nsys.exit()\n")
    before = sys.argv, list(sys.path), sys.modules["__main__"]
    assert Script(str(path), ["a"]).run() == 0
    assert (sys.argv, list(sys.path), sys.modules["__main__"]) == before


def test_exit_codes_and_texts(tmp_path, capsys):
    path = tmp_path / "job.py"
    for text, code in (("raise SystemExit(5)", 5), ("raise SystemExit('no')", 1), ("1 / 0", 1)):
        path.write_text(text)
        assert Script(str(path)).run() == code
    assert "no\n" in capsys.readouterr().err


def test_the_line_that_runs(tmp_path):
    path = tmp_path / "job.py"
    path.write_text("def f():\n    tell()\n\nf()\n")
    found, script = [], Script(str(path))
    import builtins

    builtins.tell = lambda: found.append(script.line())
    try:
        assert script.run() == 0
    finally:
        del builtins.tell
    assert found == [2]
    assert script.line() == 0
