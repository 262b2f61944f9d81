"""A notebook runs with each library in a process of its own, and one row tells both."""

import json
import sys

import pytest

from benchmarks.notebooks import compare
from benchmarks.notebooks.public import NOTEBOOKS, Notebook


def written(folder, *cells):
    (folder / "made").mkdir()
    told = {"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]}
    (folder / "made" / "one.ipynb").write_text(json.dumps(told))
    return Notebook("one", "made", "one.ipynb", lacking=("absent",), changed=(("10**9", "9"),))


def test_cells_that_cannot_run_anywhere_are_left_out(tmp_path):
    cells = ("import dask.array as da", "plt.show()", "absent()", "x = da.ones(10**9)")
    one = written(tmp_path, *cells)
    ours = compare.cells_for(one, tmp_path, "dask_tapestry")
    assert ours == ["import dask_tapestry as da", "x = da.ones(9)"]


@pytest.mark.exhaustive  # the program itself, in four processes
def test_the_command_prints_a_row_and_what_failed(tmp_path, monkeypatch, capsys):
    one = written(tmp_path, "import dask.array as da", "float(da.ones(3).sum())", "1 / 0")
    monkeypatch.setattr(compare, "NOTEBOOKS", (one,))
    file = tmp_path / "found.json"
    monkeypatch.setattr(sys, "argv", ["compare.py", str(tmp_path), "--json", str(file)])
    compare.main()
    text = capsys.readouterr().out
    assert text.count("2 of   3 cells") == 2
    assert text.count("ZeroDivisionError") == 2
    assert set(json.loads(file.read_text())["one"]) == set(compare.LIBRARIES)


def test_names_of_notebooks_differ():
    assert len({one.name for one in NOTEBOOKS}) == len(NOTEBOOKS)
