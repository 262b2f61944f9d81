"""The page says what was measured, where ours is slower, and what was not run."""

import json
import sys

import pytest

from benchmarks import report
from tests.benchmarks.results import RESULT, ROWS


def test_a_row_shows_milliseconds_of_every_peer_and_the_ratio_to_the_copy():
    lines = report.seconds_table(RESULT).splitlines()
    assert lines[0] == "| milliseconds | dask_tapestry | NumPy | JAX | copy | ours / copy |"
    assert lines[2] == "| `image` | 100 | 200 | 50.0 | 50.0 | 2.00 |"
    assert lines[3] == "| `sort` | 100 | 800 | – | 50.0 |  |"
    assert lines[4].endswith("|  | **4.00** | **0.50** |  | **2.00** |")


def test_slower_rows_are_listed():
    assert list(report.behind(RESULT)) == ["- `image`: JAX by 2.0"]


def test_what_was_not_run_is_told():
    page = report.page(RESULT)
    assert "- numexpr, not one of its expressions: image" in page
    assert "2 cores of an AMD EPYC, 24 GiB" in page
    assert "commit `0123456`" in page


def test_first_calls_and_memory_leave_out_what_failed():
    assert report.first_call_table(RESULT).splitlines()[2:] == [
        "| `sort` | NumPy | 200 | 100 | 1.20 |"
    ]
    assert report.memory_table(RESULT).splitlines()[2:] == ["| `sort` | 160 | 160 | 12 |"]


def test_of_several_files_the_last_row_counts():
    again = {**RESULT, "rows": [{**ROWS[0], "seconds": {"copy": 1.0}}], "peers": ["Cubed"]}
    whole = report.merged([RESULT, again])
    assert [row["name"] for row in whole["rows"]] == ["image", "sort"]
    assert whole["rows"][0]["seconds"] == {"copy": 1.0}
    assert whole["peers"] == ["dask_tapestry", "NumPy", "JAX", "Cubed"]


def test_the_picture_begins_with_the_means():
    picture = report.picture(RESULT)
    assert picture.index("geometric mean") < picture.index(">image<") < picture.index(">sort<")


def test_the_command_writes_both_files(tmp_path, monkeypatch):
    (tmp_path / "r.json").write_text(json.dumps(RESULT))
    command = ["report.py", str(tmp_path / "r.json"), "--folder", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", command)
    report.main()
    assert "machine.svg" in (tmp_path / "machine.md").read_text("utf-8")
    assert (tmp_path / "machine.svg").read_text("utf-8").startswith("<svg")


def test_figures_without_ours_are_no_report(tmp_path, monkeypatch):
    (tmp_path / "r.json").write_text(json.dumps({**RESULT, "peers": ["NumPy"]}))
    monkeypatch.setattr(sys, "argv", ["report.py", str(tmp_path / "r.json")])
    with pytest.raises(SystemExit, match="no figures of dask_tapestry"):
        report.main()
