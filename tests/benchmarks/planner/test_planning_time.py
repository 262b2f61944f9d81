"""Every timed plan can be prepared and made, and planning grows no faster than the graph."""

import pytest

from benchmarks.planner import planning_time
from benchmarks.planner.planning_time import TIMED, best, chain, descent, joint_means, layers

SHORT = [name for name, (_, _, repeats) in TIMED.items() if repeats > 1]


@pytest.mark.parametrize("name", SHORT)
def test_a_timed_plan_is_made(name):
    prepare, _, _ = TIMED[name]
    assert best(prepare, 1, again=False) > 0


def test_reductions_in_a_row_are_planned():
    assert best(layers(20), 1, again=False) > 0


@pytest.mark.parametrize("prepare", [descent(3), joint_means(5)])
def test_what_waits_together_is_planned(prepare):
    assert best(prepare, 1, again=False) > 0


def test_planning_a_chain_has_no_quadratic_part():
    short = best(chain(500), 2, again=False)
    assert best(chain(4000), 1, again=False) < 3 * 8 * short


def test_the_script_says_what_is_met(monkeypatch, capsys):
    rows = {"a": (chain(2), 1e9, 1), "b": (chain(2), 0, 1), "c": (chain(2), None, 1)}
    monkeypatch.setattr(planning_time, "TIMED", rows)
    monkeypatch.setattr("sys.argv", ["planning_time.py", "--profile"])
    planning_time.main()
    text = capsys.readouterr().out
    assert text.count(" NOT MET") == 1
    assert "cumtime" in text
