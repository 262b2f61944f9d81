from subprocess import CalledProcessError

import pytest

from benchmarks.imports import PROGRAMS, ROOT, measure, seconds, table
from tests.covering import share_of


@pytest.mark.few(3)  # a process each
@pytest.mark.parametrize("name", share_of(PROGRAMS, 3))
def test_every_program_runs_in_this_checkout(name):
    assert seconds(PROGRAMS[name], ROOT) > 0


def test_each_checkout_has_a_column(monkeypatch):
    monkeypatch.setattr("benchmarks.imports.PROGRAMS", {"nothing": ""})
    found = measure(1, [ROOT, ROOT])
    assert len(found["nothing"]) == 2
    assert len(table(found).split()) == 3


def test_the_least_may_be_shown(monkeypatch):
    taken = iter([9.0, 3.0, 2.0, 4.0])  # the first process writes the bytecode
    monkeypatch.setattr("benchmarks.imports.PROGRAMS", {"nothing": ""})
    monkeypatch.setattr("benchmarks.imports.seconds", lambda *_: next(taken))
    assert measure(3, [ROOT], min) == {"nothing": [2.0]}


def test_a_checkout_is_where_its_library_is_found(tmp_path):
    (tmp_path / "dask_tapestry.py").write_text("raise SystemExit('found')\n")
    with pytest.raises(CalledProcessError):
        seconds("import dask_tapestry", tmp_path)
