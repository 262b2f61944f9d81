"""Every case computes what NumPy does; a line tells whether its figures are met."""

import pytest

from benchmarks.planner import views
from benchmarks.planner.views import CASES, measure
from tests.covering import share_of


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("name", share_of(CASES, 3))
def test_a_case_is_timed_in_all_three(name):
    found = measure(*CASES[name], cells="random", repeats=1)
    assert min(found.ours, found.numpy, found.dask) > 0
    assert found.tasks <= views.MOST_TASKS


def test_the_script_prints_a_line_for_each_case(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["views.py", "--only", "moveaxis, sum", "--repeats", "1"])
    views.main()
    text = capsys.readouterr().out
    assert "moveaxis, sum(0)" in text
    assert text.count("met") + text.count("NOT MET") >= 1
