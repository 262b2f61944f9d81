"""A named plan is told in lines, with what it misses and why there is no plan."""

from math import inf

import pytest

import dask_tapestry as dt
from benchmarks.planner.named import find, lines
from benchmarks.planner.programs import IDLE, Ask, case

TASKS = Ask("tasks", lambda found: found.tasks, 2)


def small(**resources):
    x = dt.placeholder((4000, 1000), "f8", (1000, 1000))
    return case(x + 1, asks=[TASKS], **({"workers": 4, "threads": 1} | resources))


def test_figures_that_are_met_and_missed_are_told_apart():
    found = find(small)
    assert [(ask, value) for ask, value in found.figures()] == [(TASKS, 4), (IDLE, 0)]
    first, steps, *told = lines("small", found)
    assert "4 tasks (0 slices), 0 edges, read 0.0 GB" in first
    assert steps.strip() == "elementwise of 2 [4x1000 x 1000]"
    assert [line.split()[0] for line in told] == ["met", "NOT", "met"]


def test_a_program_that_cannot_be_planned_misses_everything():
    found = find(lambda: small(memory="4 B"))
    assert found.error.startswith("MemoryLimitError")
    assert {value for _, value in found.figures()} == {inf}
    assert all("NOT MET" in line for line in list(lines("small", found))[1:])


@pytest.mark.parametrize("part", ["matmul", "heat"])
def test_the_script_plans_what_it_is_asked_for(part, monkeypatch, capsys):
    from benchmarks.planner import named

    monkeypatch.setattr(named, "NAMED", {"matmul": small, "heat": small})
    monkeypatch.setattr("sys.argv", ["named.py", "--only", part, "--explain"])
    named.main()
    text = capsys.readouterr().out
    assert text.startswith(f"{part}: ")
    assert text.count("NOT MET") == 1
