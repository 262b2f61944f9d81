from subprocess import CalledProcessError

import pytest

from benchmarks.imports import PROGRAMS, ROOT, measure, seconds, table


def test_every_program_runs_in_this_checkout():
    for program in PROGRAMS.values():
        assert seconds(program, ROOT) > 0


def test_each_checkout_has_a_column(monkeypatch):
    monkeypatch.setattr("benchmarks.imports.PROGRAMS", {"nothing": ""})
    found = measure(1, [ROOT, ROOT])
    assert len(found["nothing"]) == 2
    assert len(table(found).split()) == 3


def test_a_checkout_is_where_its_library_is_found(tmp_path):
    (tmp_path / "dask_tapestry.py").write_text("raise SystemExit('found')\n")
    with pytest.raises(CalledProcessError):
        seconds("import dask_tapestry", tmp_path)
